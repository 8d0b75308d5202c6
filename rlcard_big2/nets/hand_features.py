"""Hand features: minimum number of plays, and whether a move can be beaten."""

import numpy as np

from rlcard_big2.engine.actions import (
    FLUSH,
    FOUR,
    FOUR_KICKER,
    FULL_HOUSE,
    NUM_KINDS,
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
from rlcard_big2.engine.bitboard import LOWEST_SUIT, all_ranks, highest, lowest, popcount, ranks_held, suit_ranks
from rlcard_big2.engine.ruleset import (
    RULE_TABLE,
    RuleTable,
    RuleTables,
    flush_strength,
    kind_of,
    rated,
    straight_strength,
    strength,
)
from rlcard_kit.jit import kernel


def _general() -> RuleTables:
    table = np.zeros(1, RULE_TABLE)
    table['number'] = -1
    table['straight_order'] = np.arange(NUM_STRAIGHTS)
    table['answers'][0, PASS] = sum(1 << kind for kind in range(1, NUM_KINDS) if kind not in (TWO_PAIR, FOUR_KICKER))
    return table


GENERAL = _general()  # knows what most rules know, and answers nothing; no rules have its number


@kernel
def fewest_moves(rules: RuleTable, cards: int) -> int:
    """Return the fewest moves that play a hand: cards of one rank, or five in a combination that the rules know.

    A straight or full house takes the lowest suits of its ranks, a flush its lowest cards of ranks that are alone, then
    others; four of a kind takes the lowest card that is alone. Two pairs count as two moves.
    """
    knows = rules.answers[PASS]
    ranks = all_ranks(cards)
    best = popcount(ranks)
    if knows >> FOUR & 1 == 0:  # cards of one rank that take two moves
        best += popcount(ranks_held(cards, 4))
    if knows >> TRIPLE & 1 == 0:
        best += popcount(ranks_held(cards, 3)) - popcount(ranks_held(cards, 4))
    least = (popcount(cards) + 4) // 5
    if popcount(cards) < 5:
        return best
    for straight in range(NUM_STRAIGHTS):
        if best > least and rules.straight_order[straight] >= 0 and STRAIGHT_SETS[straight] & ~ranks == 0:
            rest = cards
            for rank in STRAIGHT_RANKS[straight]:
                rest ^= _lowest(cards & 15 << 4 * rank, 1)
            best = min(best, 1 + fewest_moves(rules, rest))
    for suit in range(4):
        if best > least and knows >> FLUSH & 1 and popcount(suit_ranks(cards, suit)) >= 5:
            best = min(best, 1 + fewest_moves(rules, cards ^ _flush_of(cards, suit)))
    triples = ranks_held(cards, 3)
    while best > least and triples != 0:
        triple = highest(triples)
        triples ^= 1 << triple
        pairs = ranks_held(cards, 2) & ~(1 << triple)
        while best > least and pairs != 0:
            pair = highest(pairs)
            pairs ^= 1 << pair
            house = _lowest(cards & 15 << triple, 3) | _lowest(cards & 15 << pair, 2)
            best = min(best, 1 + fewest_moves(rules, cards ^ house))
    fours = ranks_held(cards, 4) if knows >> FOUR_KICKER & 1 else 0
    while best > least and fours != 0:
        four = highest(fours)
        fours ^= 1 << four
        best = min(best, 1 + fewest_moves(rules, _without_lowest(cards & ~(15 << four))))
    return best


@kernel
def _without_lowest(cards: int) -> int:
    """Return cards, at least one, without the lowest that is alone in its rank, or else without the lowest."""
    held = (cards | cards >> 1 | cards >> 2 | cards >> 3) & LOWEST_SUIT
    alone = held & ~ranks_held(cards, 2)
    return cards & ~(15 << lowest(alone)) if alone != 0 else cards & (cards - 1)


@kernel
def _lowest(cards: int, count: int) -> int:
    """Return the `count` lowest of cards, or all if they are fewer."""
    rest = cards
    for _ in range(count):
        rest &= rest - 1
    return cards ^ rest


@kernel
def _flush_of(cards: int, suit: int) -> int:
    """Return five cards of a suit that has at least five, cards that are alone in their rank first."""
    suited = cards & LOWEST_SUIT << suit
    alone = _lowest(suited & ~(ranks_held(cards, 2) << suit), 5)
    return alone | _lowest(suited & ~alone, 5 - popcount(alone))


@kernel
def can_beat(others: int, kind: int, mask: int) -> bool:
    """Return whether the opponents' cards together, as many as the move has, could beat it under some rules."""
    top = highest(mask)
    rank = top >> 2
    above = others >> 4 * (rank + 1) << 4 * (rank + 1)  # of higher ranks
    if kind == SINGLE:
        return others >> (top + 1) != 0
    if kind == TWO_PAIR and ranks_held(others, 4) != 0:
        return True
    if kind in (PAIR, TWO_PAIR):
        same = others & 15 << 4 * rank
        return ranks_held(above, 2) != 0 or (popcount(same) >= 2 and highest(same) > top)
    if kind in (TRIPLE, FOUR):
        return ranks_held(above, 3 if kind == TRIPLE else 4) != 0
    return _can_beat_five(others, kind, mask)


@kernel
def _can_beat_five(others: int, kind: int, mask: int) -> bool:
    pairs, triples, fours = ranks_held(others, 2), ranks_held(others, 3), ranks_held(others, 4)
    if popcount(others) < 5:
        return False
    has_house = triples != 0 and pairs & (pairs - 1) != 0
    has_straight = has_flush = has_suited = False
    ranks, top_rank = all_ranks(others), highest(mask) >> 2
    with_two = top_rank == 12  # what such a straight is worth, or whether it is one, depends on the rules
    for suit in range(4):
        has_flush |= popcount(suit_ranks(others, suit)) >= 5
    for straight in range(NUM_STRAIGHTS):
        if STRAIGHT_SETS[straight] & ~ranks == 0:
            has_straight |= with_two or STRAIGHT_RANKS[straight, 4] >= top_rank
            for suit in range(4):
                has_suited |= STRAIGHT_SETS[straight] & ~suit_ranks(others, suit) == 0
    if kind == STRAIGHT:
        return has_straight or has_flush or has_house or fours != 0
    if kind == FLUSH or (kind == STRAIGHT_FLUSH and with_two):
        return has_flush or has_house or fours != 0
    if kind == FULL_HOUSE:
        beyond = highest(ranks_held(mask, 3)) | 3
        return has_suited or fours != 0 or (has_house and triples >> beyond != 0)
    if kind == FOUR_KICKER:
        beyond = highest(ranks_held(mask, 4)) | 3
        return has_suited or fours >> beyond != 0
    return has_suited


@kernel
def can_answer(rules: RuleTable, others: int, mask: int) -> bool:
    """Return whether the opponents' cards together hold an answer to a move under the rules."""
    beat = strength(rules, mask)
    kinds = rules.answers[kind_of(beat)]
    if kind_of(beat) == STRAIGHT_FLUSH and _strongest(rules, others, kinds & 1 << FOUR_KICKER) != 0:
        return True
    return _strongest(rules, others, kinds) > beat


@kernel
def _strongest(rules: RuleTable, cards: int, kinds: int) -> int:
    """Return the strength of the strongest combination of some kinds, a bit set; 0 if there is none."""
    best = 0
    pairs, triples, fours = ranks_held(cards, 2), ranks_held(cards, 3), ranks_held(cards, 4)
    if kinds >> SINGLE & 1 and cards != 0:
        best = rated(SINGLE, highest(cards))
    if kinds >> PAIR & 1 and pairs != 0:
        best = rated(PAIR, highest(cards & 15 << highest(pairs)))
    if kinds >> TRIPLE & 1 and triples != 0:
        best = rated(TRIPLE, highest(triples) >> 2)
    if kinds >> TWO_PAIR & 1 and popcount(pairs) >= 2:
        best = rated(TWO_PAIR, highest(cards & 15 << highest(pairs)))
    if kinds >> FOUR & 1 and fours != 0:
        best = rated(FOUR, highest(fours) >> 2)
    if kinds >> STRAIGHT == 0 or popcount(cards) < 5:
        return best
    best = max(best, _strongest_straight(rules, cards, kinds))
    if kinds >> FLUSH & 1:
        for suit in range(4):
            ranks = suit_ranks(cards, suit)
            if popcount(ranks) >= 5:
                best = max(best, flush_strength(rules, ranks ^ _lowest(ranks, popcount(ranks) - 5), suit))
    if kinds >> FULL_HOUSE & 1 and triples != 0 and popcount(pairs) >= 2:
        best = max(best, rated(FULL_HOUSE, highest(triples) >> 2))
    if kinds >> FOUR_KICKER & 1 and fours != 0:
        best = max(best, rated(FOUR_KICKER, highest(fours) >> 2))
    return best


@kernel
def _strongest_straight(rules: RuleTable, cards: int, kinds: int) -> int:
    """Return the strength of the strongest straight or straight flush, if of the kinds; 0 if there is none."""
    best, ranks = 0, all_ranks(cards)
    for straight in range(NUM_STRAIGHTS):
        order, needed = rules.straight_order[straight], STRAIGHT_SETS[straight]
        if order >= 0 and needed & ~ranks == 0:
            top = 4 * rules.straight_tops[straight]
            if kinds >> STRAIGHT & 1:
                best = max(best, straight_strength(STRAIGHT, order, highest(cards & 15 << top)))
            for suit in range(4):
                if kinds >> STRAIGHT_FLUSH & 1 and needed & ~suit_ranks(cards, suit) == 0:
                    best = max(best, straight_strength(STRAIGHT_FLUSH, rules.suited_order[straight], top + suit))
    return best
