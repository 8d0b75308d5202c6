"""Pruning: the moves that a small network leaves to a large one."""

import numpy as np

from rlcard_big2.search.pruning import MARGIN, PrunedValues
from tests.support.positions import positions_after
from tests.support.random_games import Hashed

SCALE = 2.0**22  # values from 0 to 4


class Opposed(Hashed):
    """Likes what the other dislikes."""

    def values(self, positions):
        return -super().values(positions)


def test_the_large_network_chooses_among_what_the_small_one_leaves():
    positions, large = positions_after(9, 200), Opposed(SCALE)
    rough, wanted = (network(SCALE).values(positions) for network in (Hashed, Opposed))
    found, several = PrunedValues(Hashed(SCALE), large).values(positions), 0
    for start, end in zip(positions.offsets[:-1], positions.offsets[1:], strict=True):
        near = rough[start:end] >= rough[start:end].max() - MARGIN
        several += near.sum() > 1
        expected = np.where(near, wanted[start:end] if near.sum() > 1 else rough[start:end], -np.inf)
        np.testing.assert_array_equal(found[start:end], expected)
    assert large.asked == several
    assert 20 < several < 180
