"""Facts of rules for the page: points of trumps, example tricks, and the length of a match."""

from typing import Any

from rlcard_catch5.cards import parse_card
from rlcard_catch5.engine.tricks import strength, suit_of
from rlcard_catch5.rules import Rules
from rlcard_play.catch5.seated import TARGET
from rlcard_play.catch5.views import WORTH

TRUMP = 's'
TRICKS = 'Kh Ah 2s 9h', 'Th Kd 4h 9c', 'Th Kd 4h Qd'


def rule_facts(rules: Rules) -> dict[str, Any]:
    """Return the points of each trump, example tricks with the number of the card that wins, and the target."""
    tricks, trump = [], suit_of(parse_card(f'2{TRUMP}'))
    for text in TRICKS:
        cards = [parse_card(word) for word in text.split()]
        suit = suit_of(cards[-1 if rules.judging == 'last' else 0])
        rated = [int(strength(card, suit, trump)) for card in cards]
        tricks.append([text, rated.index(max(rated))])
    return {'worth': WORTH, 'trump': TRUMP, 'tricks': tricks, 'target': rules.target or TARGET}
