"""Cards with the symbols of their suits, and lines that break between parts."""

import re
from collections.abc import Sequence
from textwrap import fill

SYMBOLS = str.maketrans({'d': '♦', 'c': '♣', 'h': '♥', 's': '♠', 'T': '10'})
PLAIN_CARD = re.compile(r'\b[2-9TJQKA][dchs]\b')


def pretty(text: str) -> str:
    """Write cards with the symbols of their suits: 'Tc Th' as '10♣ 10♥'; other text stays as it is."""
    return PLAIN_CARD.sub(lambda card: card[0].translate(SYMBOLS), text)


def wrap(label: str, parts: Sequence[str], width: int, separator: str = ', ') -> str:
    """Join parts after a label, breaking lines between them and never inside one."""
    text = separator.join(part.replace(' ', '\xa0') for part in parts)
    indent = ' ' * len(label)
    wrapped = fill(
        text, width, initial_indent=label, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return '\n'.join(line.rstrip() for line in (wrapped or label).replace('\xa0', ' ').split('\n'))
