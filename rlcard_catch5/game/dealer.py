"""The dealer: cards at random, or as asked for."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rlcard_catch5.cards import FULL_DECK, cards_in, format_card, format_cards, mask_of
from rlcard_catch5.engine.batch import shuffle_deals
from rlcard_catch5.engine.state import (
    DEAL,
    DEALT,
    HAND_SIZE,
    MOST_STOCK,
    NOTHING,
    NUM_PLAYERS,
    STOCK_SIZE,
    Deals,
)
from rlcard_kit.deck import join_hands
from rlcard_kit.errors import CardError, ConfigError, HandsError, check_whole

KEYS = ('dealer', 'hands', 'stock', 'redeal_stock', 'leftover')
NEEDED = KEYS[:2]


class Catch5Dealer:
    """Chooses who deals, shuffles, and deals nine cards to each seat."""

    def __init__(self, np_random: np.random.RandomState) -> None:
        self.np_random = np_random

    def deal_cards(self) -> Deals:
        """Shuffle and deal; return [1] of DEAL: a random dealer, nine cards to each seat, a word for the refill."""
        deal = np.zeros(1, DEAL)
        shuffle_deals(np.array([self.np_random.tomaxint()], np.uint64), deal)
        return deal

    def deal_given(self, given: Mapping[str, Any]) -> Deals:
        """Return a deal that is told, [1] of DEAL, with a word for what is not.

        Args:
            given: see `read_deal`.

        Raises:
            HandsError: saying what keeps it from being a deal; nothing is drawn then.
        """
        deal = read_deal(given)
        deal['word'] = self.deal_cards()['word']
        return deal


def read_deal(given: Mapping[str, Any]) -> Deals:
    """Return a deal that is told, [1] of DEAL, with 0 as the word for the refill.

    Args:
        given: 'dealer' (a seat) and 'hands' (four times nine card ids); and, unless chance is to decide, 'stock' (the
            other sixteen), 'redeal_stock' (the stock as shuffled for the refill, dealt from its end) and 'leftover' (in
            which order a seat that takes the trumps left keeps its other cards). -1 fills up lists at their end.

    Raises:
        HandsError: saying what keeps it from being a deal.
    """
    dealer = _checked_dealer(given)
    hands = join_hands(given['hands'], DEALT, NUM_PLAYERS, format_card)
    stock = FULL_DECK & ~sum(hands)
    told = given.get('stock')
    if told is not None and _cards('stock', told, STOCK_SIZE)[1] != stock:
        raise HandsError(f'stock must be the {STOCK_SIZE} cards that were not dealt: {format_cards(stock)}')
    redeal, mask = _cards('redeal_stock', given.get('redeal_stock'), MOST_STOCK)
    if mask and stock & ~mask:
        raise HandsError(f'redeal_stock lacks {format_cards(stock & ~mask)}, which were not dealt')
    leftover, _ = _cards('leftover', given.get('leftover'), HAND_SIZE)
    deal = np.zeros(1, DEAL)
    deal['dealer'], deal['hands'] = dealer, hands
    deal['redeal'], deal['leftover'] = redeal, leftover
    return deal


def tell_deal(deal: Deals) -> dict[str, Any]:
    """Return a deal, [1] of DEAL, as `read_deal` takes it; what is left to chance is not in it."""
    hands: list[int] = deal['hands'][0].tolist()
    told = {
        'dealer': int(deal['dealer'][0]),
        'hands': [cards_in(hand) for hand in hands],
        'stock': cards_in(FULL_DECK & ~sum(hands)),
    }
    orders = {'redeal_stock': deal['redeal'][0].tolist(), 'leftover': deal['leftover'][0].tolist()}
    known = {name: [card for card in order if card != NOTHING] for name, order in orders.items()}
    return told | {name: order for name, order in known.items() if order}


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
        told = [card for card in (cards if cards is not None else []) if card != NOTHING]
        mask = mask_of(told)
    except (CardError, TypeError, ValueError) as error:
        raise HandsError(f'{name} must be a list of card ids: {error}') from error
    if len(told) > most:
        raise HandsError(f'{name} has {len(told)} cards, more than {most}')
    return told + [NOTHING] * (most - len(told)), mask
