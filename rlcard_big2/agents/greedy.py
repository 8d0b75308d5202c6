"""The greedy agent."""

import numpy as np

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.engine.bitboard import popcount
from rlcard_big2.lockstep.arrays import Int64Array
from rlcard_big2.lockstep.compilation import kernel
from rlcard_big2.lockstep.random import Streams


class GreedyAgent(BatchAgent):
    """Sheds as many cards as it can, by the lowest action that does."""

    def choose(self, observations: Int64Array, masks: Int64Array, offsets: Int64Array, random: Streams) -> Int64Array:
        """Choose the first of the longest moves; see `BatchAgent.choose`."""
        out = np.empty(len(offsets) - 1, np.int64)
        choose_longest(masks, offsets, out)
        return out


@kernel
def choose_longest(masks: Int64Array, offsets: Int64Array, out: Int64Array) -> None:
    """Write the place of each game's first move of most cards into `out`, int64 [N]."""
    for i in range(out.size):
        best = offsets[i]
        for place in range(offsets[i], offsets[i + 1]):
            if popcount(masks[place]) > popcount(masks[best]):
                best = place
        out[i] = best
