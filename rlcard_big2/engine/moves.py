"""Legal moves of a hand, in ascending order of action id."""

from rlcard_big2.engine.actions import (
    ACTION_MASKS,
    FIRST_IDS,
    FLUSH,
    FOUR,
    FOUR_KICKER,
    FULL_HOUSE,
    NUM_STRAIGHTS,
    PAIR,
    PASS_ID,
    SINGLE,
    STRAIGHT,
    STRAIGHT_FLUSH,
    STRAIGHT_OF_RANKS,
    STRAIGHT_RANKS,
    STRAIGHT_SETS,
    TRIPLE,
    TWO_PAIR,
)
from rlcard_big2.engine.bitboard import (
    FOUR_COUNTS,
    FOURS,
    LOWEST_SUIT,
    PAIR_COUNTS,
    PAIRS,
    TRIPLE_COUNTS,
    TRIPLES,
    all_ranks,
    highest,
    lowest,
    popcount,
    ranks_held,
    suit_ranks,
)
from rlcard_big2.engine.ruleset import RuleTable, flush_strength, kind_of, rated, straight_strength
from rlcard_kit.arrays import Int64Array
from rlcard_kit.jit import kernel

MAX_LEGAL = 1695  # thirteen cards hold at most 13 + 33 + 31 + 330 + 1287 combinations; then there is the pass
MOST_LEGAL = 6680  # of 26 cards: 2560 straights, 2574 flushes and 1545 others at most; then there is the pass
FOUR_OF_RANK = 0b1111
SUITED_STRAIGHTS = ACTION_MASKS[FIRST_IDS[STRAIGHT_FLUSH] : PASS_ID].reshape(NUM_STRAIGHTS, 4)  # masks, by suit


@kernel
def answers(rules: RuleTable, hand: int, beat: int, out: Int64Array) -> int:
    """List the answers of a hand to a combination of strength `beat` (0: any may be led), apart from passes.

    Args:
        rules: the record of `ruleset`.
        hand: mask of the hand.
        beat: strength of the combination on the table, or 0 with control.
        out: int64 [MOST_LEGAL], or [MAX_LEGAL] for thirteen cards; receives masks in ascending order of action id.

    Returns the number of masks written.
    """
    kinds = rules.answers[kind_of(beat)]
    n = 0
    if kinds >> SINGLE & 1:
        n = _singles(hand, beat, out, n)
    if kinds >> PAIR & 1:
        n = _same_rank(hand, beat, PAIR, PAIR_COUNTS, PAIRS, out, n)
    if kinds >> TRIPLE & 1:
        n = _same_rank(hand, beat, TRIPLE, TRIPLE_COUNTS, TRIPLES, out, n)
    if kinds >> TWO_PAIR & 1:
        n = _two_pairs(hand, beat, out, n)
    if kinds >> FOUR & 1:
        n = _same_rank(hand, beat, FOUR, FOUR_COUNTS, FOURS, out, n)
    if kinds >> STRAIGHT == 0 or popcount(hand) < 5:
        return n
    if kinds >> STRAIGHT & 1:
        n = _straights(rules, hand, beat, out, n)
    if kinds >> FLUSH & 1:
        n = _flushes(rules, hand, beat, out, n)
    if kinds >> FULL_HOUSE & 1:
        n = _full_houses(hand, beat, out, n)
    if kinds >> FOUR_KICKER & 1:
        n = _four_kickers(hand, beat if kind_of(beat) == FOUR_KICKER else 0, out, n)
    if kinds >> FLUSH != 0:
        n = _suited_straights(rules, hand, beat, kinds, out, n)
    return n


@kernel
def _singles(hand: int, beat: int, out: Int64Array, n: int) -> int:
    while hand != 0:
        card = hand & -hand
        hand ^= card
        if rated(SINGLE, lowest(card)) > beat:
            out[n] = card
            n += 1
    return n


@kernel
def _same_rank(
    hand: int, beat: int, kind: int, counts: Int64Array, subsets: Int64Array, out: Int64Array, n: int
) -> int:
    """List pairs, triples or fours: a pair is worth its highest card, the others their rank."""
    for rank in range(13):
        nibble = hand >> 4 * rank & 15
        for i in range(counts[nibble]):
            cards = subsets[nibble, i] << 4 * rank
            order = highest(cards) if kind == PAIR else rank
            if rated(kind, order) > beat:
                out[n] = cards
                n += 1
    return n


@kernel
def _two_pairs(hand: int, beat: int, out: Int64Array, n: int) -> int:
    for high in range(1, 13):
        upper = hand >> 4 * high & 15
        if PAIR_COUNTS[upper] == 0:
            continue
        for low in range(high):
            lower = hand >> 4 * low & 15
            for i in range(PAIR_COUNTS[upper]):
                pair = PAIRS[upper, i] << 4 * high
                if rated(TWO_PAIR, highest(pair)) > beat:
                    for j in range(PAIR_COUNTS[lower]):
                        out[n] = pair | PAIRS[lower, j] << 4 * low
                        n += 1
    return n


@kernel
def _straights(rules: RuleTable, hand: int, beat: int, out: Int64Array, n: int) -> int:
    held = all_ranks(hand)
    for straight in range(NUM_STRAIGHTS):
        order = rules.straight_order[straight]
        if STRAIGHT_SETS[straight] & ~held == 0 and order >= 0:
            tops = 15 << 4 * rules.straight_tops[straight]
            high = hand & tops  # the cards by which it may be strong enough
            while high != 0 and straight_strength(STRAIGHT, order, lowest(high)) <= beat:
                high &= high - 1
            if high != 0:
                n = _suits_of_straight(hand & ~tops | high, straight, out, n)
    return n


