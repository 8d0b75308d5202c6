"""Rollouts: candidate moves played out in the same random deals of the cards that a seat cannot see."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rlcard_catch5.actions import parse_action
from rlcard_catch5.cards import parse_card
from rlcard_catch5.engine.ruleset import tabulate
from rlcard_catch5.engine.state import FIRST_CARD_PLY, GAME, NUM_PLAYERS, NUM_TEAMS, TRUMP_PLY, Games
from rlcard_catch5.search.beliefs import draw_worlds
from rlcard_catch5.search.rollouts import VIEWER, play_out
from rlcard_catch5.search.worlds import sample_worlds
from rlcard_kit.agents.base import Agent
from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.nets.agents import PolicyAgent
from rlcard_kit.rng import new_streams
from rlcard_kit.statistics import Estimate, estimate_ratio
from rlcard_kit.study.reasons import Events, Reason, find_reason, shares_of

GROUPS = 10  # of deals, drawn independently: guessed deals of one group are correlated, which the margins account for
OWN = VIEWER % NUM_TEAMS
Seen = Mapping[str, Any]  # the 'raw_obs' of a state


class MoveEstimate(NamedTuple):
    """Outcome of a move."""

    move: str
    points: Estimate  # by which the own team is ahead at the end of the hand
    behind: Estimate  # points less than after the best move, in the same deals
    made: float | None  # share of the bids made: of the winning bid, in the auction of the own team's; None without one
    events: Mapping[str, float]  # shares of the deals in which they happened
    reason: Reason | None  # why the best move is better

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as JSON, without the loss against the best move."""
        reason = None if self.reason is None else self.reason._asdict()
        mean, margin = self.points
        return {'move': self.move, 'mean': mean, 'margin': margin, 'made': self.made, 'reason': reason}


def roll_out(
    seen: Seen, moves: Sequence[str], agent: Agent, deals: int, seed: int = 0, guess: bool = False
) -> list[MoveEstimate]:
    """Play out moves of the seat to move, all seats by the agent; return their outcomes, the best first.

    Args:
        seen: the raw state of the seat to move.
        moves: legal ones, as text.
        agent: plays in all seats, each by its own observation.
        deals: number of deals of the hidden cards, the same for all moves.
        seed: of the deals, and of an agent that draws.
        guess: guess the hidden cards from the others' choices, if the agent is a policy.
    """
    table, groups = tabulate(seen['rules']), np.arange(deals) % (GROUPS if guess else deals)
    drawn = _draw(seen, agent, deals, seed, guess)
    games, made = np.tile(drawn, len(moves)), np.repeat([parse_action(move) for move in moves], deals)
    ahead = play_out(table, games, made, agent, new_streams(seed, len(games))).reshape(len(moves), deals)
    bids = _made(games, is_auction=len(seen['trace']) < TRUMP_PLY).reshape(len(moves), deals)
    first = ahead.mean(axis=1).argmax()
    events = {name: one.reshape(ahead.shape) for name, one in _events(seen, games, ahead).items()}
    after = [{name: one[i] for name, one in events.items()} for i in range(len(moves))]
    found = [
        MoveEstimate(
            move,
            _mean_of(points, groups),
            _mean_of(ahead[first] - points, groups),
            _mean(made),
            shares_of(after[i]),
            find_reason(after[first], after[i], groups),
        )
        for i, (move, points, made) in enumerate(zip(moves, ahead, bids, strict=True))
    ]
    return sorted(found, key=lambda one: -one.points.mean)


def _draw(seen: Seen, agent: Agent, deals: int, seed: int, guess: bool) -> Games:
    """Return worlds of a seat, [deals] of GAME, in turn of each group."""
    random, table, each = new_streams(seed, GROUPS), tabulate(seen['rules']), -(-deals // GROUPS)
    observations, worlds = seen['packed'].repeat(GROUPS), np.zeros((GROUPS, each), GAME)
    if guess and isinstance(agent, PolicyAgent):
        worlds = draw_worlds(table, observations, random, each, agent.network)
    else:
        sample_worlds(table, observations, random, worlds.reshape(-1), np.zeros((worlds.size, NUM_PLAYERS), np.int64))
    drawn: Games = worlds.T.reshape(-1)[:deals]
    return drawn


def _mean_of(values: Int64Array, groups: Int64Array) -> Estimate:
    return estimate_ratio(np.bincount(groups, values), np.bincount(groups))


def _events(seen: Seen, games: Games, ahead: Int64Array) -> Events:
    """Return what happened in games that are over, bool [N] each, as the own team wants it."""
    rows = np.arange(len(games))
    events = {'ahead': ahead.ravel() > 0}
    if len(seen['trace']) >= TRUMP_PLY:
        is_made = _made(games, is_auction=False) == 1
        events |= {'make': is_made} if (seen['bidder'] - seen['self']) % NUM_TEAMS == OWN else {'set': ~is_made}
    if len(seen['trace']) >= FIRST_CARD_PLY:
        winners, places = games['winners'] % NUM_TEAMS, games['order'] == parse_card(f'5{seen["trump"]}')
        events['trick'] = winners[:, len(seen['trick_winners'])] == OWN
        events['five'] = places.any(axis=1) & (winners[rows, places.argmax(axis=1) // NUM_PLAYERS] == OWN)
    return events


def _made(games: Games, is_auction: bool) -> Float64Array:
    """Return whether the winning bid of each game was made, float64 [N]; NaN in the auction if it is not the team's."""
    bidders = games['bidder'].astype(np.int64)
    rows = np.arange(len(games))
    made = (games['points'][rows, bidders % NUM_TEAMS] >= games['bids'][rows, bidders]).astype(np.float64)
    return np.where(is_auction & (bidders % NUM_TEAMS != OWN), np.nan, made)


def _mean(made: Float64Array) -> float | None:
    counted = made[~np.isnan(made)]
    return float(counted.mean()) if counted.size else None
