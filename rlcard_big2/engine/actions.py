"""The catalogue of actions: every combination of cards under any rules, and its number.

An action id means the same cards whatever the hand and the rules. Ids run through the kinds below, and inside a kind
through ranks and suits, the highest most significant. Strength and legality depend on the rules, see `ruleset`.
"""

from itertools import product

import numpy as np

from rlcard_big2.cards import NUM_CARDS, RANKS
from rlcard_big2.engine.bitboard import SUIT_PAIRS, SUIT_TRIPLES, all_ranks, lowest, popcount, ranks_held, suit_ranks
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
STRAIGHT_OF_RANKS = np.full(1 << 13, -1, np.int64)  # row in STRAIGHT_RANKS by 13-bit set of ranks; -1 for all others
STRAIGHT_OF_RANKS[STRAIGHT_SETS] = np.arange(NUM_STRAIGHTS)


def _masks_by_kind() -> list[Int64Array]:
    """Return the masks of each kind, from the single to the straight flush and then the pass, ascending by id."""
    ranks, suits = range(13), np.arange(4)
    flushes = np.array([five for five in range(1 << 13) if five.bit_count() == 5 and STRAIGHT_OF_RANKS[five] < 0])
    mixed = np.array([five for five in product(range(4), repeat=5) if len(set(five)) > 1])[:, ::-1]  # lowest rank first
    blocks = [
        [1 << card for card in range(NUM_CARDS)],
        [pair << 4 * rank for rank, pair in product(ranks, SUIT_PAIRS)],
        [triple << 4 * rank for rank, triple in product(ranks, SUIT_TRIPLES)],
        [high << 4 * i | low << 4 * j for i, j, high, low in product(ranks, ranks, SUIT_PAIRS, SUIT_PAIRS) if i > j],
        [15 << 4 * rank for rank in ranks],
        (1 << 4 * STRAIGHT_RANKS[:, None] + mixed).sum(axis=2).ravel(),
        (_spread(flushes) << suits[:, None]).ravel(),
        [
            three << 4 * i | two << 4 * j
            for i, three, j, two in product(ranks, SUIT_TRIPLES, ranks, SUIT_PAIRS)
            if i != j
        ],
        [15 << 4 * rank | 1 << card for rank, card in product(ranks, range(NUM_CARDS)) if card // 4 != rank],
        (_spread(STRAIGHT_SETS)[:, None] << suits).ravel(),
        [0],
    ]
    return [np.array(block, np.int64) for block in blocks]


def _spread(ranks: Int64Array) -> Int64Array:
    """Return 13-bit sets of ranks, [K], as masks of the lowest suit."""
    masks: Int64Array = ((ranks[:, None] >> np.arange(13) & 1) << 4 * np.arange(13)).sum(axis=1)
    return masks


_MASKS = _masks_by_kind()
ACTION_MASKS = np.concatenate(_MASKS)  # by id, [NUM_ACTIONS]
ACTION_MASKS.setflags(write=False)
NUM_ACTIONS = len(ACTION_MASKS)
PASS_ID = NUM_ACTIONS - 1
FIRST_IDS = np.roll(np.cumsum([0, *map(len, _MASKS[:-1])]), 1)  # first id of each kind, [NUM_KINDS]
_IDS = np.argsort(ACTION_MASKS)
_ASCENDING = ACTION_MASKS[_IDS]


@kernel
def number_of(mask: int) -> int:
    """Return the action id of a mask, or -1 if it is not a combination under any rules."""
    index = np.searchsorted(_ASCENDING, mask)
    return _IDS[index] if index < NUM_ACTIONS and _ASCENDING[index] == mask else -1


@kernel
def kind_of_cards(mask: int) -> int:
    """Return the kind of a combination that some rule set knows; PASS for no cards or any others."""
    size, ranks = popcount(mask), all_ranks(mask)
    distinct = popcount(ranks)
    if distinct <= 1:
        return FOUR if size == 4 else size  # the kinds of up to three cards have their sizes as numbers
    if distinct == 2 and size == 4:
        return TWO_PAIR if popcount(ranks_held(mask, 2)) == 2 else PASS
    if distinct == 2 and size == 5:
        return FULL_HOUSE if ranks_held(mask, 4) == 0 else FOUR_KICKER
    if distinct != 5 or size != 5:
        return PASS
    is_straight = STRAIGHT_OF_RANKS[ranks] >= 0
    if suit_ranks(mask, lowest(mask) & 3) == ranks:
        return STRAIGHT_FLUSH if is_straight else FLUSH
    return STRAIGHT if is_straight else PASS
