"""Prune moves with a small network before evaluating with a large one."""

import numpy as np

from rlcard_kit.agents import Positions, ValueFunction
from rlcard_kit.arrays import Float32Array, Int64Array
from rlcard_kit.jit import kernel

MARGIN = 1.0  # of the small network's values to the best, up to which a move is kept


class PrunedValues:
    """Values of a large network for the moves that a small one finds nearly best; one such move is not evaluated again.

    Args:
        small: prunes.
        large: evaluates the rest.
    """

    def __init__(self, small: ValueFunction, large: ValueFunction) -> None:
        self._small = small
        self._large = large

    def values(self, positions: Positions) -> Float32Array:
        """Return the large network's values of the moves that are kept, and -inf of the others, float32 [M].

        The only move kept of a position has the small network's value.
        """
        values = self._small.values(positions)
        left, offsets, asked = (np.empty(size, np.int64) for size in (len(values), *positions.offsets.shape * 2))
        if count := prune(values, positions.offsets, left, offsets, asked):
            chosen, bounds = left[: offsets[count]], offsets[: count + 1]
            observations = positions.observations.take(asked[:count])
            values[chosen] = self._large.values(Positions(observations, positions.moves[chosen], bounds))
        return values


@kernel
def prune(
    values: Float32Array, offsets: Int64Array, left: Int64Array, left_offsets: Int64Array, asked: Int64Array
) -> int:
    """List the moves near the best of positions that have several; set all others to -inf.

    Args:
        values: of all legal moves, float32 [M], changed.
        offsets: int64 [N + 1], see `Positions`.
        left: int64 [M], receives the indices of the moves.
        left_offsets: int64 [N + 1], receives the index in `left` at which each such position's moves begin.
        asked: int64 [N or more], receives the indices of these positions.

    Returns:
        The number of positions.
    """
    count = end = 0
    for i in range(len(offsets) - 1):
        game_values, first = values[offsets[i] : offsets[i + 1]], end
        least = max(game_values) - MARGIN
        for j in range(len(game_values)):
            if game_values[j] >= least:
                left[end] = offsets[i] + j
                end += 1
            else:
                game_values[j] = -np.inf
        if end - first > 1:
            left_offsets[count], asked[count] = first, i
            count += 1
        else:
            end = first
    left_offsets[count] = end
    return count
