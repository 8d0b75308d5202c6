"""What playouts in worlds say about moves, beside what a network says."""

from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from rlcard_kit.arrays import BoolArray, Float64Array

TRUST = 1.5  # standard deviation of the network's errors in the difference between two moves, in cards
SPREAD = 7.5  # of such a difference between worlds, in cards, as far as a world's worth of observations
TRUE = 0.65  # of what is left of a difference with all worlds known, since beliefs and playouts are not quite right
LEAST = 0.005  # cards, by which more worlds must be expected to make a move better than the best; else it is dropped
NORMAL = NormalDist()


class Estimates(NamedTuple):
    """Estimates of K moves, in cards."""

    means: Float64Array  # [K]
    errors: Float64Array  # [K], standard errors of the differences to the best move; 0 for it


def estimate_moves(expected: Float64Array, outcomes: Float64Array) -> Estimates:
    """Estimate what moves are worth from what came of them in W worlds, and from what a network says.

    Only differences between moves in the same worlds count. Each is shrunk towards the network's, the less the more
    worlds agree, but never followed all the way.

    Args:
        expected: what a network says, the highest first, float64 [K].
        outcomes: in the worlds, float64 [K, W].
    """
    best = int(_shrunk(expected - expected[0], outcomes - outcomes[0])[0].argmax())
    shrunk, errors = _shrunk(expected - expected[best], outcomes - outcomes[best])
    shrunk[best] = errors[best] = 0
    return Estimates(expected[best] + shrunk, errors)


def _shrunk(prior: Float64Array, differences: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Return differences, [K, W], shrunk towards those of the network, float64 [K], and their standard errors."""
    count = differences.shape[1]
    variances = (differences.var(axis=1) + SPREAD**2 / count) / count
    precisions = 1 / variances + 1 / TRUST**2
    towards = (differences.mean(axis=1) - prior) / variances / precisions
    return prior + TRUE * towards, TRUE / np.sqrt(precisions)


def still_open(estimates: Estimates) -> BoolArray:
    """Tell which moves more worlds may show to be the best, by at least `LEAST` in expectation, bool [K]."""
    behind = estimates.means.max() - estimates.means
    hopes = [_hope(*one) for one in zip(behind.tolist(), estimates.errors.tolist(), strict=True)]
    return (behind == 0) | (np.array(hopes) >= LEAST)


def _hope(behind: float, error: float) -> float:
    """Return by how much a move is better in expectation than one it is behind, counting nothing where it is worse."""
    if error == 0:
        return 0.0
    distance = behind / error
    return error * NORMAL.pdf(distance) - behind * NORMAL.cdf(-distance)
