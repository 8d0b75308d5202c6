"""The catalogue of actions: every combination of cards under any rules, and its number.

An action id means the same cards whatever the hand and the rules. It follows from the cards alone:
ids run through the blocks below, and inside a block through ranks and suits, the highest most
significant. What a combination is worth, and whether it may be played, is the rules' affair.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from rlcard_big2.cards import RANKS
from rlcard_big2.engine.bitboard import SUIT_PAIRS, SUIT_TRIPLES, all_ranks, highest, lowest, popcount, suit_ranks
from rlcard_kit.arrays import Int64Array
from rlcard_kit.jit import kernel

# Kinds, weakest first among hands of one size.
PASS, SINGLE, PAIR, TRIPLE, TWO_PAIR, FOUR, STRAIGHT, FLUSH, FULL_HOUSE, FOUR_KICKER, STRAIGHT_FLUSH = range(11)
NUM_KINDS = 11
KIND_SIZES = np.array([0, 1, 2, 3, 4, 4, 5, 5, 5, 5, 5], np.int64)  # [NUM_KINDS]

STRAIGHT_STARTS = '3456789TJ2A'  # first rank of each straight that some rule set knows; J is JQKA2


def _straight_ranks() -> Int64Array:
    """Return the ranks of each straight in ascending order of rank, [11, 5]."""
    starts = [RANKS.index(start) for start in STRAIGHT_STARTS]
    return np.array([sorted((start + i) % 13 for i in range(5)) for start in starts], np.int64)


STRAIGHT_RANKS = _straight_ranks()
STRAIGHT_SETS = (1 << STRAIGHT_RANKS).sum(axis=1)  # [11], the same as 13-bit sets
NUM_STRAIGHTS = len(STRAIGHT_RANKS)


def _straight_of_ranks() -> Int64Array:
    """Map a 13-bit set of ranks to its row in STRAIGHT_RANKS, or -1, [8192]."""
    table = np.full(1 << 13, -1, np.int64)
    table[STRAIGHT_SETS] = np.arange(NUM_STRAIGHTS)
    return table


STRAIGHT_OF_RANKS = _straight_of_ranks()


def _flush_index() -> Int64Array:
    """Number the 1276 sets of five ranks that are not a straight, ascending; -1 for all other sets, [8192]."""
    sizes = np.array([ranks.bit_count() for ranks in range(1 << 13)])
    is_flush = (sizes == 5) & (STRAIGHT_OF_RANKS < 0)
    return np.where(is_flush, np.cumsum(is_flush) - 1, -1)


FLUSH_INDEX = _flush_index()
NUM_FLUSHES = int(FLUSH_INDEX.max()) + 1  # of one suit

# First id of each block. A straight of five equal suits is a straight flush, and not in the block of straights.
FIRST_PAIR = 52
FIRST_TRIPLE = FIRST_PAIR + 13 * 6
FIRST_TWO_PAIR = FIRST_TRIPLE + 13 * 4
FIRST_FOUR = FIRST_TWO_PAIR + 78 * 36
FIRST_STRAIGHT = FIRST_FOUR + 13
FIRST_FLUSH = FIRST_STRAIGHT + NUM_STRAIGHTS * 1020
FIRST_FULL_HOUSE = FIRST_FLUSH + 4 * NUM_FLUSHES
FIRST_FOUR_KICKER = FIRST_FULL_HOUSE + 13 * 4 * 12 * 6
FIRST_STRAIGHT_FLUSH = FIRST_FOUR_KICKER + 13 * 48
PASS_ID = FIRST_STRAIGHT_FLUSH + NUM_STRAIGHTS * 4
NUM_ACTIONS = PASS_ID + 1

# First id after the block of each kind, from the single on.
KIND_ENDS = np.array([
    FIRST_PAIR, FIRST_TRIPLE, FIRST_TWO_PAIR, FIRST_FOUR, FIRST_STRAIGHT, FIRST_FLUSH, FIRST_FULL_HOUSE,
    FIRST_FOUR_KICKER, FIRST_STRAIGHT_FLUSH, PASS_ID,
])  # fmt: skip


def _positions(subsets: list[int]) -> Int64Array:
    """Map a nibble to its index in a list of nibbles, [16]; 0 if it is not in the list."""
    table = np.zeros(16, np.int64)
    table[subsets] = np.arange(len(subsets))
    return table


PAIR_POSITION = _positions(SUIT_PAIRS)
TRIPLE_POSITION = _positions(SUIT_TRIPLES)


def _all_masks() -> Int64Array:
    """Return the mask of every action, by id, [NUM_ACTIONS]."""
    blocks = [
        [1 << card for card in range(52)],
        _same_rank(SUIT_PAIRS),
        _same_rank(SUIT_TRIPLES),
        list(_two_pairs()),
        _same_rank([0b1111]),
        _straights(),
        [_spread(ranks) << suit for suit in range(4) for ranks in np.flatnonzero(FLUSH_INDEX >= 0).tolist()],
        list(_full_houses()),
        [15 << 4 * rank | 1 << card for rank in range(13) for card in range(52) if card // 4 != rank],
        [_spread(ranks) << suit for ranks in STRAIGHT_SETS.tolist() for suit in range(4)],
        [0],
    ]
    return np.concatenate([np.asarray(block, np.int64) for block in blocks])


def _same_rank(suits: list[int]) -> list[int]:
    return [nibble << 4 * rank for rank in range(13) for nibble in suits]


def _spread(ranks: int) -> int:
    """Put 13 bits of ranks on the lowest suit."""
    return sum(1 << 4 * rank for rank in range(13) if ranks >> rank & 1)


def _two_pairs() -> Iterator[int]:
    for high, low in sorted((high, low) for low, high in combinations(range(13), 2)):
        for upper in SUIT_PAIRS:
            for lower in SUIT_PAIRS:
                yield upper << 4 * high | lower << 4 * low


def _straights() -> Int64Array:
    suits = np.arange(1024)
    suits = suits[suits % 341 != 0]  # multiples of 341 hold five equal suits
    digits = suits[:, None] >> 2 * np.arange(5) & 3  # [1020, 5], the highest rank's suit most significant
    cards = 4 * STRAIGHT_RANKS[:, None, :] + digits  # [11, 1020, 5]
    masks: Int64Array = (np.int64(1) << cards).sum(axis=2).ravel()
    return masks


def _full_houses() -> Iterator[int]:
    for rank in range(13):
        for triple in SUIT_TRIPLES:
            for other in range(13):
                if other != rank:
                    for pair in SUIT_PAIRS:
                        yield triple << 4 * rank | pair << 4 * other


ACTION_MASKS = _all_masks()
ACTION_MASKS.setflags(write=False)


@kernel
def number_of(mask: int) -> int:
    """Return the action id of a mask, or -1 if it is not a combination under any rules."""
    size = popcount(mask)
    if size == 0:
        return PASS_ID
    top = highest(mask)
    rank = top >> 2
    nibble = mask >> 4 * rank
    distinct = popcount(all_ranks(mask))
    if size == 1:
        return top
    if size <= 4 and distinct == 1:
        if size == 2:
            return FIRST_PAIR + rank * 6 + PAIR_POSITION[nibble]
        if size == 3:
            return FIRST_TRIPLE + rank * 4 + TRIPLE_POSITION[nibble]
        return FIRST_FOUR + rank
    if size == 4 and distinct == 2 and popcount(nibble) == 2:
        low = lowest(mask) >> 2
        suits = PAIR_POSITION[nibble] * 6 + PAIR_POSITION[mask >> 4 * low & 15]
        return FIRST_TWO_PAIR + (rank * (rank - 1) // 2 + low) * 36 + suits
    if size == 5 and distinct == 2:
        return _number_of_two_ranks(mask, rank, lowest(mask) >> 2)
    if size == 5 and distinct == 5:
        return _number_of_five_ranks(mask, lowest(mask) & 3)
    return -1


@kernel
def kind_of(mask: int) -> int:
    """Return the kind of a combination that some rule set knows, whatever the rules; PASS for no cards."""
    return (int(np.searchsorted(KIND_ENDS, number_of(mask), side='right')) + 1) % NUM_KINDS


@kernel
def _number_of_two_ranks(mask: int, high: int, low: int) -> int:
    """Number a full house or four of a kind with its kicker."""
    count = popcount(mask >> 4 * high)
    most, other = (high, low) if count >= 3 else (low, high)
    if count == 1 or count == 4:
        kicker = highest(mask & ~(15 << 4 * most))
        return FIRST_FOUR_KICKER + most * 48 + kicker - (4 if other > most else 0)
    triple = most * 4 + TRIPLE_POSITION[mask >> 4 * most & 15]
    column = other - (1 if other > most else 0)
    return FIRST_FULL_HOUSE + (triple * 12 + column) * 6 + PAIR_POSITION[mask >> 4 * other & 15]


@kernel
def _number_of_five_ranks(mask: int, suit: int) -> int:
    """Number a straight, flush or straight flush; `suit` is that of the lowest card."""
    ranks = all_ranks(mask)
    straight = STRAIGHT_OF_RANKS[ranks]
    flush = suit_ranks(mask, suit) == ranks
    if straight < 0:
        return FIRST_FLUSH + suit * NUM_FLUSHES + FLUSH_INDEX[ranks] if flush else -1
    if flush:
        return FIRST_STRAIGHT_FLUSH + straight * 4 + suit
    suits = 0
    for i in range(5):
        nibble = mask >> 4 * STRAIGHT_RANKS[straight, i] & 15
        suits += lowest(nibble) << 2 * i
    return FIRST_STRAIGHT + straight * 1020 + suits - suits // 341 - 1
