"""A `Rules` as the numbers and tables that kernels read, and the strength of a combination under them."""

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import combinations
from typing import Annotated, Any, Literal, Protocol, get_args, get_origin

import numpy as np
from numpy.typing import NDArray

from rlcard_big2.cards import RANKS, SUITS
from rlcard_big2.engine.actions import (
    FLUSH,
    FOUR,
    FOUR_KICKER,
    FULL_HOUSE,
    KIND_SIZES,
    NUM_KINDS,
    NUM_STRAIGHTS,
    PAIR,
    PASS,
    SINGLE,
    STRAIGHT,
    STRAIGHT_FLUSH,
    STRAIGHT_OF_RANKS,
    STRAIGHT_RANKS,
    STRAIGHT_STARTS,
    TRIPLE,
    TWO_PAIR,
    kind_of_cards,
)
from rlcard_big2.engine.bitboard import all_ranks, highest, ranks_held
from rlcard_big2.rules import LARGEST_HAND, MEANINGS, MOST_CARDS, NUM_RANKS, STRAIGHT_ORDERS, Rules
from rlcard_kit.arrays import Int64Array, record_dtype
from rlcard_kit.errors import RulesError
from rlcard_kit.jit import kernel
from rlcard_kit.rules import types_of

# Keywords as kernels read them: indices in MEANINGS.
NEWEST = 'leads', 'places'  # fields that networks are not told
KEYWORDS = 'flush_order', 'opening', 'last_card', 'instant_wins', 'settlement'
BY_RANK, BY_SUIT, BY_CARD = range(3)
ALONE, HOLDING, ANY = range(3)
FREE, HIGHEST, PAYS = range(3)
DRAGON, TWOS = 1, 2  # both are 3, their bit set
WINNER, PAIRS = range(2)
SWITCHES = 'final_pass', 'no_lone_two', 'added_factors', 'face_values', 'places'
NEVER = 99  # a count of cards that no hand reaches


class RuleTable(Protocol):
    """Rules as kernels read them, a record of RULE_TABLE."""

    number: Annotated[int, np.int64]
    """The rules as one number, see `number_of_rules`."""
    straight_order: Annotated[Int64Array, np.int64, NUM_STRAIGHTS]
    """Index of each straight in their order, weakest 0; -1: not a straight."""
    suited_order: Annotated[Int64Array, np.int64, NUM_STRAIGHTS]
    """The same for straight flushes."""
    straight_tops: Annotated[Int64Array, np.int64, NUM_STRAIGHTS]
    """Rank of each straight whose suit decides between equal ones."""
    answers: Annotated[Int64Array, np.int64, NUM_KINDS]
    """By kind on the table: bit set of the kinds that may answer it."""
    thresholds: Annotated[Int64Array, np.int64, 3]
    """Cards left from which a loser pays x2, x3, x4."""
    flush_order: Annotated[int, np.int64]
    opening: Annotated[int, np.int64]
    final_pass: Annotated[int, np.int64]
    last_card: Annotated[int, np.int64]
    no_lone_two: Annotated[int, np.int64]
    instant_wins: Annotated[int, np.int64]
    unplayed_twos: Annotated[int, np.int64]
    """Most doublings by 2s left."""
    unplayed_bombs: Annotated[int, np.int64]
    """Most doublings by four of a kind and a straight flush left."""
    final_play: Annotated[int, np.int64]
    """Most doublings by the last play: 1 for any reason, or 2 for two reasons apart."""
    added_factors: Annotated[int, np.int64]
    face_values: Annotated[int, np.int64]
    settlement: Annotated[int, np.int64]
    places: Annotated[int, np.int64]
    leader: Annotated[int, np.int64]
    """The seat that leads any combination first; -1 if the lowest card decides."""
    players: Annotated[int, np.int64]
    hand_size: Annotated[int, np.int64]
    to_opener: Annotated[int, np.int64]
    """Whether the cards left over go to the opener."""
    pack: Annotated[int, np.int64]
    """Mask of all cards, those out of play included."""


RULE_TABLE = record_dtype(RuleTable)
RuleTables = NDArray[np.void]  # [1] of RULE_TABLE


@cache
def values_by_field() -> dict[str, Sequence[Any]]:
    """Return all values of each field: first those of NEWEST and of the size, with their defaults first.

    So new fields change no number of rules that do not use them.
    """
    kinds = types_of(Rules)
    values: dict[str, Sequence[Any]] = {
        name: get_args(kinds[name]) if get_origin(kinds[name]) is Literal else (False, True)
        for name in dict.fromkeys((*NEWEST, *kinds))
    }
    values['players'] = (4, 3, 2)
    values['hand_size'] = sorted(range(1, LARGEST_HAND + 1), key=Rules.hand_size.__ne__)
    values['ranks'] = range(NUM_RANKS, 0, -1)
    counts = range(1, MOST_CARDS + 1)
    values['penalty_thresholds'] = [some for number in range(4) for some in combinations(counts, number)]
    return values


def number_of_rules(rules: Rules) -> int:
    """Return rules as one number below 2 ** 63, for packed observations; `rules_of` is the inverse."""
    number = 0
    for name, values in values_by_field().items():
        number = number * len(values) + values.index(getattr(rules, name))
    return number


@lru_cache
def rules_of(number: int) -> Rules:
    """Return the rules of a number; RulesError if there are none."""
    changes = {}
    for name, values in reversed(values_by_field().items()):
        number, index = divmod(number, len(values))
        changes[name] = values[index]
    if number != 0:
        raise RulesError('this is not the number of any rules')
    return Rules(**changes)


