"""Games of two agents on the same deals in the same seats, the decisions at which they diverge, and groups of both."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rlcard_kit.arrays import BoolArray, Float64Array, Int64Array
from rlcard_kit.duplicate.block import Outcome
from rlcard_kit.game import CardGame, Deals, States
from rlcard_kit.rules import Rulebook
from rlcard_kit.vector_env import VectorEnv

FIFTHS = ('the strongest fifth', 'strong', 'middling', 'weak', 'the weakest fifth')


class Pairs(NamedTuple):
    """D deals in which A, and then B, sat in each of G seatings against the same field."""

    names: tuple[str, str, str]  # of A, of B and of the field
    rules: Any  # of the game
    deals: Deals  # [D]
    is_own: BoolArray  # [G, seats], the seats of A and of B
    payoffs: Int64Array  # [D, 2, G, seats]: in the games of A and of B, of every seat
    own: Int64Array  # [D, 2, G], of A and of B; see `EvaluatedGame.gains`
    won: BoolArray  # [D, 2, G], whether A and B won
    moves: Int64Array  # [D, 2, G, T], those of a game and then -1

    @classmethod
    def from_outcome(
        cls,
        names: tuple[str, str, str],
        card: CardGame,
        gains: Callable[[Int64Array], Int64Array],
        rules: Rulebook,
        deals: Deals,
        outcome: Outcome,
    ) -> 'Pairs':
        """Return the games that were played in the seatings of A, and then of B, against the field.

        Args:
            names: of A, of B and of the field.
            card: the game.
            gains: see `EvaluatedGame.gains`.
            rules: that were played by.
            deals: [D].
            outcome: with the moves.
        """
        is_own = card.seatings(0, 1) == 0
        shape = len(outcome.plies), 2, len(is_own), -1
        payoffs, moves = (part.reshape(shape) for part in (outcome.payoffs, outcome.moves))
        seatings, seats = np.arange(len(is_own)), is_own.argmax(axis=1)  # partners are paid alike
        own, won = gains(payoffs)[:, :, seatings, seats], card.wins(payoffs)[:, :, seatings, seats]
        return cls(names, rules, deals[: len(moves)], is_own, payoffs, own, won, moves)

    @property
    def seats(self) -> Int64Array:
        """The first seat of A and of B in each seating, int64 [G]."""
        return self.is_own.argmax(axis=1)

    @property
    def gains(self) -> Int64Array:
        """A's result less B's in the same seats of the same deal, int64 [D, G]."""
        return self.own[:, 0] - self.own[:, 1]


class Divergences(NamedTuple):
    """The first moves at which two games of the same deal and seats differ, K of them."""

    deals: Int64Array  # [K]
    seatings: Int64Array  # [K]
    plies: Int64Array  # [K], counted from 0
    states: States  # [K], before the move
    movers: Int64Array  # [K], the seat to move
    is_own: BoolArray  # [K], whether that is one of A's and B's; if not, the field drew differently
    moves: Int64Array  # [K, 2], the move in A's game and in B's
    gains: Int64Array  # [K], A's result less B's


class Grouping(NamedTuple):
    """Groups of the games of two agents, or of their divergences."""

    title: str  # without 'by'
    names: Sequence[str]
    of: Int64Array  # the group of each game, [D, G], or of each divergence, [K]


def by_case(title: str, cases: Mapping[str, BoolArray]) -> Grouping:
    """Group by cases, bool [K] by name, of which exactly one holds."""
    return Grouping(title, tuple(cases), np.argmax(list(cases.values()), axis=0))


def by_fifth(title: str, figures: Float64Array, unit: str, names: Sequence[str]) -> Grouping:
    """Group games by a figure, float64 [D, G], in fifths of all games; the names are those of the fifths, ascending."""
    edges = np.quantile(figures, np.linspace(0, 1, len(names) + 1))
    limits = pairwise(f'{edge:.1f}' for edge in edges)
    names = [f'{name}: {low} to {high} {unit}' for name, (low, high) in zip(names, limits, strict=True)]
    return Grouping(title, names, np.searchsorted(edges[1:-1], figures, side='right'))


def find_divergences(card: CardGame, pairs: Pairs) -> Divergences:
    """Return the divergences by deal and seating; identical games have none."""
    differs = pairs.moves[:, 0] != pairs.moves[:, 1]  # [D, G, T]
    deals, seatings = np.nonzero(differs.any(axis=2))
    plies = differs[deals, seatings].argmax(axis=1)
    games = pairs.moves[deals, :, seatings]  # [K, 2, T]
    states = replay(card, pairs.rules, pairs.deals[deals], games[:, 0], plies)
    movers = card.current_player(states)
    moves = games[np.arange(len(plies)), :, plies]
    is_own = pairs.is_own[seatings, movers]
    return Divergences(deals, seatings, plies, states, movers, is_own, moves, pairs.gains[deals, seatings])


def replay(card: CardGame, rules: Rulebook, deals: Deals, moves: Int64Array, plies: Int64Array) -> States:
    """Return games, [K], after the first `plies`, int64 [K], of their moves, int64 [K, T]."""
    env = VectorEnv(card, rules, deals)
    for ply in range(plies.max(initial=0)):
        going = np.flatnonzero(plies > ply)
        env.step_some(going, moves[going, ply])
    return env.games
