"""Text for the terminal: suit symbols and colours if it supports them, plain text otherwise."""

import os
import re
import shutil
from collections.abc import Sequence
from typing import NamedTuple, TextIO

from rlcard_kit.text import pretty, wrap

NARROWEST, WIDEST = 40, 200  # columns
SUIT_COLOURS = {'♦': 34, '♣': 32, '♥': 31, '♠': 1}  # blue, green, red, and bold
CARD = re.compile(r'(?:10|[2-9JQKA])([♦♣♥♠])')


class Style(NamedTuple):
    """Capabilities of a terminal."""

    width: int = 100
    symbols: bool = False
    colour: bool = False

    @classmethod
    def of(cls, stream: TextIO) -> 'Style':
        """Return the style of a stream: plain unless it is a capable terminal; NO_COLOR turns colours off."""
        width = min(max(shutil.get_terminal_size((100, 24)).columns, NARROWEST), WIDEST)
        symbols = stream.isatty() and os.environ.get('TERM', 'dumb') != 'dumb'
        try:
            ''.join(SUIT_COLOURS).encode(stream.encoding or 'ascii')
        except (UnicodeError, LookupError):
            symbols = False
        return cls(width, symbols, symbols and not os.environ.get('NO_COLOR'))

    def cards(self, text: str) -> str:
        """Write the cards in a text."""
        return pretty(text) if self.symbols else text

    def paint(self, text: str) -> str:
        """Add colour to the cards in a text."""
        if not self.colour:
            return text
        return CARD.sub(lambda card: f'\x1b[{SUIT_COLOURS[card[1]]}m{card[0]}\x1b[0m', text)

    def fit(self, text: str) -> str:
        """Wrap lines at the width of the terminal, and replace control characters."""
        lines = [''.join(letter if letter.isprintable() else '?' for letter in line) for line in text.split('\n')]
        return '\n'.join(line if len(line) <= self.width else self._wrapped(line) for line in lines)

    def _wrapped(self, line: str) -> str:
        words = line.lstrip()
        return self.line(' ' * (len(line) - len(words)), words.split(' '), ' ')

    def line(self, label: str, parts: Sequence[str], separator: str = ', ') -> str:
        """Write a label and parts, wrapped between parts."""
        return wrap(label, parts, self.width, separator)

    def hand(self, label: str, cards: str) -> str:
        """Write a label and cards."""
        return self.line(label, [self.cards(card) for card in cards.split()], ' ')

    def columns(self, rows: Sequence[tuple[str, ...]]) -> list[str]:
        """Write a line for each row of texts, the second ones aligned."""
        width = max(len(row[0]) for row in rows)
        return [self.line(' ', [f'{first:<{width}}', *others], '  ') for first, *others in rows]
