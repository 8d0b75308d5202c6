"""Cards as numbers and as text.

A card is an id 0..51, `rank * 4 + suit`, so ids ascend with strength. Ranks ascend from 3 to 2; which
suit is lowest is a rule (`Rules.suits`). A set of cards is a mask: an int whose bit `id` is set for
each card in it. Text is rank then suit, cards in ascending order, blanks between: '3d', 'Tc Th'.
"""

from collections.abc import Iterable

from rlcard_big2.errors import CardError

RANKS = '3456789TJQKA2'
SUITS = 'dchs'  # lowest first, the usual order; Taiwan puts clubs below diamonds
NUM_CARDS = 52
FULL_DECK = (1 << NUM_CARDS) - 1
PASS = 'pass'


def parse_card(text: str, suits: str = SUITS) -> int:
    """Read one card such as '3d' or 'TS' (either case) and return its id; CardError names bad text."""
    rank, suit = text[:1].upper(), text[1:].lower()
    if len(text) != 2 or rank not in RANKS or suit not in suits:
        raise CardError(f'{text!r} is no card: write a rank of {RANKS} and a suit of {suits}, such as 3d or TS')
    return RANKS.index(rank) * 4 + suits.index(suit)


def format_card(card: int, suits: str = SUITS) -> str:
    """Write a card id as text, the inverse of `parse_card`."""
    if not 0 <= card < NUM_CARDS:
        raise CardError(f'{card!r} is no card id: ids run from 0 to {NUM_CARDS - 1}')
    return RANKS[card // 4] + suits[card % 4]


def cards_of(mask: int) -> list[int]:
    """List the card ids of a mask, ascending."""
    if not 0 <= mask <= FULL_DECK:
        raise CardError(f'{mask!r} is no mask of cards: it needs 0 <= mask < 2**{NUM_CARDS}')
    return [card for card in range(NUM_CARDS) if mask >> card & 1]


def mask_of(cards: Iterable[int]) -> int:
    """Join distinct card ids to a mask; CardError names a repeated or unknown card."""
    mask = 0
    for card in cards:
        bit = 1 << _checked_id(card)
        if mask & bit:
            raise CardError(f'card {card} ({format_card(int(card))}) occurs twice')
        mask |= bit
    return mask


def parse_cards(text: str, suits: str = SUITS) -> int:
    """Read cards such as 'Tc Th', in any order, or 'pass', and return their mask (0 for a pass)."""
    words = text.split()
    if not words:
        raise CardError(f"no cards in {text!r}: name at least one, such as '3d', or say '{PASS}'")
    if [word.lower() for word in words] == [PASS]:
        return 0
    cards = [parse_card(word, suits) for word in words]
    if len(set(cards)) < len(cards):
        raise CardError(f'{text!r} names a card twice')
    return mask_of(cards)


def format_cards(mask: int, suits: str = SUITS) -> str:
    """Write a mask as text, ascending; 'pass' for the empty mask."""
    return ' '.join(format_card(card, suits) for card in cards_of(mask)) or PASS


def _checked_id(card: object) -> int:
    try:
        number = int(card)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        number = -1
    if number != card or not 0 <= number < NUM_CARDS:
        raise CardError(f'{card!r} is no card id: ids are whole numbers from 0 to {NUM_CARDS - 1}')
    return number
