"""Deals in a file."""

from pathlib import Path

import numpy as np

from rlcard_catch5.cards import FULL_DECK, NUM_CARDS
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.engine.state import DEAL, DEALT, NOTHING, NUM_PLAYERS, Deals
from rlcard_kit.arrays import BoolArray, Int8Array, Int64Array
from rlcard_kit.duplicate.deals import read_arrays, write_arrays
from rlcard_kit.errors import HandsError

FIELDS = tuple(DEAL.names or ())


def save_deals(path: Path, deals: Deals) -> None:
    """Write deals, [D] of DEAL, to a file of numpy's .npz format: 'game' names the game, and each field is an array."""
    write_arrays(path, CATCH5.name, {name: deals[name] for name in FIELDS})


def load_deals(path: Path) -> Deals:
    """Read deals, [D] of DEAL, from a file of `save_deals`; HandsError names the first deal that is wrong."""
    arrays = read_arrays(path, CATCH5.name, FIELDS)
    count = len(arrays['hands']) if arrays['hands'].ndim else 0
    deals = np.zeros(count, DEAL)
    for name, array in arrays.items():
        wanted = deals[name]
        if array.shape != wanted.shape or array.dtype != wanted.dtype or not count:
            needed = f'{wanted.dtype} [{", ".join(map(str, ("D", *wanted.shape[1:])))}]'
            raise HandsError(f'{path}: {name!r} must be {needed}, not {array.dtype} {list(array.shape)}')
        deals[name] = array
    bad = np.flatnonzero(~_are_deals(deals))
    if bad.size:
        what = f'a dealer, {NUM_PLAYERS} times {DEALT} distinct cards, and distinct cards for the refill'
        raise HandsError(f'{path}: deal {bad[0]} is not {what}')
    return deals


def _are_deals(deals: Deals) -> BoolArray:
    """Return whether each deal has a dealer, 36 cards, nine a seat, and only cards for the refill."""
    hands: Int64Array = deals['hands']
    held = (hands[..., None] >> np.arange(NUM_CARDS) & 1).sum(axis=2)
    union = np.bitwise_or.reduce(hands, axis=1)
    distinct = (union[:, None] >> np.arange(NUM_CARDS) & 1).sum(axis=1) == NUM_PLAYERS * DEALT
    in_deck = ((hands >= 0) & (hands <= FULL_DECK)).all(axis=1)
    dealers = (deals['dealer'] >= 0) & (deals['dealer'] < NUM_PLAYERS)
    orders = _are_cards(deals['redeal']) & _are_cards(deals['leftover'])
    good: BoolArray = (held == DEALT).all(axis=1) & distinct & in_deck & dealers & orders
    return good


def _are_cards(told: Int8Array) -> BoolArray:
    """Return whether each row, int8 [D, K], holds distinct cards, and -1 for none."""
    ordered = np.sort(told, axis=1)
    repeated = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != NOTHING)
    good: BoolArray = ((told >= NOTHING) & (told < NUM_CARDS)).all(axis=1) & ~repeated.any(axis=1)
    return good
