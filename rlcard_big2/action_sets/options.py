"""The reduced set of actions: some dozens of named options, of which at least one is always legal.

An option means at most one legal move, found by its kind and by the cards that it leaves. Every kind of combination has
an option for its weakest, so in every position an option is legal. Many moves have no option.
"""

from typing import NamedTuple

import numpy as np

from rlcard_big2.engine.actions import (
    FLUSH,
    FOUR,
    FOUR_KICKER,
    FULL_HOUSE,
    NUM_STRAIGHTS,
    PAIR,
    PASS,
    SINGLE,
    STRAIGHT,
    STRAIGHT_FLUSH,
    STRAIGHT_RANKS,
    STRAIGHT_SETS,
    TRIPLE,
    TWO_PAIR,
)
from rlcard_big2.engine.bitboard import LOWEST_SUIT, all_ranks, highest, popcount, suit_ranks
from rlcard_big2.engine.observation import Observations
from rlcard_big2.engine.ruleset import RuleTable, RuleTables, kind_of, strength
from rlcard_kit.arrays import BoolArray, Int64Array
from rlcard_kit.jit import kernel

TWO = 12  # rank
FIVE_CARDS = (STRAIGHT, FLUSH, FULL_HOUSE, FOUR_KICKER, STRAIGHT_FLUSH)
NAMES = {  # of a combination of each kind
    SINGLE: 'single',
    PAIR: 'pair',
    TRIPLE: 'three of a kind',
    TWO_PAIR: 'two pair',
    FOUR: 'four of a kind',
    STRAIGHT: 'straight',
    FLUSH: 'flush',
    FULL_HOUSE: 'full house',
    FOUR_KICKER: 'four of a kind with a kicker',
    STRAIGHT_FLUSH: 'straight flush',
}


class Option(NamedTuple):
    """A legal move, found by its description: of equally strong ones, that with the lowest action id."""

    text: str
    kinds: tuple[int, ...]
    strongest: bool = False
    """The strongest such move, else the weakest."""
    whole: bool = False
    """It takes all cards of each of its ranks: no pair, triple or four of a kind is broken."""
    apart: bool = False
    """Its cards are in no straight or flush that the hand holds."""
    highest_rank: int = TWO
    """Of its cards."""
    above: int = -1
    """The number of an earlier option of the same moves, whose move it is stronger than, by its rank; -1 for none."""


def _options() -> tuple[Option, ...]:
    singles = [
        Option('the lowest single that breaks no pair, straight or flush', (SINGLE,), whole=True, apart=True),
        Option('the next such single', (SINGLE,), whole=True, apart=True, above=0),
        Option('the highest such single', (SINGLE,), strongest=True, whole=True, apart=True),
        Option('the lowest single that breaks no pair', (SINGLE,), whole=True),
        Option('the highest single that breaks no pair', (SINGLE,), strongest=True, whole=True),
        Option('the highest single below a 2', (SINGLE,), strongest=True, highest_rank=TWO - 1),
    ]
    pairs = [
        Option('the lowest pair that breaks no triple, straight or flush', (PAIR,), whole=True, apart=True),
        Option('the lowest pair that breaks no triple', (PAIR,), whole=True),
        Option('the highest pair below the 2s', (PAIR,), strongest=True, highest_rank=TWO - 1),
    ]
    fives = [
        Option('the weakest straight that breaks no pair', (STRAIGHT,), whole=True),
        Option('the weakest flush that breaks no pair', (FLUSH,), whole=True),
        Option('the weakest full house that breaks no triple or four', (FULL_HOUSE,), whole=True),
        Option('the weakest five cards', FIVE_CARDS),
        Option('the strongest five cards', FIVE_CARDS, strongest=True),
    ]
    extremes = [
        Option(f'the {"strongest" if strongest else "weakest"} {name}', (kind,), strongest)
        for kind, name in NAMES.items()
        for strongest in (False, True)
    ]
    return (*singles, *pairs, *fives, *extremes, Option('the pass', (PASS,)))


OPTIONS = _options()
NUM_OPTIONS = len(OPTIONS)


# The options as the kernel reads them, int64 [NUM_OPTIONS, 6]: their kinds as a bit set, and the other fields.
TABLE = np.array([(sum(1 << kind for kind in option.kinds), *option[2:]) for option in OPTIONS], np.int64)


@kernel
def find_options(
    rules: RuleTables, observations: Observations, moves: Int64Array, offsets: Int64Array, out: Int64Array
) -> None:
    """Write which move each option means in each game into `out`, int64 [N, NUM_OPTIONS]: an index, or -1 for none."""
    rated = np.empty(moves.size, np.int64)
    whole, apart = np.empty(moves.size, np.bool_), np.empty(moves.size, np.bool_)
    for i in range(len(observations)):
        hand, start = observations[i].hand, offsets[i]
        fives, legal = cards_in_fives(rules[0], hand), moves[start : offsets[i + 1]]
        for index in range(legal.size):
            move = legal[index]
            rated[index] = strength(rules[0], move) if move != 0 else 0
            whole[index] = takes_whole_ranks(move, hand)
            apart[index] = move & fives == 0
        for number in range(NUM_OPTIONS):
            above = TABLE[number, 5]
            is_bound = above >= 0 and out[i, above] >= 0
            least = rated[out[i, above] - start] | 3 if is_bound else -1  # an order ends in the suit, two bits
            index = _find(TABLE[number], least, legal, rated, whole, apart)
            out[i, number] = start + index if index >= 0 else -1


@kernel
def _find(
    option: Int64Array, least: int, moves: Int64Array, rated: Int64Array, whole: BoolArray, apart: BoolArray
) -> int:
    """Return the index of an option's move, stronger than `least`; -1 if there is none."""
    kinds, strongest, needs_whole, needs_apart, highest_rank, _ = option
    best = -1
    for index in range(moves.size):
        if not kinds >> kind_of(rated[index]) & 1 or rated[index] <= least:
            continue
        if (needs_whole and not whole[index]) or (needs_apart and not apart[index]):
            continue
        if moves[index] != 0 and highest(moves[index]) >> 2 > highest_rank:
            continue
        if best < 0 or (rated[index] > rated[best] if strongest else rated[index] < rated[best]):
            best = index
    return best


@kernel
def takes_whole_ranks(move: int, hand: int) -> bool:
    """Whether a move takes all cards of each of its ranks."""
    ranks = move | move >> 1 | move >> 2 | move >> 3
    return hand & (ranks & LOWEST_SUIT) * 15 & ~move == 0


@kernel
def cards_in_fives(rules: RuleTable, hand: int) -> int:
    """Return the mask of the cards that are in a straight or flush of the hand."""
    held, mask = all_ranks(hand), 0
    for straight in range(NUM_STRAIGHTS):
        if rules.straight_order[straight] >= 0 and STRAIGHT_SETS[straight] & ~held == 0:
            for rank in STRAIGHT_RANKS[straight]:
                mask |= hand & 15 << 4 * rank
    for suit in range(4):
        if rules.answers[PASS] >> FLUSH & 1 and popcount(suit_ranks(hand, suit)) >= 5:
            mask |= hand & LOWEST_SUIT << suit
    return mask
