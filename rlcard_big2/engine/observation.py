"""What a seat sees: packed into 27 words, and unpacked to the 507 + 4 x 208 features of Chow and Cheng (2022).

A packed observation is int64 [27]: masks, the three counts of cards left as bytes of one word, the last 16
moves, oldest first, and in one word what 16 moves may not tell: the bit set of the kinds that each opponent
has played, 16 bits each, then the kind of the hand to beat. That word is not unpacked. LAYOUT lists the
unpacked features in order, each with its size and the word that it comes from. Opponents are named by their
place in the order of play: next, across, previous.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rlcard_big2.engine.bitboard import popcount
from rlcard_big2.engine.state import HISTORY, NUM_PLAYERS, Game
from rlcard_big2.lockstep.arrays import Int64Array
from rlcard_big2.lockstep.compilation import kernel

HAND, OTHERS, TABLE, LAST, LEFT, PLAYED, MOVES = 0, 1, 2, 3, 6, 7, 10  # first word of each part
KINDS = MOVES + HISTORY
PACKED_SIZE = KINDS + 1
TABLE_KIND = 48  # the first bit, in the word KINDS, of the kind of the hand to beat


class Feature(NamedTuple):
    """One block of the unpacked observation: a mask of 52 cards, or a one-hot count of 13."""

    name: str
    size: int
    word: int  # of the packed observation
    shift: int  # of the count in its word; 0 for a mask


OPPONENTS = ('next', 'across', 'previous')
STATE_LAYOUT = (
    Feature('own hand', 52, HAND, 0),
    Feature("opponents' hands together", 52, OTHERS, 0),
    Feature('hand to beat, zeros with control', 52, TABLE, 0),
    *(Feature(f'last move of {who}, zeros for a pass', 52, LAST + i, 0) for i, who in enumerate(OPPONENTS)),
    *(Feature(f'cards left of {who}, one-hot from 1', 13, LEFT, 8 * i) for i, who in enumerate(OPPONENTS)),
    *(Feature(f'cards played by {who}', 52, PLAYED + i, 0) for i, who in enumerate(OPPONENTS)),
)
MOVES_LAYOUT = tuple(Feature(f'move {i - HISTORY}', 52, MOVES + i, 0) for i in range(HISTORY))
LAYOUT = STATE_LAYOUT + MOVES_LAYOUT

STATE_SIZE = sum(feature.size for feature in STATE_LAYOUT)  # 507
OBSERVATION_SIZE = sum(feature.size for feature in LAYOUT)  # 507 + 832

_SIZES = np.array([feature.size for feature in LAYOUT])
_OFFSETS = np.cumsum(_SIZES) - _SIZES
_WORDS = np.array([feature.word for feature in LAYOUT])
_SHIFTS = np.array([feature.shift for feature in LAYOUT])


@kernel
def observe(game: Game, seat: int, out: Int64Array) -> None:
    """Write what `seat` sees into `out`, int64 [27], whoever is to move."""
    out[HAND] = game.hands[seat]
    out[TABLE] = game.table
    others = 0
    left = 0
    kinds = (game.beat >> 16) << TABLE_KIND
    for i in range(NUM_PLAYERS - 1):
        opponent = (seat + 1 + i) % NUM_PLAYERS
        others |= game.hands[opponent]
        left |= popcount(game.hands[opponent]) << 8 * i
        age = (game.player - opponent - 1) % NUM_PLAYERS + 1  # moves since the opponent's own
        out[LAST + i] = _move(game, age)
        out[PLAYED + i] = game.played[opponent]
        kinds |= game.kinds[opponent] << 16 * i
    out[OTHERS] = others
    out[LEFT] = left
    out[KINDS] = kinds
    for i in range(HISTORY):
        out[MOVES + i] = _move(game, HISTORY - i)


@kernel
def _move(game: Game, age: int) -> int:
    """Return the mask of the move made `age` moves ago; 0 before the first."""
    return game.history[(game.ply - age) % HISTORY] if age <= game.ply else 0


@kernel
def unpack(packed: Int64Array, out: NDArray[np.int8]) -> None:
    """Write a packed observation as zeros and ones into `out`, int8 [1339], in the order of LAYOUT."""
    out[:] = 0
    for f in range(_SIZES.size):
        word = packed[_WORDS[f]]
        if _SIZES[f] == 13:
            left = word >> _SHIFTS[f] & 255
            if left > 0:
                out[_OFFSETS[f] + left - 1] = 1
        else:
            write_cards(word, out[_OFFSETS[f] : _OFFSETS[f] + 52])


@kernel
def write_cards(mask: int, out: NDArray[np.int8]) -> None:
    """Set `out`, zeros [52], to 1 at each card of a mask."""
    while mask != 0:
        out[popcount((mask & -mask) - 1)] = 1
        mask &= mask - 1
