"""Deals: from a seed, or from a file."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rlcard_big2.cards import NUM_CARDS
from rlcard_big2.engine.big2 import BIG2, big2_for
from rlcard_big2.rules import Rules, RulesLike, find_rules
from rlcard_kit.arrays import Int64Array
from rlcard_kit.duplicate.deals import deal_from_seed, read_arrays, write_arrays
from rlcard_kit.errors import HandsError


def deals_from_seed(seed: int, count: int, rules: RulesLike = 'charlesworth') -> Int64Array:
    """Deal `count` times; return masks, int64 [count, seats]. Deal d of a seed does not depend on `count`."""
    return deal_from_seed(big2_for(find_rules(rules)), seed, count)


def save_deals(path: Path, deals: Int64Array) -> None:
    """Write deals to a file of numpy's .npz format: 'game' names the game, and 'hands' is int64 [D, seats]."""
    write_arrays(path, BIG2.name, {'hands': deals})


def load_deals(path: Path, rules: RulesLike = 'charlesworth') -> Int64Array:
    """Read deals under some rules from a file of `save_deals`; HandsError names the file and the first wrong deal."""
    rules = find_rules(rules)
    deals = read_arrays(path, BIG2.name, ('hands',))['hands']
    if deals.ndim != 2 or deals.shape[1] != rules.players or deals.dtype.kind not in 'iu' or not len(deals):
        raise HandsError(
            f"{path}: 'hands' must be whole numbers [D, {rules.players}], not {deals.dtype} {list(deals.shape)}"
        )
    deals = deals.astype(np.int64)
    bad = np.flatnonzero(~_are_deals(deals, rules))
    if bad.size:
        raise HandsError(f'{path}: deal {bad[0]} is not {rules.players} times {rules.hand_size} distinct cards')
    return deals


def _are_deals(deals: Int64Array, rules: Rules) -> NDArray[np.bool_]:
    """Return whether each deal, int64 [D, seats], has distinct cards of the pack, as many as the rules ask for."""
    together, openers = np.bitwise_or.reduce(deals, axis=1), (deals & -deals).argmin(axis=1)
    if rules.leader is not None:
        openers[:] = rules.leader
    sizes = np.where(np.arange(rules.players) == openers[:, None], rules.most_cards, rules.hand_size)
    distinct = count_cards(together) == sizes.sum(axis=1)
    are: NDArray[np.bool_] = distinct & (together & ~rules.pack == 0) & (count_cards(deals) == sizes).all(axis=1)
    return are


def count_cards(masks: Int64Array) -> Int64Array:
    """Return the number of cards of each mask, int64 of the same shape."""
    counts = np.zeros(masks.shape, np.int64)
    for card in range(NUM_CARDS):
        counts += masks >> card & 1
    return counts
