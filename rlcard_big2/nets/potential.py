"""What cards could do: the fewest moves that play a hand, and whether a move can be beaten."""

from rlcard_big2.engine.actions import (
    FLUSH,
    FOUR,
    FOUR_KICKER,
    FULL_HOUSE,
    NUM_STRAIGHTS,
    PAIR,
    SINGLE,
    STRAIGHT,
    STRAIGHT_FLUSH,
    STRAIGHT_RANKS,
    STRAIGHT_SETS,
    TRIPLE,
    TWO_PAIR,
)
from rlcard_big2.engine.bitboard import all_ranks, highest, popcount, ranks_held, suit_ranks
from rlcard_big2.lockstep.compilation import kernel


@kernel
def fewest_moves(cards: int) -> int:
    """Return the fewest moves that play a hand: a rank's cards together, or five in a straight, flush or full house.

    A straight or full house takes the lowest suits of its ranks, a flush its lowest cards of ranks that are alone, then
    others. Two pairs count as two moves, and four of a kind as one, though not all rules know them as such.
    """
    ranks = all_ranks(cards)
    best = popcount(ranks)
    least = (popcount(cards) + 4) // 5
    if popcount(cards) < 5:
        return best
    for straight in range(NUM_STRAIGHTS):
        if best > least and STRAIGHT_SETS[straight] & ~ranks == 0:
            best = min(best, 1 + fewest_moves(cards & ~_straight_of(cards, straight)))
    for suit in range(4):
        if best > least and popcount(suit_ranks(cards, suit)) >= 5:
            best = min(best, 1 + fewest_moves(cards & ~_flush_of(cards, suit)))
    triples = ranks_held(cards, 3)
    while best > least and triples != 0:
        triple = highest(triples)
        triples ^= 1 << triple
        pairs = ranks_held(cards, 2) & ~(1 << triple)
        while best > least and pairs != 0:
            pair = highest(pairs)
            pairs ^= 1 << pair
            house = _lowest_of_rank(cards, triple, 3) | _lowest_of_rank(cards, pair, 2)
            best = min(best, 1 + fewest_moves(cards & ~house))
    return best


@kernel
def _lowest_of_rank(cards: int, first: int, count: int) -> int:
    """Return the lowest cards of a rank, which has at least so many; `first` is the id of its lowest suit."""
    rest = cards & 15 << first
    out = 0
    for _ in range(count):
        out |= rest & -rest
        rest &= rest - 1
    return out


@kernel
def _straight_of(cards: int, straight: int) -> int:
    out = 0
    for rank in STRAIGHT_RANKS[straight]:
        out |= _lowest_of_rank(cards, 4 * rank, 1)
    return out


@kernel
def _flush_of(cards: int, suit: int) -> int:
    """Return five cards of a suit that has at least five, cards that are alone in their rank first."""
    out = 0
    missing = 5
    repeated = ranks_held(cards, 2)
    for alone in (True, False):
        for rank in range(13):
            card = 1 << (4 * rank + suit)
            if missing > 0 and cards & card != 0 and (repeated >> 4 * rank & 1 == 0) == alone:
                out |= card
                missing -= 1
    return out


@kernel
def can_beat(others: int, kind: int, mask: int) -> bool:
    """Tell whether the opponents' cards together, as many as the move has, could beat it under some rules."""
    top = highest(mask)
    rank = top >> 2
    above = others >> 4 * (rank + 1) << 4 * (rank + 1)  # of higher ranks
    if kind == SINGLE:
        return others >> (top + 1) != 0
    if kind in (PAIR, TWO_PAIR):
        same = others & ~above & 15 << 4 * rank
        if kind == TWO_PAIR and ranks_held(others, 4) != 0:
            return True
        return ranks_held(above, 2) != 0 or (popcount(same) >= 2 and highest(same) > top)
    if kind == TRIPLE:
        return ranks_held(above, 3) != 0
    if kind == FOUR:
        return ranks_held(above, 4) != 0
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
