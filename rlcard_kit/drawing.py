"""Positions as text and pictures; cards and lines of text as SVG, without fonts, scripts or files from elsewhere."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from html import escape
from typing import Any, ClassVar

from rlcard_kit.plugins import find

# Outlines of the suits in a square of 20 by 20.
SUIT_PATHS = {
    'd': 'M10 0L18 10L10 20L2 10Z',
    'c': 'M10 0A4.6 4.6 0 0 1 13.6 7.5A4.6 4.6 0 1 1 11 14L12.6 20H7.4L9 14A4.6 4.6 0 1 1 6.4 7.5A4.6 4.6 0 0 1 10 0Z',
    'h': 'M10 19L1.8 9.6A4.9 4.9 0 0 1 10 4.4A4.9 4.9 0 0 1 18.2 9.6Z',
    's': 'M10 0C11 4 18 8 18 12.4A4 4 0 0 1 11.2 14.6L12.8 20H7.2L8.8 14.6A4 4 0 0 1 2 12.4C2 8 9 4 10 0Z',
}
SUIT_COLOURS = {'d': '#1b5fc1', 'c': '#14713a', 'h': '#c0172b', 's': '#1d2026'}
SUIT_WORDS = {'d': 'diamonds', 'c': 'clubs', 'h': 'hearts', 's': 'spades'}

WIDTH = 640
ROW = 54  # height of a seat's row
CARD_WIDTH, CARD_HEIGHT, CARD_STEP = 30, 42, 35
CARDS_LEFT = 150  # where hands begin
FELT, INK, PALE = '#f3f1ea', '#1d2026', '#5a5e66'
NOT_XML = re.compile('[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]')


class Shown(ABC):
    """Something with a position to show: as text if it is printed, and as a picture in notebooks."""

    position_text: ClassVar[Callable[..., str]]
    """Returns a scene as text."""
    picture: ClassVar[str]
    """MODULE:NAME of the function that draws a scene, imported on use: playing needs no drawing."""

    @abstractmethod
    def scene(self) -> Any:
        """Return the position to show."""

    def __str__(self) -> str:
        return self.position_text(self.scene())

    def _repr_svg_(self) -> str:
        return str(find(self.picture)(self.scene()))


def picture(height: int, title: str, parts: Iterable[str], width: int = WIDTH) -> str:
    """Return an SVG of a size, with a title for screen readers."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" font-family="sans-serif" font-size="14"><title>{_escaped(title)}</title>'
        f'<rect width="{width}" height="{height}" rx="8" fill="{FELT}"/>{"".join(parts)}</svg>'
    )


def draw_seat(top: int, name: str, note: str, hand: str | None, left: int, moves: bool) -> Iterator[str]:
    """Draw the row of a seat: its name, a note below, and its hand, or as many backs if it is None."""
    if moves:
        yield f'<rect x="6" y="{top - 5}" width="{WIDTH - 12}" height="{ROW - 2}" rx="6" fill="#fff3c4"/>'
    yield draw_text(16, top + 19, shortened(name, 16), weight='bold' if moves else 'normal')
    yield draw_text(16, top + 37, note, colour=PALE)
    if hand is None:
        yield from (_back(CARDS_LEFT + i * _step(left), top) for i in range(left))
    else:
        yield from draw_cards(hand, CARDS_LEFT, top)


def draw_cards(cards: str, left: int, top: int) -> Iterator[str]:
    """Draw cards side by side, from a text such as '3d 3c' or '3D 3C'."""
    for i, card in enumerate(cards.split()):
        yield _card(card, left + i * _step(len(cards.split())), top)


def _step(count: int) -> int:
    """Return the distance between cards side by side; more than thirteen overlap."""
    return min(CARD_STEP, (WIDTH - CARDS_LEFT - CARD_WIDTH - 10) // max(1, count - 1))


def _card(card: str, x: int, y: int) -> str:
    rank, suit = card[0].replace('T', '10'), card[1].lower()
    colour = SUIT_COLOURS[suit]
    return (
        f'<g transform="translate({x} {y})"><title>{rank} of {SUIT_WORDS[suit]}</title>'
        f'<rect width="{CARD_WIDTH}" height="{CARD_HEIGHT}" rx="4" fill="#fff" stroke="#9a9ea6"/>'
        f'<text x="15" y="17" text-anchor="middle" font-size="16" font-weight="bold" fill="{colour}">{rank}</text>'
        f'<path transform="translate(7.5 21) scale(.75)" fill="{colour}" d="{SUIT_PATHS[suit]}"/></g>'
    )


def _back(x: int, y: int) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="{CARD_WIDTH}" height="{CARD_HEIGHT}" rx="4" fill="#6b7a99" stroke="#3f4a63"/>'
        f'<rect x="{x + 5}" y="{y + 5}" width="{CARD_WIDTH - 10}" height="{CARD_HEIGHT - 10}" rx="2" fill="none" '
        f'stroke="#c9d1e3"/>'
    )


def draw_text(x: int, y: int, text: str, colour: str = INK, weight: str = 'normal') -> str:
    """Write a line of text from a point of its baseline."""
    return f'<text x="{x}" y="{y}" fill="{colour}" font-weight="{weight}">{_escaped(text)}</text>'


def _escaped(text: str) -> str:
    """Escape text for XML; characters that XML cannot hold are replaced."""
    return escape(NOT_XML.sub('\ufffd', text))


def shortened(text: str, most: int) -> str:
    """Return a text of at most so many characters."""
    return text if len(text) <= most else f'{text[: most - 1]}…'
