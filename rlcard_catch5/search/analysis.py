"""Rollouts: candidate moves played out in the same random deals of the cards that a seat cannot see."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from typing_extensions import override

from rlcard_catch5.actions import parse_action
from rlcard_catch5.cards import NUM_RANKS
from rlcard_catch5.engine.ruleset import tabulate
from rlcard_catch5.engine.state import (
    CARDS_PLAYED,
    FIRST_CARD_PLY,
    GAME,
    NOTHING,
    NUM_PLAYERS,
    NUM_TEAMS,
    TRUMP_PLY,
    Games,
)
from rlcard_catch5.engine.tricks import FIVE
from rlcard_catch5.search.beliefs import draw_worlds
from rlcard_catch5.search.rollouts import VIEWER, play_out
from rlcard_catch5.search.worlds import sample_worlds
from rlcard_kit.agents import Agent
from rlcard_kit.arrays import Int64Array
from rlcard_kit.jit import kernel
from rlcard_kit.nets.agents import PolicyAgent
from rlcard_kit.rng import new_streams
from rlcard_kit.rollout_analysis import GROUPS, compare_moves
from rlcard_kit.rollout_analysis import MoveEstimate as AnyEstimate

OWN = VIEWER % NUM_TEAMS
Seen = Mapping[str, Any]  # the 'raw_obs' of a state


@dataclass(frozen=True)
class MoveEstimate(AnyEstimate):
    """Outcome of a move; its payoff is the lead in points of the mover's team at the end of the hand."""

    made: float | None
    """Share of the winning bids that are made, in the auction only those of the mover's team; None without one."""

    @override
    def to_json(self) -> dict[str, Any]:
        return {**super().to_json(), 'made': self.made}


def roll_out(
    seen: Seen, moves: Sequence[str], agent: Agent, deals: int, seed: int = 0, guess: bool = False
) -> list[MoveEstimate]:
    """Play out moves of the seat to move, all seats by the agent; return their outcomes, the best first.

    Args:
        seen: the raw state of the seat to move.
        moves: legal ones, as text.
        agent: plays in all seats, each by its own observation; it adopts the rules of the state.
        deals: number of deals of the hidden cards, the same for all moves.
        seed: of the deals, and of an agent that draws.
        guess: guess the hidden cards from the others' choices, if the agent is a policy.
    """
    agent.prepare(seen['rules'])
    table, groups = tabulate(seen['rules']), np.arange(deals) % (GROUPS if guess else deals)
    drawn = _draw(seen, agent, deals, seed, guess)
    games, actions = np.tile(drawn, len(moves)), np.repeat([parse_action(move) for move in moves], deals)
    ahead = play_out(table, games, actions, agent, new_streams(seed, len(games))).reshape(len(moves), deals)
    ends = np.empty((len(games), 4), np.int64)
    write_ends(games, len(seen['trick_winners']), ends)
    is_bid, made, trick, five = (ends.T == 1).reshape(4, *ahead.shape)
    after = {'ahead': ahead > 0}
    if len(seen['trace']) >= TRUMP_PLY:
        after |= {'make': made} if is_bid.all() else {'set': ~made}
    if len(seen['trace']) >= FIRST_CARD_PLY:
        after |= {'five': five, 'trick': trick}
    events = [{event: rows[i] for event, rows in after.items()} for i in range(len(moves))]
    counted = is_bid if len(seen['trace']) < TRUMP_PLY else np.ones_like(is_bid)
    shares = [float(made[i, counted[i]].mean()) if counted[i].any() else None for i in range(len(moves))]
    bids = dict(zip(moves, shares, strict=True))
    estimates = compare_moves(moves, ahead, events, groups)
    return [MoveEstimate(**vars(estimate), made=bids[estimate.move]) for estimate in estimates]


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


@kernel
def write_ends(games: Games, trick: int, out: Int64Array) -> None:
    """Write how games ended for the viewer's team, 1 for yes.

    Args:
        games: [G] of GAME, which are over.
        trick: number of a trick.
        out: int64 [G, 4], receives whether the winning bid was the team's, whether that bid was made, and whether the
            team won the trick and the five of trumps.
    """
    for i in range(len(games)):
        game, winner = games[i], NOTHING
        for index in range(CARDS_PLAYED):
            if game.order[index] == NUM_RANKS * game.trump + FIVE:
                winner = int(game.winners[index // NUM_PLAYERS])
        bidders = game.bidder % NUM_TEAMS
        out[i, 0] = bidders == OWN
        out[i, 1] = game.points[bidders] >= game.bids[game.bidder]
        out[i, 2] = game.winners[trick] % NUM_TEAMS == OWN
        out[i, 3] = winner % NUM_TEAMS == OWN
