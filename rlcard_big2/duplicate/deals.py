"""Deals: from a seed, or from a file."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rlcard_big2.cards import FULL_DECK, NUM_CARDS
from rlcard_big2.engine.batch import shuffle_deals
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.state import HAND_SIZE, NUM_PLAYERS
from rlcard_kit.arrays import Int64Array
from rlcard_kit.duplicate.deals import read_arrays, write_arrays
from rlcard_kit.errors import HandsError
from rlcard_kit.rng import new_streams


def deals_from_seed(seed: int, count: int) -> Int64Array:
    """Deal `count` times; return masks, int64 [count, 4]. Deal d of a seed does not depend on `count`."""
    deals = np.empty((count, NUM_PLAYERS), np.int64)
    shuffle_deals(new_streams(seed, count), deals)
    return deals


def save_deals(path: Path, deals: Int64Array) -> None:
    """Write deals to a file of numpy's .npz format: 'game' names the game, and 'hands' is int64 [D, 4]."""
    write_arrays(path, BIG2.name, {'hands': deals})


def load_deals(path: Path) -> Int64Array:
    """Read deals from a file of `save_deals`; HandsError names the file and the first deal that is wrong."""
    deals = read_arrays(path, BIG2.name, ('hands',))['hands']
    if deals.ndim != 2 or deals.shape[1] != NUM_PLAYERS or deals.dtype.kind not in 'iu' or not len(deals):
        raise HandsError(f"{path}: 'hands' must be whole numbers [D, 4], not {deals.dtype} {list(deals.shape)}")
    deals = deals.astype(np.int64)
    bad = np.flatnonzero(~_are_deals(deals))
    if bad.size:
        raise HandsError(f'{path}: deal {bad[0]} is not four times {HAND_SIZE} distinct cards')
    return deals


def _are_deals(deals: Int64Array) -> NDArray[np.bool_]:
    """Return whether each deal, int64 [D, 4], holds all 52 cards, thirteen a seat."""
    sizes = count_cards(deals)
    return (np.bitwise_or.reduce(deals, axis=1) == FULL_DECK) & (sizes == HAND_SIZE).all(axis=1)


def count_cards(masks: Int64Array) -> Int64Array:
    """Return the number of cards of each mask, int64 of the same shape."""
    counts = np.zeros(masks.shape, np.int64)
    for card in range(NUM_CARDS):
        counts += masks >> card & 1
    return counts