@lru_cache(maxsize=64)
def tabulate(rules: Rules) -> RuleTables:
    """Tabulate rules for the kernels, which write nothing in it: [1] of RULE_TABLE."""
    table = np.zeros(1, RULE_TABLE)
    order = STRAIGHT_ORDERS[rules.straights]
    table['number'] = number_of_rules(rules)
    table['straight_order'][0] = table['suited_order'][0] = [order.find(start) for start in STRAIGHT_STARTS]
    if rules.royal_flush:
        table['suited_order'][0, STRAIGHT_STARTS.index('T')] = NUM_STRAIGHTS
    lasts = [(RANKS.index(start) + 4) % len(RANKS) for start in STRAIGHT_STARTS]
    table['straight_tops'][0] = lasts if rules.low_twos else STRAIGHT_RANKS[:, -1]
    table['answers'][0] = [_answers(rules, kind) for kind in range(NUM_KINDS)]
    table['thresholds'][0] = (*rules.penalty_thresholds, NEVER, NEVER, NEVER)[:3]
    for keyword in KEYWORDS:
        table[keyword][0] = list(MEANINGS[keyword]).index(getattr(rules, keyword))
    table['unplayed_twos'][0] = rules.unplayed_twos * (1 if rules.twos_once else len(SUITS))
    for bonus in ('unplayed_bombs', 'final_play'):
        table[bonus][0] = getattr(rules, bonus) * (2 if rules.separate_bonuses else 1)
    for switch in SWITCHES:
        table[switch][0] = getattr(rules, switch)
    table['players'], table['hand_size'], table['pack'] = rules.players, rules.hand_size, rules.pack
    table['to_opener'] = rules.leftover == 'opener'
    table['leader'] = -1
    if rules.leader is not None:
        table['leader'], table['opening'] = rules.leader, ANY
    return table


def _answers(rules: Rules, kind: int) -> int:
    """Return the bit set of kinds that may be played on one of `kind`; every kind of the rules on none."""
    known = {
        SINGLE: True,
        PAIR: True,
        TRIPLE: rules.triples,
        TWO_PAIR: rules.four_card_hands,
        FOUR: rules.four_card_hands,
        STRAIGHT: True,
        FLUSH: rules.flushes,
        FULL_HOUSE: True,
        FOUR_KICKER: rules.four_kickers,
        STRAIGHT_FLUSH: True,
    }
    bombs = {FOUR_KICKER, STRAIGHT_FLUSH} if rules.bombs else set()
    swapped = {FOUR_KICKER: STRAIGHT_FLUSH, STRAIGHT_FLUSH: FOUR_KICKER} if rules.four_highest else {}

    def answers(other: int) -> bool:
        as_strong = swapped.get(other, other) >= swapped.get(kind, kind)
        same_size = KIND_SIZES[other] == KIND_SIZES[kind] and as_strong
        stronger = same_size and (rules.mixed_kinds or other == kind or KIND_SIZES[kind] != 5)
        return kind == PASS or stronger or (other in bombs and (as_strong or KIND_SIZES[kind] != 5))

    return sum(1 << other for other in known if known[other] and answers(other))


# Of two hands of which one may answer the other, that of the larger strength wins. Four of a kind answers all straight
# flushes or none.


@kernel
def rated(kind: int, order: int) -> int:
    """Return the strength of a combination of a kind, given its order in the kind, below 2 ** 16."""
    return kind << 16 | order


@kernel
def kind_of(strength: int) -> int:
    """Return the kind of a combination of some strength; PASS for 0."""
    return strength >> 16


@kernel
def straight_strength(kind: int, order: int, top: int) -> int:
    """Rate a straight or straight flush by its index in the order of straights and the card whose suit decides."""
    return rated(kind, order << 6 | top)


@kernel
def flush_strength(rules: RuleTable, ranks: int, suit: int) -> int:
    """Rate a flush, given its 13-bit ranks."""
    if rules.flush_order == BY_RANK:
        return rated(FLUSH, ranks << 2 | suit)
    rank = highest(ranks)
    if rules.flush_order == BY_SUIT:
        return rated(FLUSH, suit << 4 | rank)
    return rated(FLUSH, rank << 2 | suit)


@kernel
def strength(rules: RuleTable, mask: int) -> int:
    """Rate a set of cards that is not empty; 0 if the rules do not know the combination."""
    kind, ranks, top = kind_of_cards(mask), all_ranks(mask), highest(mask)
    value = rated(kind, top)
    if kind in (STRAIGHT, STRAIGHT_FLUSH) and rules.straight_order[STRAIGHT_OF_RANKS[ranks]] >= 0:
        straight = STRAIGHT_OF_RANKS[ranks]
        order = rules.suited_order[straight] if kind == STRAIGHT_FLUSH else rules.straight_order[straight]
        value = straight_strength(kind, order, highest(mask & 15 << 4 * rules.straight_tops[straight]))
    elif kind in (FLUSH, STRAIGHT_FLUSH):
        value = flush_strength(rules, ranks, top & 3)
    elif kind == STRAIGHT:
        return 0
    elif kind in (TRIPLE, FOUR, FULL_HOUSE, FOUR_KICKER):
        value = rated(kind, highest(ranks_held(mask, 3)) >> 2)
    return value if rules.answers[PASS] >> kind_of(value) & 1 else 0
