"""Random numbers for kernels: one stream per game, so that a game does not depend on the others.

A stream is one word of state, which every draw advances. All streams come from `new_streams`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.jit import kernel

Streams = NDArray[np.uint64]  # [N]
Stream = NDArray[np.uint64]  # [1]


def new_streams(seed: int | Sequence[int] | None, count: int) -> Streams:
    """Return `count` independent streams, uint64 [count].

    The seed is a number or several; None takes one from the operating system. Stream i of a seed does not
    depend on `count`.
    """
    return np.random.SeedSequence(seed).generate_state(count, np.uint64).astype(np.uint64)


@kernel
def next_random(random: Stream) -> np.int64:
    """Draw 32 random bits as a whole number (splitmix64, Steele et al. 2014)."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    z = random[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(32))


@kernel
def below(random: Stream, limit: int) -> int:
    """Draw a whole number from 0 to limit - 1; the bias is below limit / 2**32."""
    return int(next_random(random) * limit) >> 32


@kernel
def uniform(random: Stream) -> float:
    """Draw a multiple of 2**-32 from 0 to 1, 1 excluded."""
    return next_random(random) * 2.0**-32


@kernel
def branch_streams(random: Streams, out: Streams) -> None:
    """Draw W new streams from each of N streams into `out`, uint64 [N, W]."""
    for i in range(len(random)):
        for j in range(out.shape[1]):
            out[i, j] = np.uint64(next_random(random[i : i + 1]) << 32) | np.uint64(next_random(random[i : i + 1]))


@kernel
def draw_indices(weights: Float64Array, random: Streams, out: Int64Array) -> None:
    """Draw indices in proportion to weights by systematic resampling.

    Args:
        weights: cumulative, float64 [N, P].
        random: uint64 [N], each row's own stream.
        out: int64 [N, W], receives the indices, ascending.
    """
    for i in range(len(out)):
        step = weights[i, -1] / out.shape[1]
        point, index = step * uniform(random[i : i + 1]), 0
        for j in range(out.shape[1]):
            while weights[i, index] <= point and index < weights.shape[1] - 1:
                index += 1
            out[i, j] = index
            point += step
