"""Rules for the page: combinations, what beats what, straights, and costs; and reasons why a move is not legal."""

from functools import lru_cache

from rlcard_big2.actions import PASS, action_text
from rlcard_big2.cards import format_cards, mask_of, parse_card, parse_cards
from rlcard_big2.engine.actions import ACTION_MASKS, PASS_ID
from rlcard_big2.engine.ruleset import strength, tabulate
from rlcard_big2.engine.state import penalty
from rlcard_big2.notation import KIND_NAMES
from rlcard_big2.rules import RANKS, STRAIGHT_ORDERS, Rules
from rlcard_play.study.played import Refusal, refusal_of_cards
from rlcard_play.study.protocols import Json, State

# Hands of losers whose cost the page shows.
HANDS = '4d 7h Js', '4d 2s', '5d 5c 5h 5s 9h', '4d 4h 6c 7h 8s 9c Td Js Qh', '3d 4d 4h 6c 7h 8s 9c Td Js Qh Kc Kd Ah'


@lru_cache(maxsize=64)
def rule_facts(rules: Rules) -> Json:
    """Return the kinds of rules with their weakest and strongest combinations, the order of straights, and costs."""
    table = tabulate(rules)[0]
    rated = [int(strength(table, mask)) * _fits(mask, rules) for mask in ACTION_MASKS[:PASS_ID].tolist()]
    known = sorted({worth >> 16 for worth in rated} - {0})
    kinds = []
    for kind in known:
        actions = [action for action in range(PASS_ID) if rated[action] >> 16 == kind]
        ends = [action_text(end(actions, key=rated.__getitem__), rules.suits) for end in (min, max)]
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


def refusal(state: State, text: str) -> Refusal:
    """Return why the seat to move may not make a move that is not legal, from what it sees."""
    seen = state['raw_obs']
    if text == PASS:  # legal except on lead
        return Refusal('lead')
    return refusal_of_cards(text, seen['current_hand'], parse_card) or _by_rules(seen, text)


def _by_rules(seen: Json, text: str) -> Refusal:
    """Return why cards of the own hand may not be played."""
    rules, suits, beat = seen['rules'], seen['rules'].suits, seen['hand_to_beat']
    table, cards = tabulate(rules)[0], mask_of({parse_card(word, suits) for word in text.split()})
    rated, on_table = int(strength(table, cards)), int(strength(table, parse_cards(beat, suits))) if beat else 0
    if rated == 0:
        return Refusal('no combination')
    if not seen['trace'] and not any(seen['played_cards']):
        return Refusal(f'opening {rules.opening}', {'cards': seen['current_hand'].split()[0]})
    if rules.final_pass and seen['packed'][0]['passed'] & 1:
        return Refusal('passed')
    is_answer = table['answers'][on_table >> 16] >> (rated >> 16) & 1
    if not is_answer and cards.bit_count() != len(beat.split()):
        return Refusal('count', {'n': len(beat.split()), 'beat': beat})
    if not is_answer or rated <= on_table:
        return Refusal('weaker' if rated <= on_table else 'kind', {'beat': beat})
    return Refusal('last card' if cards.bit_count() == 1 < len(seen['current_hand'].split()) else 'lone two')
