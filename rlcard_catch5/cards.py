"""Cards as numbers and as text.

A card is an id 0..51, `suit * 13 + rank`: suits C D H S from 0, ranks 2 to A from 0, as in the published program (Big
2's ids are others). A set of cards is a mask: an int whose bit `id` is set for each card in it. Text is rank then suit,
cards in ascending order, separated by blanks: '5h', '2c Tc'.
"""

from collections.abc import Iterable
from functools import lru_cache

from rlcard_kit.deck import FULL_DECK as FULL_DECK
from rlcard_kit.deck import NUM_CARDS as NUM_CARDS
from rlcard_kit.deck import checked_card, join_cards, mask_text, part_texts
from rlcard_kit.errors import CardError

SUITS = 'cdhs'
SUIT_NAMES = ('clubs', 'diamonds', 'hearts', 'spades')
RANKS = '23456789TJQKA'
NUM_SUITS, NUM_RANKS = len(SUITS), len(RANKS)
NAMES = tuple(rank + suit for suit in SUITS for rank in RANKS)
PARTS = part_texts(NAMES)


def parse_suit(text: str) -> int:
    """Read a suit such as 'H' (either case) and return its number; CardError names bad text."""
    suit = text.lower()
    if len(suit) != 1 or suit not in SUITS:
        raise CardError(f'{text!r} is not a suit: write one of {SUITS.upper()}')
    return SUITS.index(suit)


def parse_card(text: str) -> int:
    """Read one card such as '5h' or 'TS' (either case) and return its id; CardError names bad text."""
    rank, suit = text[:1].upper(), text[1:].lower()
    if len(text) != 2 or rank not in RANKS or suit not in SUITS:
        raise CardError(f'{text!r} is not a card: write a rank of {RANKS} and a suit of {SUITS}, such as 5h or TS')
    return SUITS.index(suit) * NUM_RANKS + RANKS.index(rank)


def format_card(card: int) -> str:
    """Write a card id as text, the inverse of `parse_card`."""
    return NAMES[checked_card(card)]


def mask_of(cards: Iterable[int]) -> int:
    """Join distinct card ids into a mask; CardError names a repeated or unknown card."""
    return join_cards(cards, format_card)


def cards_in(mask: int) -> list[int]:
    """Return the card ids of a mask, ascending."""
    return [card for card in range(NUM_CARDS) if mask >> card & 1]


def parse_cards(text: str) -> int:
    """Read cards such as '2c Tc', in any order, and return their mask; CardError names the fault."""
    return mask_of(map(parse_card, text.split()))


@lru_cache(maxsize=4096)
def format_cards(mask: int) -> str:
    """Write a mask as text, ascending, the inverse of `parse_cards`; CardError if it is none."""
    return mask_text(mask, PARTS)
