"""Arithmetic on masks of Big 2's cards, see `rlcard_kit.deck`: bit `rank * 4 + suit`, so a rank is a nibble."""

import numpy as np

from rlcard_kit.arrays import Int64Array
from rlcard_kit.deck import highest, lowest, popcount
from rlcard_kit.jit import kernel

__all__ = ['all_ranks', 'highest', 'lowest', 'popcount', 'ranks_held', 'suit_ranks']

LOWEST_SUIT = 0x1111111111111  # one bit per rank
SUIT_PAIRS = [0b0011, 0b0101, 0b0110, 0b1001, 0b1010, 0b1100]
SUIT_TRIPLES = [0b0111, 0b1011, 0b1101, 0b1110]


def _subsets_of_nibbles(subsets: list[int]) -> tuple[Int64Array, Int64Array]:
    """Tabulate, for each nibble, which of `subsets` it holds, in their order: (counts [16], subsets [16, 6])."""
    counts = np.zeros(16, np.int64)
    table = np.zeros((16, 6), np.int64)
    for nibble in range(16):
        inside = [s for s in subsets if s & ~nibble == 0]
        counts[nibble] = len(inside)
        table[nibble, : len(inside)] = inside
    return counts, table


PAIR_COUNTS, PAIRS = _subsets_of_nibbles(SUIT_PAIRS)
TRIPLE_COUNTS, TRIPLES = _subsets_of_nibbles(SUIT_TRIPLES)
FOUR_COUNTS, FOURS = _subsets_of_nibbles([0b1111])


@kernel
def suit_ranks(mask: int, suit: int) -> int:
    """Gather one suit of a mask to 13 bits, one per rank."""
    bits = (mask >> suit) & LOWEST_SUIT
    bits = (bits | (bits >> 3)) & 0x0303030303030303
    bits = (bits | (bits >> 6)) & 0x000F000F000F000F
    bits = (bits | (bits >> 12)) & 0x000000FF000000FF
    return (bits | (bits >> 24)) & 0x1FFF


@kernel
def all_ranks(mask: int) -> int:
    """Gather the ranks that occur in a mask to 13 bits."""
    return suit_ranks(mask | (mask >> 1) | (mask >> 2) | (mask >> 3), 0)


@kernel
def ranks_held(mask: int, count: int) -> int:
    """Return the ranks of which a mask holds at least 2, 3 or 4 cards, each as its lowest suit."""
    a, b, c, d = mask & LOWEST_SUIT, mask >> 1 & LOWEST_SUIT, mask >> 2 & LOWEST_SUIT, mask >> 3 & LOWEST_SUIT
    if count == 2:
        return (a & b) | (c & d) | ((a | b) & (c | d))
    if count == 3:
        return (a & b & (c | d)) | (c & d & (a | b))
    return a & b & c & d
