"""The deep look: what moves are worth when games are played on from them."""

from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from rlcard_big2.engine.batch import settle_games
from rlcard_big2.engine.ruleset import RuleTables, tabulate
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.rules import Rules
from rlcard_big2.search.beliefs import MakeBeliefs, uniform_beliefs
from rlcard_big2.search.rollouts import VIEWER, branch, play_out
from rlcard_kit.arrays import Float32Array, Int64Array
from rlcard_kit.errors import ConfigError, IllegalActionError, check_whole
from rlcard_kit.positions import Positions
from rlcard_kit.rng import new_streams
from rlcard_kit.statistics import estimate_ratio

MOST_DEALS = 100_000
GROUPS = 10  # of deals, drawn apart: those of one group are alike if they are guessed, and the margins count that
NOTES = {  # by whether the hidden cards are guessed
    False: 'The hidden cards are dealt at random, not guessed from the play.',
    True: 'The hidden cards are guessed from the play, as if everybody played like the network.',
}


class LookedMove(NamedTuple):
    """What came of a move; margins are half the widths of 95 % intervals."""

    move: str  # as in `raw_legal_actions`
    cards: float  # mean payoff
    margin: float
    behind: float  # how many cards less than the best move's, in the same deals
    behind_margin: float  # 0 for the best move
    win: float  # share of games won

    def to_json(self) -> dict[str, Any]:
        """Return it by name; a margin that is not known is None."""
        return {
            name: value if isinstance(value, str) or isfinite(value) else None for name, value in self._asdict().items()
        }


class Look(NamedTuple):
    """What came of some moves of a position, each in the same deals; the best first."""

    moves: tuple[LookedMove, ...]
    deals: int
    guessed: bool  # whether the deals go by how the opponents have played

    @property
    def note(self) -> str:
        """What has to be said with it."""
        return NOTES[self.guessed]

    def to_json(self) -> dict[str, Any]:
        """Return it by name, with the sentence that has to be said with it."""
        moves = [one.to_json() for one in self.moves]
        return {'deals': self.deals, 'moves': moves, 'guessed': self.guessed, 'note': self.note}


def look(
    state: dict[str, Any],
    agent: DMCAgent,
    *,
    deals: int = 200,
    moves: int | Sequence[str] = 5,
    seed: int = 0,
    beliefs: MakeBeliefs = uniform_beliefs,
) -> Look:
    """Play a position on from its best moves, in deals of the hidden cards that agree with what the seat sees.

    All seats play the agent's best moves, each by what it sees.

    Args:
        state: of `rlcard.make('big2')`, of the seat to move; only what that seat sees is looked at.
        agent: that says values.
        deals: of the hidden cards, the same for all moves.
        moves: how many to look at, those of the highest values, or which, as in `raw_legal_actions`.
        seed: of the deals.
        beliefs: makes what deals the hidden cards.

    Returns:
        What came of the moves, those of the highest mean payoff first.

    Raises:
        ConfigError: if the agent does not say values, or a number is out of bounds.
        IllegalActionError: if the game is over, it is another seat's turn, or a move is not legal.
    """
    if not isinstance(agent, DMCAgent):
        raise ConfigError('a deep look needs an agent that says what moves are worth: big2-dmc or dmc:FOLDER')
    check_whole('deals', deals, 1, MOST_DEALS)
    check_whole('seed', seed, 0)
    positions = agent.positions_of(state)
    indices = _chosen(state['raw_legal_actions'], agent.network.values(positions), moves)
    rules: Rules = state['raw_obs']['rules']
    drawn, groups = beliefs(rules), min(GROUPS, deals)
    repeated = positions.observations.repeat(groups)
    worlds = drawn.draw(repeated, new_streams(seed, groups), -(-deals // groups))
    dealt = worlds.transpose(1, 0, 2).reshape(-1, NUM_PLAYERS)[:deals]
    payoffs = _payoffs(agent, positions, positions.moves[indices], tabulate(rules), dealt)
    texts = [state['raw_legal_actions'][i] for i in indices]
    return Look(_compared(texts, payoffs, np.arange(deals) % groups), deals, drawn.guesses)


def _chosen(texts: list[str], values: Float32Array, moves: int | Sequence[str]) -> Int64Array:
    """Return the indices of the moves to look at, int64 [K]."""
    if isinstance(moves, str) or not isinstance(moves, Sequence):
        check_whole('moves', moves, 1)
        return np.argsort(-values, kind='stable')[:moves]
    unknown = [move for move in moves if move not in texts]
    if unknown or not moves:
        raise IllegalActionError(f'{unknown[0]!r:.80} is not legal here' if unknown else 'no moves to look at')
    return np.array([texts.index(move) for move in moves])


def _payoffs(
    agent: DMCAgent, positions: Positions, moves: Int64Array, table: RuleTables, worlds: Int64Array
) -> Int64Array:
    """Return what the seat to move of a position gains by each of K moves in worlds, [W, 4], int64 [K, W]."""
    owners, hands = np.zeros(len(moves) * len(worlds), np.int64), np.tile(worlds, (len(moves), 1))
    games = branch(table, positions.observations, owners, hands, np.repeat(moves, len(worlds)))
    play_out(agent.network, table, games)
    payoffs = np.empty((len(games), NUM_PLAYERS), np.int64)
    settle_games(table, games, payoffs)
    return payoffs[:, VIEWER].reshape(len(moves), len(worlds))


def _compared(texts: Sequence[str], payoffs: Int64Array, groups: Int64Array) -> tuple[LookedMove, ...]:
    """Compare the payoffs of K moves, int64 [K, deals], in deals of these groups, int64 [deals]."""
    counts = np.bincount(groups)
    order = np.argsort(-payoffs.mean(axis=1), kind='stable')
    best = payoffs[order[0]]
    found = []
    for i in order:
        mean, behind = (estimate_ratio(np.bincount(groups, own), counts) for own in (payoffs[i], best - payoffs[i]))
        margin = behind.margin if i != order[0] else 0.0
        found.append(LookedMove(texts[i], *mean, behind.mean, margin, float((payoffs[i] > 0).mean())))
    return tuple(found)