@kernel
def _suits_of_straight(hand: int, straight: int, out: Int64Array, n: int) -> int:
    """List every choice of suits for a straight, but for five equal ones."""
    r0, r1, r2, r3, r4 = STRAIGHT_RANKS[straight]
    c4 = hand & 15 << 4 * r4
    while c4 != 0:
        b4 = c4 & -c4
        c4 ^= b4
        suited = LOWEST_SUIT << (lowest(b4) & 3)
        c3 = hand & 15 << 4 * r3
        while c3 != 0:
            b3 = b4 | c3 & -c3
            c3 &= c3 - 1
            c2 = hand & 15 << 4 * r2
            while c2 != 0:
                b2 = b3 | c2 & -c2
                c2 &= c2 - 1
                c1 = hand & 15 << 4 * r1
                while c1 != 0:
                    b1 = b2 | c1 & -c1
                    c1 &= c1 - 1
                    c0 = hand & 15 << 4 * r0
                    while c0 != 0:
                        mask = b1 | c0 & -c0
                        c0 &= c0 - 1
                        if mask & ~suited != 0:
                            out[n] = mask
                            n += 1
    return n


@kernel
def _flushes(rules: RuleTable, hand: int, beat: int, out: Int64Array, n: int) -> int:
    """List flushes whose ranks no rule set takes for a straight."""
    for suit in range(4):
        held = suit_ranks(hand, suit)
        if popcount(held) >= 5:
            n = _flushes_of_suit(rules, held, suit, beat, out, n)
    return n


@kernel
def _flushes_of_suit(rules: RuleTable, held: int, suit: int, beat: int, out: Int64Array, n: int) -> int:
    """List five of the ranks held, ascending as 13-bit numbers: the highest rank varies slowest."""
    h4 = held
    while h4 != 0:
        b4 = h4 & -h4
        h4 ^= b4
        h3 = held & (b4 - 1)
        while h3 != 0:
            b3 = h3 & -h3
            h3 ^= b3
            h2 = held & (b3 - 1)
            while h2 != 0:
                b2 = h2 & -h2
                h2 ^= b2
                h1 = held & (b2 - 1)
                while h1 != 0:
                    b1 = h1 & -h1
                    h1 ^= b1
                    h0 = held & (b1 - 1)
                    while h0 != 0:
                        ranks = b4 | b3 | b2 | b1 | h0 & -h0
                        h0 &= h0 - 1
                        if STRAIGHT_OF_RANKS[ranks] < 0 and flush_strength(rules, ranks, suit) > beat:
                            out[n] = _cards_of_suit(ranks, suit)
                            n += 1
    return n


@kernel
def _cards_of_suit(ranks: int, suit: int) -> int:
    """Return the mask of 13-bit ranks in one suit, the inverse of `suit_ranks`."""
    mask = 0
    while ranks != 0:
        mask |= 1 << (4 * lowest(ranks) + suit)
        ranks &= ranks - 1
    return mask


@kernel
def _full_houses(hand: int, beat: int, out: Int64Array, n: int) -> int:
    for rank in range(13):
        nibble = hand >> 4 * rank & 15
        if rated(FULL_HOUSE, rank) <= beat:
            continue
        for i in range(TRIPLE_COUNTS[nibble]):
            triple = TRIPLES[nibble, i] << 4 * rank
            for other in range(13):
                pairs = hand >> 4 * other & 15
                if other != rank:
                    for j in range(PAIR_COUNTS[pairs]):
                        out[n] = triple | PAIRS[pairs, j] << 4 * other
                        n += 1
    return n


@kernel
def _four_kickers(hand: int, beat: int, out: Int64Array, n: int) -> int:
    for rank in range(13):
        four = FOUR_OF_RANK << 4 * rank
        if hand & four == four and rated(FOUR_KICKER, rank) > beat:
            kickers = hand & ~four
            while kickers != 0:
                out[n] = four | kickers & -kickers
                n += 1
                kickers &= kickers - 1
    return n


@kernel
def _suited_straights(rules: RuleTable, hand: int, beat: int, kinds: int, out: Int64Array, n: int) -> int:
    """List five equal suits in sequence: a straight flush, or a flush if the rules do not know that straight."""
    for straight in range(NUM_STRAIGHTS):
        for suit in range(4):
            cards = SUITED_STRAIGHTS[straight, suit]
            if cards & ~hand == 0:
                order = rules.suited_order[straight]
                value = flush_strength(rules, STRAIGHT_SETS[straight], suit)
                if order >= 0:
                    value = straight_strength(STRAIGHT_FLUSH, order, 4 * rules.straight_tops[straight] + suit)
                if kinds >> kind_of(value) & 1 and value > beat:
                    out[n] = cards
                    n += 1
    return n


@kernel
def count_bombs(rules: RuleTable, hand: int) -> int:
    """Return 1 if a hand holds four of a kind, and 1 more if it holds a straight flush."""
    fours = ranks_held(hand, 4) != 0
    for suit in range(4):
        held = suit_ranks(hand, suit)
        for straight in range(NUM_STRAIGHTS):
            if rules.straight_order[straight] >= 0 and STRAIGHT_SETS[straight] & ~held == 0:
                return fours + 1
    return int(fours)
