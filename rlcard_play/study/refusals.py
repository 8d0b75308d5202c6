"""Reasons why a move is not legal, as codes that a page puts into words."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rlcard_kit.errors import CardError

MAX_WORD = 20  # characters of an entry in a reason


class Refusal(NamedTuple):
    """Why a move is not legal.

    Args:
        reason: a code, for which the page has a sentence.
        values: of the sentence; 'cards' and 'beat' are cards as text, 'suit' is a letter.
    """

    reason: str
    values: Mapping[str, str | int] = {}


def refusal_of_cards(text: str, hand: str, parse_card: Callable[[str], Any]) -> Refusal | None:
    """Return why cards are not those of a hand, or None if they are."""
    words = text.split() or ['']
    for word in words:
        try:
            parse_card(word)
        except CardError:
            return Refusal('no card', {'text': word[:MAX_WORD]})
    missing = [card for card in (word[0].upper() + word[1].lower() for word in words) if card not in hand.split()]
    return Refusal('not held', {'cards': ' '.join(missing)}) if missing else None
