"""Reasons why a move of Big 2 is not legal; see `rlcard_play.study.refusals`."""

from typing import Any

from rlcard_big2.actions import PASS
from rlcard_big2.cards import mask_of, parse_card, parse_cards
from rlcard_big2.engine.ruleset import strength, tabulate
from rlcard_play.study.refusals import Refusal, refusal_of_cards


def refusal(state: dict[str, Any], text: str) -> Refusal:
    """Return why the seat to move may not make a move that is not legal, from what it sees."""
    seen = state['raw_obs']
    if text == PASS:  # legal except on lead
        return Refusal('lead')
    return refusal_of_cards(text, seen['current_hand'], parse_card) or _by_rules(seen, text)


def _by_rules(seen: dict[str, Any], text: str) -> Refusal:
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
