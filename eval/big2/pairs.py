"""Games of two agents on the same deals in the same seats, and the decisions at which they diverge."""

from typing import NamedTuple

import numpy as np

from rlcard_big2.duplicate.deals import count_cards
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.state import HAND_SIZE, NUM_PLAYERS, OPENING_CARD
from rlcard_big2.rules import Rules
from rlcard_kit.arrays import BoolArray, Int64Array
from rlcard_kit.duplicate.block import Outcome

TRICK_ENDS = NUM_PLAYERS - 1  # passes in a row that end a trick


class Pairs(NamedTuple):
    """D deals in which A, and then B, sat in each of the four seats among three of the same field."""

    names: tuple[str, str, str]  # of A, of B and of the field
    rules: Rules
    deals: Int64Array  # [D, 4]
    payoffs: Int64Array  # [D, 2, 4, 4]: in the games of A and of B, by their seat, of every seat
    moves: Int64Array  # [D, 2, 4, T], those of a game and then -1

    @classmethod
    def from_outcome(cls, names: tuple[str, str, str], rules: Rules, deals: Int64Array, outcome: Outcome) -> 'Pairs':
        """Return the games that were played in `BIG2.seatings`, first of A, then of B."""
        seats = (BIG2.seatings(0, 1) == 0).argmax(axis=1)  # of the agent in each seating
        order = np.argsort(seats)
        shape = len(outcome.plies), 2, NUM_PLAYERS, -1
        payoffs, moves = (part.reshape(shape)[:, :, order] for part in (outcome.payoffs, outcome.moves))
        return cls(names, rules, deals[: len(moves)], payoffs, moves)

    @property
    def own(self) -> Int64Array:
        """The payoffs of A and of B, int64 [D, 2, 4], by their seat."""
        seats = np.arange(NUM_PLAYERS)
        return self.payoffs[:, :, seats, seats]

    @property
    def gains(self) -> Int64Array:
        """A's payoff less B's in the same seat of the same deal, int64 [D, 4]."""
        return self.own[:, 0] - self.own[:, 1]

    @property
    def openers(self) -> Int64Array:
        """The seat that opens each deal, int64 [D]."""
        return (self.deals & OPENING_CARD != 0).argmax(axis=1)


class Divergences(NamedTuple):
    """The first moves at which two games of the same deal and seat differ, K of them."""

    deals: Int64Array  # [K]
    seats: Int64Array  # [K], where A and B sat
    plies: Int64Array  # [K], counted from 0
    movers: Int64Array  # [K], the seat to move; not A's and B's only if the field draws differently
    left: Int64Array  # [K], cards that A and B held
    leads: BoolArray  # [K], whether the mover leads
    moves: Int64Array  # [K, 2], the move in A's game and in B's
    gains: Int64Array  # [K], A's payoff less B's


def find_divergences(pairs: Pairs) -> Divergences:
    """Return the divergences by deal and seat; identical games have none."""
    differs = pairs.moves[:, 0] != pairs.moves[:, 1]  # [D, 4, T]
    deals, seats = np.nonzero(differs.any(axis=2))
    plies = differs[deals, seats].argmax(axis=1)
    games = pairs.moves[deals, :, seats]  # [K, 2, T]
    turns = np.arange(games.shape[2])
    before = turns < plies[:, None]
    movers = (pairs.openers[deals, None] + turns) % NUM_PLAYERS
    own = before & (movers == seats[:, None])
    since = before & (turns >= plies[:, None] - TRICK_ENDS)
    played = np.where(own, games[:, 0], 0)
    index = np.arange(len(plies))
    return Divergences(
        deals,
        seats,
        plies,
        movers[index, plies],
        HAND_SIZE - count_cards(played).sum(axis=1),
        ~(since & (games[:, 0] != 0)).any(axis=1),
        games[index, :, plies],
        pairs.gains[deals, seats],
    )
