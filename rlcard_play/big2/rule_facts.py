"""Facts of rules for the page: kinds of combinations, what beats what, straights, and what hands cost."""

from functools import lru_cache
from typing import Any

from rlcard_big2.actions import action_text
from rlcard_big2.cards import format_cards, parse_cards
from rlcard_big2.engine.actions import ACTION_MASKS, PASS_ID
from rlcard_big2.engine.ruleset import strength, tabulate
from rlcard_big2.engine.state import penalty
from rlcard_big2.notation import KIND_NAMES
from rlcard_big2.rules import RANKS, STRAIGHT_ORDERS, Rules

# Hands of losers whose cost the page shows.
HANDS = '4d 7h Js', '4d 2s', '5d 5c 5h 5s 9h', '4d 4h 6c 7h 8s 9c Td Js Qh', '3d 4d 4h 6c 7h 8s 9c Td Js Qh Kc Kd Ah'


@lru_cache(maxsize=64)
def rule_facts(rules: Rules) -> dict[str, Any]:
    """Return the kinds of rules with their weakest and strongest combinations, the order of straights, and costs."""
    table = tabulate(rules)[0]
    rated = [int(strength(table, mask)) * _fits(mask, rules) for mask in ACTION_MASKS[:PASS_ID].tolist()]
    known = sorted({one >> 16 for one in rated} - {0})
    kinds = []
    for kind in known:
        own = [action for action in range(PASS_ID) if rated[action] >> 16 == kind]
        ends = [action_text(end(own, key=rated.__getitem__), rules.suits) for end in (min, max)]
        beaten = [KIND_NAMES[other] for other in known if table['answers'][other] >> kind & 1]
        kinds.append({'kind': KIND_NAMES[kind], 'ends': ends, 'beats': beaten})
    starts = map(RANKS.index, STRAIGHT_ORDERS[rules.straights])
    runs = [
        run
        for run in (RANKS[start : start + 5] for start in starts)
        if _fits(parse_cards(' '.join(rank + 'd' for rank in run)), rules)
    ]
    hands = [hand for hand in (parse_cards(hand, rules.suits) for hand in HANDS) if _fits(hand, rules)]
    costs = [[format_cards(hand, rules.suits), int(penalty(table, hand, 0))] for hand in hands]
    return {'kinds': kinds, 'straights': runs, 'costs': costs}


def _fits(mask: int, rules: Rules) -> bool:
    """Return whether a hand can hold these cards."""
    return mask & ~rules.pack == 0 and mask.bit_count() <= rules.most_cards
