"""A large network that plays faster: a small one leaves it the choice among the moves that are nearly the best."""

import numpy as np

from rlcard_kit.agents.base import ValueFunction
from rlcard_kit.arrays import Float32Array, Int64Array
from rlcard_kit.jit import kernel
from rlcard_kit.positions import Positions

NEAR = 1.0  # of the small network's values, to the best


class Shortlist:
    """Chooses nearly as a large network does; if a small one leaves a single move, the large one is not asked.

    Args:
        small: quick.
        large: to be followed.
    """

    def __init__(self, small: ValueFunction, large: ValueFunction) -> None:
        self._small = small
        self._large = large

    def values(self, positions: Positions) -> Float32Array:
        """Return the large network's values of the moves that are left, and -inf of the others, float32 [M].

        A move that is left alone has the small network's value.
        """
        values = self._small.values(positions)
        left, offsets, asked = (np.empty(size, np.int64) for size in (len(values), *positions.offsets.shape * 2))
        if count := _shortlist(values, positions.offsets, left, offsets, asked):
            chosen, bounds = left[: offsets[count]], offsets[: count + 1]
            observations = positions.observations.take(asked[:count])
            values[chosen] = self._large.values(Positions(observations, positions.moves[chosen], bounds))
        return values


@kernel
def _shortlist(
    values: Float32Array, offsets: Int64Array, left: Int64Array, left_offsets: Int64Array, asked: Int64Array
) -> int:
    """List the moves that are near the best, of positions that have several; all others are made -inf.

    Args:
        values: of all legal moves, float32 [M], changed.
        offsets: int64 [N + 1], see `Positions`.
        left: int64 [M], receives the indices of the moves.
        left_offsets: int64 [N + 1], receives the index in `left` at which each such position's moves begin.
        asked: int64 [N or more], receives the indices of these positions.

    Returns:
        How many positions.
    """
    count = end = 0
    for i in range(len(offsets) - 1):
        own, first = values[offsets[i] : offsets[i + 1]], end
        least = own.max() - NEAR
        for j in range(len(own)):
            if own[j] >= least:
                left[end] = offsets[i] + j
                end += 1
            else:
                own[j] = -np.inf
        if end - first > 1:
            left_offsets[count], asked[count] = first, i
            count += 1
        else:
            end = first
    left_offsets[count] = end
    return count
