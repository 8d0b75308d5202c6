"""Parse moves typed by a person, and explain entries that are not legal."""

import re
from typing import Any

from rlcard_big2.cards import RANKS, SUITS, parse_card
from rlcard_kit.errors import CardError

NUMBER = re.compile(r'#[0-9]{1,9}')
RUN_OF_CARDS = re.compile(rf'([{RANKS.lower()}][{SUITS}]){{2,}}')
LETTERS = str.maketrans({'♦': 'd', '♣': 'c', '♥': 'h', '♠': 's', '\ufe0e': None, '\ufe0f': None})
QUIT = ('q', 'quit')
PASS = ('p', 'pass')


def find_action(entry: str, legal: list[str]) -> int | None:
    """Return the index of the legal action for a lower-case entry, or None."""
    if NUMBER.fullmatch(entry):
        return int(entry[1:]) if int(entry[1:]) < len(legal) else None
    words = ['pass'] if entry in PASS else sorted(_cards_of(entry))
    return next((i for i, text in enumerate(legal) if sorted(text.lower().split()) == words), None)


def explain(entry: str, seen: dict[str, Any], legal: list[str]) -> str:
    """Return why an entry is not a legal action; `seen` is the state's 'raw_obs'."""
    if entry.startswith('#'):
        return f'There is no action {entry}: choose from #0 to #{len(legal) - 1}.'
    if entry in PASS:
        return 'You cannot pass: you lead.'
    words = _cards_of(entry)
    if not words:
        return 'Nothing entered.'
    for word in words:
        try:
            parse_card(word)
        except CardError:
            return f'{word!r} is not a card: enter rank and suit, such as 3d, or an action as #0.'
    missing = [word for word in words if word not in seen['current_hand'].lower().split()]
    if missing:
        return f'You do not hold {" ".join(map(_tidy, missing))}.'
    beat = seen['hand_to_beat']
    return f'{" ".join(map(_tidy, words))} cannot be played {"on " + beat if beat else "here"}.'


def _cards_of(entry: str) -> list[str]:
    """Split an entry into cards; '10h' is 'th', suits may be symbols, and spaces between cards are optional."""
    words = entry.translate(LETTERS).replace('10', 't').split()
    parts = [re.findall('..', word) if RUN_OF_CARDS.fullmatch(word) else [word] for word in words]
    return [card for part in parts for card in part]


def _tidy(card: str) -> str:
    return card[0].upper() + card[1:]
