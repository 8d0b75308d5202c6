"""Cards as numbers and as text.

A card is an id 0..51, `rank * 4 + suit`, so ids ascend with strength. Ranks ascend from 3 to 2; which
suit is lowest is a rule (`Rules.suits`). A set of cards is a mask: an int whose bit `id` is set for
each card in it. Text is rank then suit, cards in ascending order, separated by blanks: '3d', 'Tc Th'.
"""

from collections.abc import Iterable
from functools import cache, lru_cache

from rlcard_kit.deck import FULL_DECK, NUM_CARDS, checked_card, join_cards, mask_text, part_texts
from rlcard_kit.errors import CardError

__all__ = [
    'FULL_DECK', 'NUM_CARDS', 'RANKS', 'SUITS', 'checked_card', 'format_card', 'format_cards', 'mask_of', 'parse_card',
    'parse_cards',
]  # fmt: skip

RANKS = '3456789TJQKA2'
SUITS = 'dchs'  # lowest first, the usual order; Taiwan puts clubs below diamonds


def parse_card(text: str, suits: str = SUITS) -> int:
    """Read one card such as '3d' or 'TS' (either case) and return its id; CardError names bad text."""
    rank, suit = text[:1].upper(), text[1:].lower()
    if len(text) != 2 or rank not in RANKS or suit not in suits:
        raise CardError(f'{text!r} is not a card: write a rank of {RANKS} and a suit of {suits}, such as 3d or TS')
    return RANKS.index(rank) * 4 + suits.index(suit)


def format_card(card: int, suits: str = SUITS) -> str:
    """Write a card id as text, the inverse of `parse_card`."""
    card = checked_card(card)
    return RANKS[card // 4] + suits[card % 4]


def mask_of(cards: Iterable[int]) -> int:
    """Join distinct card ids into a mask; CardError names a repeated or unknown card."""
    return join_cards(cards, format_card)


@lru_cache(maxsize=4096)  # most moves are one card or two
def parse_cards(text: str, suits: str = SUITS) -> int:
    """Read cards such as 'Tc Th', in any order, and return their mask; CardError names what is not a card."""
    cards = [parse_card(word, suits) for word in text.split()]
    if len(set(cards)) < len(cards):
        raise CardError(f'{text!r} names a card twice')
    return mask_of(cards)


@lru_cache(maxsize=4096)  # a move changes two masks of eight
def format_cards(mask: int, suits: str = SUITS) -> str:
    """Write a mask as text, ascending, the inverse of `parse_cards`; CardError if it is none."""
    return mask_text(mask, _part_texts(suits))


@cache
def _part_texts(suits: str) -> list[list[str]]:
    return part_texts([rank + suit for rank in RANKS for suit in suits])
