"""Estimates of moves from rollouts and a network's values, and the decisions that they are of."""

from dataclasses import dataclass, field
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from rlcard_kit.arrays import BoolArray, Float64Array, Int64Array

PRIOR_SD = 1.0  # of the network's errors in the difference between two moves, in cards
OUTCOME_SD = 7.5  # prior of such a difference between worlds, in cards, weighted as one world
SHRINKAGE = 0.65  # of a difference with all worlds known, since beliefs and rollouts are not exact
MIN_GAIN = 0.005  # cards that a move must be expected to gain on the best by more worlds; else it is dropped
NORMAL = NormalDist()


class Estimates(NamedTuple):
    """Estimates of K moves, in cards."""

    means: Float64Array  # [K]
    errors: Float64Array  # [K], standard errors of the differences to the best move; 0 for it


def estimate_moves(expected: Float64Array, outcomes: Float64Array) -> Estimates:
    """Estimate moves from their outcomes in W worlds, with a network's values as the prior.

    Differences between moves in the same worlds are shrunk towards the network's, less with more worlds and smaller
    variance.

    Args:
        expected: the network's values, the highest first, float64 [K].
        outcomes: in the worlds, float64 [K, W].
    """
    best = int(_shrunk(expected - expected[0], outcomes - outcomes[0])[0].argmax())
    shrunk, errors = _shrunk(expected - expected[best], outcomes - outcomes[best])
    shrunk[best] = errors[best] = 0
    return Estimates(expected[best] + shrunk, errors)


def _shrunk(prior: Float64Array, differences: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Return differences, [K, W], shrunk towards those of the network, float64 [K], and their standard errors."""
    count = differences.shape[1]
    variances = (differences.var(axis=1) + OUTCOME_SD**2 / count) / count
    precisions = 1 / variances + 1 / PRIOR_SD**2
    towards = (differences.mean(axis=1) - prior) / variances / precisions
    return prior + SHRINKAGE * towards, SHRINKAGE / np.sqrt(precisions)


def still_open(estimates: Estimates) -> BoolArray:
    """Return which moves more worlds may show to be the best, by at least `MIN_GAIN` in expectation, bool [K]."""
    behind = estimates.means.max() - estimates.means
    gains = [_expected_gain(*pair) for pair in zip(behind.tolist(), estimates.errors.tolist(), strict=True)]
    return (behind == 0) | (np.array(gains) >= MIN_GAIN)


def _expected_gain(behind: float, error: float) -> float:
    """Return the expected improvement of a move over the best, given its normal difference to it."""
    if error == 0:
        return 0.0
    distance = behind / error
    return error * NORMAL.pdf(distance) - behind * NORMAL.cdf(-distance)


@dataclass
class Case:
    """A decision among candidates, K of them, the highest value first."""

    game: int  # index in the positions asked about
    moves: Int64Array  # [K], indices in `Positions.moves`
    expected: Float64Array  # [K], by the network, in cards
    means: Float64Array  # [K], estimates
    errors: Float64Array  # [K], standard errors of the differences to the best; NaN before the first round
    worlds: Int64Array  # [K], determinizations in which each was rolled out
    open: BoolArray  # [K], not dropped
    outcomes: list[Float64Array] = field(default_factory=list)  # of the rounds, [K, W]; NaN once dropped

    @property
    def is_settled(self) -> bool:
        """Whether a single candidate is left."""
        return int(self.open.sum()) < 2

    @property
    def best(self) -> int:
        """The index of the best candidate, in `Positions.moves`."""
        return int(self.moves[np.where(self.open, self.means, -np.inf).argmax()])

    def add(self, outcomes: Float64Array) -> None:
        """Add the outcomes of the open candidates in more worlds, [open, W], and drop those that are behind."""
        count = outcomes.shape[1]
        rows = np.full((len(self.moves), count), np.nan)
        rows[self.open] = outcomes
        self.outcomes.append(rows)
        self.worlds[self.open] += count
        estimates = estimate_moves(self.expected[self.open], np.concatenate(self.outcomes, axis=1)[self.open])
        self.means[self.open], self.errors[self.open] = estimates
        self.open[self.open] = still_open(estimates)
