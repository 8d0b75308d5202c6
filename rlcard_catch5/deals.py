"""Deals of Catch Five as Python objects."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rlcard_catch5.cards import FULL_DECK, cards_in, format_card, format_cards, mask_of
from rlcard_catch5.engine.state import DEAL, DEALT, HAND_SIZE, MOST_STOCK, NOTHING, NUM_PLAYERS, STOCK_SIZE, Deals
from rlcard_kit.deck import join_hands
from rlcard_kit.errors import CardError, ConfigError, HandsError, check_whole

KEYS = ('dealer', 'hands', 'stock', 'word', 'redeal_stock', 'leftover')
NEEDED = KEYS[:2]
WORD = re.compile(r'[0-9a-f]{16}')  # the word for the refill, as text


def read_deal(given: Mapping[str, Any]) -> Deals:
    """Return a given deal, [1] of DEAL; a word of 0 and orders of -1 are left to chance.

    Args:
        given: 'dealer' (a seat) and 'hands' (four times nine card ids); optionally 'stock' (the other sixteen), and
            'word' (16 hexadecimal digits, from which the whole refill is drawn) or its parts: 'redeal_stock' (the stock
            as shuffled for the refill, dealt from its end) and 'leftover' (the order in which a seat that takes the
            trumps left keeps its other cards), which say nothing besides a word. Lists may end in -1.

    Raises:
        HandsError: if it is not a deal.
    """
    dealer = _checked_dealer(given)
    hands = join_hands(given['hands'], DEALT, NUM_PLAYERS, format_card)
    stock = FULL_DECK & ~sum(hands)
    known = given.get('stock')
    if known is not None and _cards('stock', known, STOCK_SIZE)[1] != stock:
        raise HandsError(f'stock must be the {STOCK_SIZE} cards that were not dealt: {format_cards(stock)}')
    redeal, mask = _cards('redeal_stock', given.get('redeal_stock'), MOST_STOCK)
    if mask and stock & ~mask:
        raise HandsError(f'redeal_stock lacks {format_cards(stock & ~mask)}, which were not dealt')
    leftover, _ = _cards('leftover', given.get('leftover'), HAND_SIZE)
    deal = np.zeros(1, DEAL)
    deal['dealer'], deal['hands'], deal['word'] = dealer, hands, _word(given.get('word'))
    deal['redeal'], deal['leftover'] = (NOTHING, NOTHING) if deal['word'][0] else (redeal, leftover)
    return deal


def write_deal(deal: Deals) -> dict[str, Any]:
    """Return a deal, [1] of DEAL, as `read_deal` takes it, without the parts that are left to chance."""
    hands: list[int] = deal['hands'][0].tolist()
    written = {
        'dealer': int(deal['dealer'][0]),
        'hands': [cards_in(hand) for hand in hands],
        'stock': cards_in(FULL_DECK & ~sum(hands)),
    }
    orders = {'redeal_stock': deal['redeal'][0].tolist(), 'leftover': deal['leftover'][0].tolist()}
    known = {name: [card for card in order if card != NOTHING] for name, order in orders.items()}
    word = {'word': f'{deal["word"][0, 0]:016x}'} if deal['word'][0] else {}
    return written | word | {name: order for name, order in known.items() if order}


def _word(text: object) -> int:
    if text is None:
        return 0
    if not isinstance(text, str) or not WORD.fullmatch(text) or not int(text, 16):
        raise HandsError(f'word is {text!r:.40}: it must be 16 hexadecimal digits, not all 0')
    return int(text, 16)


def _checked_dealer(given: object) -> int:
    if not isinstance(given, Mapping):
        raise HandsError(f'deal={given!r:.80}: expected a mapping with {", ".join(NEEDED)}')
    wrong = [f'{key} is missing' for key in NEEDED if key not in given]
    wrong += [f'{key} is unknown' for key in given if key not in KEYS]
    if wrong:
        raise HandsError(f'a deal has {", ".join(KEYS)}: {", ".join(wrong):.200}')
    try:
        check_whole('dealer', given['dealer'], 0, NUM_PLAYERS - 1)
    except ConfigError as error:
        raise HandsError(f'deal: {error}') from error
    return int(given['dealer'])


def _cards(name: str, cards: Iterable[int] | None, most: int) -> tuple[list[int], int]:
    """Return a list of cards, filled up to `most` with -1, and its mask; HandsError if it is not one."""
    try:
        known = [card for card in (cards if cards is not None else []) if card != NOTHING]
        mask = mask_of(known)
    except (CardError, TypeError, ValueError) as error:
        raise HandsError(f'{name} must be a list of card ids: {error}') from error
    if len(known) > most:
        raise HandsError(f'{name} has {len(known)} cards, more than {most}')
    return known + [NOTHING] * (most - len(known)), mask
