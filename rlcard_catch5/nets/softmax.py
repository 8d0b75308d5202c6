"""The softmax over legal actions, given logits of all 64."""

import numpy as np

from rlcard_kit.arrays import Float32Array, Float64Array, Int64Array
from rlcard_kit.jit import kernel


@kernel
def write_softmax(logits: Float32Array, moves: Int64Array, offsets: Int64Array, out: Float64Array) -> None:
    """Write the softmax over the legal actions of each game into `out`, float64 [M].

    Args:
        logits: float32 [N, 64].
        moves: int64 [M].
        offsets: int64 [N + 1], see `Positions`.
        out: receives the probabilities.
    """
    for i in range(len(offsets) - 1):
        best = -np.inf
        for index in range(offsets[i], offsets[i + 1]):
            best = max(best, np.float64(logits[i, moves[index]]))
        total = 0.0
        for index in range(offsets[i], offsets[i + 1]):
            out[index] = np.exp(np.float64(logits[i, moves[index]]) - best)
            total += out[index]
        for index in range(offsets[i], offsets[i + 1]):
            out[index] /= total
