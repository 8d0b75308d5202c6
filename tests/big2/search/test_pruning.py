"""Pruning: the moves that a small network leaves to a large one."""

import numpy as np

from rlcard_big2.search.pruning import MARGIN, PrunedValues
from tests.big2.search.test_agent import positions_of_games
from tests.big2.search.test_analysis import Hashed


class Scaled(Hashed):
    """Values from 0 to 4."""

    def values(self, positions):
        return super().values(positions) / 2**22


class Opposed(Scaled):
    """Likes what the other dislikes, and counts the positions that it is asked about."""

    asked = 0

    def values(self, positions):
        self.asked += len(positions.counts)
        return -super().values(positions)


def test_the_large_network_chooses_among_what_the_small_one_leaves():
    positions = positions_of_games(200, 'charlesworth', 9)
    large = Opposed()
    rough, wanted = Scaled().values(positions), -Scaled().values(positions)
    found, several = PrunedValues(Scaled(), large).values(positions), 0
    for start, end in zip(positions.offsets[:-1], positions.offsets[1:], strict=True):
        near = rough[start:end] >= rough[start:end].max() - MARGIN
        several += near.sum() > 1
        expected = np.where(near, wanted[start:end] if near.sum() > 1 else rough[start:end], -np.inf)
        np.testing.assert_array_equal(found[start:end], expected)
    assert large.asked == several
    assert 20 < several < 180
