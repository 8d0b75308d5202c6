"""Entries of a person: cards in any form, and numbers of a list."""

import re

NUMBER = re.compile(r'#[0-9]{1,9}')
RUN_OF_CARDS = re.compile(r'([2-9tjqka][dchs]){2,}')
LETTERS = str.maketrans({'♦': 'd', '♣': 'c', '♥': 'h', '♠': 's', '\ufe0e': None, '\ufe0f': None})
QUIT = ('q', 'quit')
PASS = ('p', 'pass')


def parse_number(entry: str) -> int | None:
    """Return the number of an entry such as '#4', or None."""
    return int(entry[1:]) if NUMBER.fullmatch(entry) else None


def explain_number(entry: str, count: int) -> str:
    """Return why an entry that begins with # is not one of a number of actions."""
    return f'There is no action {entry}: choose from #0 to #{count - 1}.'


def split_cards(entry: str) -> list[str]:
    """Split an entry into cards; '10h' is 'th', suits may be symbols, and spaces between cards are optional."""
    words = entry.translate(LETTERS).replace('10', 't').split()
    parts = [re.findall('..', word) if RUN_OF_CARDS.fullmatch(word) else [word] for word in words]
    return [card for part in parts for card in part]


def tidy(card: str) -> str:
    """Write a card of an entry as records do: 'th' as 'Th'."""
    return card[0].upper() + card[1:]
