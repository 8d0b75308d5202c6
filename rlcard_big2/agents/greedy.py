"""The greedy agent."""

import numpy as np
from typing_extensions import override

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.engine.bitboard import popcount
from rlcard_kit.agents import Decision, Positions
from rlcard_kit.arrays import Int64Array
from rlcard_kit.jit import kernel
from rlcard_kit.rng import Streams


class GreedyAgent(BatchAgent):
    """Sheds as many cards as it can, by the lowest action that does."""

    @override
    def choose(self, positions: Positions, random: Streams) -> Decision:
        out = np.empty(len(positions.offsets) - 1, np.int64)
        choose_longest(positions.moves, positions.offsets, out)
        return Decision(out)


@kernel
def choose_longest(moves: Int64Array, offsets: Int64Array, out: Int64Array) -> None:
    """Write the index of each game's first move of most cards into `out`, int64 [N]."""
    for i in range(out.size):
        best = offsets[i]
        for index in range(offsets[i], offsets[i + 1]):
            if popcount(moves[index]) > popcount(moves[best]):
                best = index
        out[i] = best
