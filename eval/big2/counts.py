"""Figures of Big 2: passes, lengths, the lead, and the worth of cards dealt."""

from functools import partial
from itertools import product
from typing import Any

import numpy as np

from eval.counts import Figures
from rlcard_big2.cards import RANKS
from rlcard_big2.duplicate.deals import count_cards
from rlcard_big2.engine.actions import NUM_KINDS, PAIR, SINGLE, TRIPLE
from rlcard_big2.engine.moves import count_bombs
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import TWO
from rlcard_kit.arrays import BoolArray, Int64Array
from rlcard_kit.table import Turn
from rlcard_kit.vector_env import VectorEnv

KINDS = (
    'single', 'pair', 'triple', 'two pair', 'four', 'straight', 'flush', 'full house', 'four and kicker',
    'straight flush',
)  # fmt: skip
EACH_RANK = 15 << 4 * np.arange(len(RANKS))  # masks of the four cards of each rank
ACE = TWO - 1
STEP, LONGEST = 5, 81  # moves, in the distribution of lengths
MOST_HELD = 4


class Big2Counter:
    """Counts the figures of N games, of which one begins with each deal.

    Args:
        env: the games, before the first move.
    """

    def __init__(self, env: VectorEnv) -> None:
        self._env = env
        self._games = np.arange(env.num_games)
        self._hands = env.games['hands'][:, : env.game.num_seats].copy()
        self._choices, self._passes = np.zeros((2, env.num_games), np.int64)
        # by game, combination, highest rank, and whether it led: the plays, and those that won the lead
        shape = 2, env.num_games, NUM_KINDS, len(RANKS), 2
        self._plays, self._won = np.zeros(shape, np.int32)
        self._last: Int64Array = np.zeros((3, env.num_games), np.int64)  # the play to beat, as indices there

    def see(self, turn: Turn) -> None:
        """Count choices between a pass and a play, the plays, and the leads that a last pass gives away."""
        positions, games, moves = turn.positions, self._env.games, turn.moves
        is_choice = positions.counts > 1
        is_choice[is_choice] = positions.moves[positions.offsets[1:][is_choice] - 1] == 0
        self._choices += is_choice
        self._passes += is_choice & (moves == 0)
        is_over = positions.counts == 0
        ended = ~is_over & (moves == 0) & (games['table'] == 0) & (positions.observations['table'] != 0)
        self._count(self._won, ended)
        is_play = (moves != 0) & ~turn.done  # the last play of a game cannot be beaten
        ranks = (np.frexp(moves.astype(np.float64))[1] - 1) // 4
        played = np.stack([games['beat'] >> 16, ranks, positions.observations['table'] == 0])
        self._last = np.where(is_play, played, self._last)
        self._count(self._plays, is_play)

    def _count(self, counts: Any, where: BoolArray) -> None:
        counts[(self._games[where], *self._last[:, where])] += 1

    def figures(self, payoffs: Int64Array) -> Figures:
        """Return the figures, by table and column; those of hands are over all seats."""
        moves = self._env.games['ply']
        found: dict[tuple[str, str], Any] = {
            ('passes of legal plays', 'share'): (self._passes, self._choices),
            ('moves', 'in a game'): (moves, 1),
        }
        for least in range(1, LONGEST, STEP):
            found['games by moves', f'{least}'] = (moves >= least) & (moves < least + STEP), 1
        found['games by moves', f'{LONGEST}+'] = moves >= LONGEST, 1
        return found | self._of_plays() | self._of_hands(payoffs)

    def _of_plays(self) -> dict[tuple[str, str], Any]:
        found: dict[tuple[str, str], Any] = {}
        won, plays = self._won, self._plays
        for kind, name in enumerate(KINDS, SINGLE):
            found['plays in a game, without the last', name] = plays[:, kind].sum(axis=(1, 2)), 1
            for leads, how in ((1, 'led'), (0, 'played on another')):
                chosen = kind, slice(None), leads
                found[f'share of plays that win the lead, {how}', name] = _ratio(won, plays, *chosen)
            for rank, text in enumerate(RANKS) if kind in (SINGLE, PAIR, TRIPLE) else ():
                found[f'share of {name}s that win the lead, by rank', text] = _ratio(
                    won, plays, kind, rank, slice(None)
                )
        return found

    def _of_hands(self, payoffs: Int64Array) -> dict[tuple[str, str], Any]:
        found: dict[tuple[str, str], Any] = {}
        held = {
            '2': count_cards(self._hands & EACH_RANK[TWO]),
            'ace': count_cards(self._hands & EACH_RANK[ACE]),
            'bomb': np.vectorize(partial(count_bombs, tabulate(self._env.rules)[0]), otypes=[np.int64])(self._hands),
        }
        outcomes = {'payoff': payoffs, 'share of games won': self._env.game.wins(payoffs)}
        for (name, counts), (outcome, values) in product(held.items(), outcomes.items()):
            apart = counts * len(values[0]) - counts.sum(axis=1, keepdims=True)  # from the mean of the game
            slope = (apart * values).sum(axis=1) * len(values[0]), (apart**2).sum(axis=1)
            found[f'{outcome} for each one dealt', name] = slope
            for number in range(MOST_HELD + 1):
                seats = counts == number
                sums = (seats * values).sum(axis=1), seats.sum(axis=1)
                found[f'{outcome} by number of {name}s dealt', f'{number}'] = sums
        return found


def _ratio(won: Any, plays: Any, *chosen: Any) -> Any:
    """Return chosen sums, by game, of plays that won the lead and of all plays."""
    return tuple(counts[(slice(None), *chosen)].reshape(len(counts), -1).sum(axis=1) for counts in (won, plays))
