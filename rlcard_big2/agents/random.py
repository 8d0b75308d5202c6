"""The random agent."""

import numpy as np

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.lockstep.arrays import Int64Array
from rlcard_big2.lockstep.compilation import kernel
from rlcard_big2.lockstep.positions import Choice, Positions
from rlcard_big2.lockstep.random import Streams, below


class RandomAgent(BatchAgent):
    """Plays any legal action with equal probability.

    Args:
        seed: see `BatchAgent`; None takes one from numpy's global generator, so that RLCard's `set_seed` repeats it.
    """

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(int(np.random.randint(1 << 32)) if seed is None else seed)

    def choose(self, positions: Positions, random: Streams) -> Choice:
        """Choose uniformly; see `Chooser.choose`."""
        out = np.empty(len(random), np.int64)
        choose_uniformly(positions.offsets, random, out)
        return Choice(out)


@kernel
def choose_uniformly(offsets: Int64Array, random: Streams, out: Int64Array) -> None:
    """Draw one index in offsets[i]..offsets[i + 1] for each game into `out`, int64 [N]."""
    for i in range(random.size):
        out[i] = offsets[i] + below(random[i : i + 1], offsets[i + 1] - offsets[i])
