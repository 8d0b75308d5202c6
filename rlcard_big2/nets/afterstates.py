"""Derived features of moves and positions.

The cards still out decide what a card is worth: an ace counts for little, an ace that nobody can beat for much. So a
move is described by the hand that it leaves, its afterstate (Sutton and Barto, 2018, section 6.8), compared with the
opponents' cards, and a position by what those cards can make. All features are zeros and ones; the layouts list them
in order. Features that depend on the rules are those of most rules, or those of the game's. Counts beyond those of
four hands of thirteen cards are cut off, so that games of all sizes have the same features.
"""

import numpy as np

from rlcard_big2.cards import NUM_CARDS
from rlcard_big2.engine.actions import NUM_KINDS, NUM_STRAIGHTS, STRAIGHT_SETS, kind_of_cards
from rlcard_big2.engine.bitboard import all_ranks, highest, popcount, ranks_held, suit_ranks
from rlcard_big2.engine.observation import Observation, write_cards
from rlcard_big2.engine.ruleset import RuleTable
from rlcard_big2.engine.state import HAND_SIZE, penalty
from rlcard_big2.nets.hand_features import can_answer, can_beat, fewest_moves
from rlcard_kit.arrays import Int8Array
from rlcard_kit.jit import kernel

MOST_CARDS_ABOVE, MOST_PAIRS_ABOVE, MOST_PAIR_POSITIONS, MOST_DOUBLINGS = 12, 5, 19, 7  # more count as these

MOVE_LAYOUT = {
    'cards of the move': NUM_CARDS,
    'kind of the move, the pass last': NUM_KINDS,
    "opponents' cards above its highest, one-hot from 0": MOST_CARDS_ABOVE + 1,
    'higher ranks of which they may hold pairs, one-hot from 0': MOST_PAIRS_ABOVE + 1,
    'no cards that they may hold beat it': 1,
    'positions of the cards kept among all cards then out, highest first': NUM_CARDS,
    'cards kept, one-hot from 1': HAND_SIZE,
    'ranks kept, one-hot from 1': 13,
    'fewest moves that play the cards kept, one-hot from 1': HAND_SIZE,
    'cards kept that are above all of theirs, one-hot from 0': HAND_SIZE + 1,
    'ranks kept': 13,
    'ranks kept twice': 13,
    'ranks kept three times': 13,
    'positions of the pairs kept among all that may then be out, highest first': MOST_PAIR_POSITIONS + 1,
    'straights kept': NUM_STRAIGHTS,
    'suits of flushes kept': 4,
}
COST_LAYOUT = {'doublings of what each card kept costs, one-hot from 0': MOST_DOUBLINGS + 1}  # by the rules alone
OUTLOOK_LAYOUT = {
    'ranks that the opponents together hold twice': 13,
    'ranks that they hold three times': 13,
    'ranks that they hold four times': 13,
    'straights that they hold': NUM_STRAIGHTS,
    'suits of flushes that they hold': 4,
}
MOVE_SIZE, COST_SIZE, OUTLOOK_SIZE = (sum(layout.values()) for layout in (MOVE_LAYOUT, COST_LAYOUT, OUTLOOK_LAYOUT))

_SIZES = np.array([*MOVE_LAYOUT.values()])
(
    _CARDS, _KIND, _CARDS_ABOVE, _PAIRS_ABOVE, _UNBEATEN, _POSITIONS, _NUM_CARDS, _NUM_RANKS, _FEWEST, _WINNERS, _RANKS,
    _TWICE, _THRICE, _PAIR_POSITIONS, _FIVES, _,
) = (np.cumsum(_SIZES) - _SIZES).tolist()  # fmt: skip

_OUTLOOK_FIVES = OUTLOOK_SIZE - NUM_STRAIGHTS - 4


@kernel
def write_move(rules: RuleTable, observation: Observation, mask: int, out: Int8Array) -> None:
    """Describe a legal move, or the pass (0), given a packed observation.

    Args:
        rules: of the game, or GENERAL.
        observation: of the seat to move.
        mask: the move.
        out: zeros, int8 [MOVE_SIZE], or [MOVE_SIZE + COST_SIZE] if the rules are those of the game.
    """
    others = observation.others
    pairs = ranks_held(others, 2)
    write_cards(mask, out[_CARDS:])
    kind = kind_of_cards(mask)
    out[_KIND + (kind - 1) % NUM_KINDS] = 1
    if mask != 0:
        top = highest(mask)
        out[_CARDS_ABOVE + min(MOST_CARDS_ABOVE, popcount(others >> top))] = 1
        out[_PAIRS_ABOVE + min(MOST_PAIRS_ABOVE, popcount(pairs >> 4 * (top >> 2)))] = 1
        beaten = can_beat(others, kind, mask) if rules.number < 0 else can_answer(rules, others, mask)
        out[_UNBEATEN] = not beaten
    kept = observation.hand & ~mask
    if kept != 0:
        _write_kept(rules, kept, others, pairs, out)
        if rules.number >= 0:
            out[MOVE_SIZE + min(MOST_DOUBLINGS, highest(penalty(rules, kept, 0) // popcount(kept)))] = 1


@kernel
def write_outlook(observation: Observation, out: Int8Array) -> None:
    """Describe the combinations of the opponents' cards in `out`, zeros [OUTLOOK_SIZE], given a packed observation."""
    others = observation.others
    for i in range(3):
        ranks = ranks_held(others, i + 2)
        while ranks != 0:
            out[13 * i + (highest(ranks) >> 2)] = 1
            ranks ^= 1 << highest(ranks)
    _write_fives(others, out[_OUTLOOK_FIVES:])


@kernel
def _write_kept(rules: RuleTable, kept: int, others: int, pairs: int, out: Int8Array) -> None:
    """Describe the hand that a move leaves, at least one card; `pairs`: the ranks that opponents hold twice."""
    out[_NUM_CARDS + min(HAND_SIZE, popcount(kept)) - 1] = 1
    out[_NUM_RANKS + popcount(all_ranks(kept)) - 1] = 1
    out[_FEWEST + min(HAND_SIZE, fewest_moves(rules, kept)) - 1] = 1
    above = popcount(kept >> highest(others)) if others != 0 else popcount(kept)
    out[_WINNERS + min(HAND_SIZE, above)] = 1
    _write_fives(kept, out[_FIVES:])
    cards, own_above = kept, 0
    while cards != 0:
        card = highest(cards)
        cards ^= 1 << card
        out[_POSITIONS + own_above + popcount(others >> card)] = 1
        own_above += 1
    own_above = 0
    for rank in range(12, -1, -1):
        count = popcount(kept >> 4 * rank & 15)
        if count >= 1:
            out[_RANKS + rank] = 1
        if count >= 2:
            out[_TWICE + rank] = 1
            out[_PAIR_POSITIONS + min(MOST_PAIR_POSITIONS, own_above + popcount(pairs >> 4 * rank))] = 1
            own_above += 1
        if count >= 3:
            out[_THRICE + rank] = 1


@kernel
def _write_fives(mask: int, out: Int8Array) -> None:
    """Set in `out`, zeros [15, or more], which straights a mask holds and in which suits it holds flushes."""
    ranks = all_ranks(mask)
    for straight in range(NUM_STRAIGHTS):
        if STRAIGHT_SETS[straight] & ~ranks == 0:
            out[straight] = 1
    for suit in range(4):
        if popcount(suit_ranks(mask, suit)) >= 5:
            out[NUM_STRAIGHTS + suit] = 1
