"""Kernels of the published PPO views: 412 inputs and 1695 action indices relative to the sorted hand.

Source: H. Charlesworth, "Application of Self-Play Reinforcement Learning to a Four-Player Game of
Imperfect Information", 2018, and the program published with it. Its network was trained on the quirks
of that program, so they are kept: a straight that is not a straight flush also sets the full-house bits, and
shows the rank of its middle card and no suit; a full house shows the rank of its triple and no suit.

Indices 0-12 are single cards by their position in the sorted hand, then come 33 pairs, 31 triples, 330
combinations of four, 1287 of five and the pass, each block in lexicographic order of positions. Kinds that
the paper does not know are shown as what they resemble: four of a kind with a kicker as four of a kind.
"""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rlcard_big2.engine.actions import (
    FLUSH,
    FOUR,
    FOUR_KICKER,
    FULL_HOUSE,
    PAIR,
    SINGLE,
    STRAIGHT,
    STRAIGHT_FLUSH,
    TRIPLE,
    TWO_PAIR,
)
from rlcard_big2.engine.bitboard import all_ranks, highest, lowest, popcount, suit_ranks
from rlcard_big2.engine.observation import Observation, Observations
from rlcard_big2.engine.ruleset import RuleTables, kind_of, strength
from rlcard_big2.engine.state import HAND_SIZE, NUM_PLAYERS
from rlcard_kit.arrays import Int64Array
from rlcard_kit.jit import kernel

OBSERVATION_SIZE = 412
NUM_INDICES = 1695

SLOT, OPPONENT = 22, 27  # features per card of the hand, and per opponent
FIRST_OPPONENT = HAND_SIZE * SLOT
FIRST_PLAYED = FIRST_OPPONENT + 3 * OPPONENT
FIRST_TABLE = FIRST_PLAYED + 16

STRAIGHTS = np.array([0b11111 << low for low in range(9)])  # 34567 ... JQKA2, as 13-bit ranks


def _index_tables() -> tuple[Int64Array, Int64Array]:
    """Number the sets of positions: (index by 13-bit set [8192], -1 for none; 13-bit set by index [1695])."""
    positions = [c for size in range(1, 6) for c in combinations(range(HAND_SIZE), size) if _is_numbered(c)]
    sets = np.array([sum(1 << position for position in chosen) for chosen in positions] + [0])
    index = np.full(1 << HAND_SIZE, -1)
    index[sets] = np.arange(NUM_INDICES)
    return index, sets


def _is_numbered(positions: tuple[int, ...]) -> bool:
    """Whether cards at these positions of a sorted hand can have the equal ranks that their number requires."""
    gaps_of_equal_ranks = {2: [(0, 1)], 3: [(0, 2)], 4: [(0, 1), (2, 3)]}.get(len(positions), [])
    return all(positions[last] - positions[first] <= 3 for first, last in gaps_of_equal_ranks)


INDEX_OF_POSITIONS, POSITIONS_OF_INDEX = _index_tables()


@kernel
def index_of(mask: int, hand: int) -> int:
    """Return the index of cards that are in the hand (the last index for none), or -1 if they have none."""
    positions = 0
    while mask != 0:
        card = mask & -mask
        positions |= 1 << popcount(hand & (card - 1))
        mask ^= card
    return INDEX_OF_POSITIONS[positions]


@kernel
def index_known(
    rules: RuleTables, observations: Observations, moves: Int64Array, offsets: Int64Array, out: Int64Array
) -> None:
    """Write the index of each legal move into `out`, int64 [M]; -1 for hands that `rules` do not know."""
    for i in range(len(observations)):
        for index in range(offsets[i], offsets[i + 1]):
            mask = moves[index]
            known = mask == 0 or strength(rules[0], mask) > 0
            out[index] = index_of(mask, observations[i].hand) if known else -1


@kernel
def cards_at(index: int, hand: int) -> int:
    """Return the mask of the cards that an index means in a hand, or -1 if the hand is too short."""
    positions = POSITIONS_OF_INDEX[index]
    if positions >> popcount(hand) != 0:
        return -1
    mask = 0
    position = 0
    while hand != 0:
        if positions >> position & 1:
            mask |= hand & -hand
        hand &= hand - 1
        position += 1
    return mask


@kernel
def write_inputs(observations: Observations, out: NDArray[np.int8]) -> None:
    """Write the 412 inputs for each packed observation, [N] of OBSERVATION, into `out`, int8 [N, 412]."""
    out[:] = 0
    for i in range(len(observations)):
        observation, row = observations[i], out[i]
        _write_hand(observation.hand, row)
        for j in range(NUM_PLAYERS - 1):
            _write_opponent(observation, j, row[FIRST_OPPONENT + j * OPPONENT : FIRST_OPPONENT + (j + 1) * OPPONENT])
        held = observation.hand | observation.others
        for j in range(16):
            row[FIRST_PLAYED + j] = ~held >> (36 + j) & 1
        _write_table(observation, row[FIRST_TABLE:])


@kernel
def _write_hand(hand: int, out: NDArray[np.int8]) -> None:
    straight_ranks = 0
    for ranks in STRAIGHTS:
        if ranks & ~all_ranks(hand) == 0:
            straight_ranks |= ranks
    slot = 0
    rest = hand
    while rest != 0:
        card = lowest(rest)
        rest &= rest - 1
        rank, suit = card >> 2, card & 3
        count = popcount(hand >> 4 * rank & 15)
        features = out[slot * SLOT : (slot + 1) * SLOT]
        features[rank] = 1
        features[13 + suit] = 1
        features[17] = count >= 2
        features[18] = count >= 3
        features[19] = count == 4
        features[20] = straight_ranks >> rank & 1
        features[21] = popcount(suit_ranks(hand, suit)) >= 5
        slot += 1


@kernel
def _write_opponent(observation: Observation, i: int, out: NDArray[np.int8]) -> None:
    left = observation.left[i]
    if left > 0:
        out[left - 1] = 1
    for card in range(8):
        out[13 + card] = observation.played[i] >> (44 + card) & 1
    kinds = observation.kinds[i + 1]
    straight = kinds >> STRAIGHT & 1
    straight_flush = kinds >> STRAIGHT_FLUSH & 1
    out[21] = kinds >> PAIR & 1
    out[22] = kinds >> TRIPLE & 1
    out[23] = (kinds >> TWO_PAIR | kinds >> FOUR | kinds >> FOUR_KICKER) & 1
    out[24] = straight | straight_flush
    out[25] = kinds >> FLUSH & 1 | straight_flush
    out[26] = kinds >> FULL_HOUSE & 1 | straight


@kernel
def _write_table(observation: Observation, out: NDArray[np.int8]) -> None:
    table = observation.table
    if table == 0:
        out[17] = 1
        return
    kind = kind_of(observation.beat)
    if kind in (STRAIGHT, FULL_HOUSE):
        without_two = table & (table - 1)
        without_two &= without_two - 1
        out[lowest(without_two) >> 2] = 1  # the middle card's rank, in a full house that of the triple
    else:
        top = highest(table)
        out[top >> 2] = 1
        out[13 + (top & 3)] = 1
    out[18] = kind == SINGLE
    out[19] = kind == PAIR
    out[20] = kind == TRIPLE
    out[21] = kind == TWO_PAIR
    out[22] = kind in (FOUR, FOUR_KICKER)
    out[23] = kind in (STRAIGHT, STRAIGHT_FLUSH)
    out[24] = kind in (FLUSH, STRAIGHT_FLUSH)
    out[25] = kind in (FULL_HOUSE, STRAIGHT)
    out[26 + observation.passes] = 1
