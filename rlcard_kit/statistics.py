"""Means with 95 % intervals."""

from functools import cache
from math import cos, inf, isfinite, pi, sin, tan
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Z95 = NormalDist().inv_cdf(0.975)
FEW = 5  # games won, or lost, below which Student's interval of a share is too narrow
EXPANDED = 2000  # degrees of freedom from which one term of the expansion of t is right to five digits
HALVINGS = 50  # of an angle: beyond the precision of a double


class Estimate(NamedTuple):
    """A mean and half the width of its 95 % interval; infinite if it is unknown."""

    mean: float
    margin: float

    def __str__(self) -> str:
        return f'{self:.3f}'

    def __format__(self, spec: str) -> str:
        """Return the mean in a format such as '+.2f', and the margin in it without the sign."""
        spec = spec or '.3f'
        return f'{self.mean:{spec}} ± ' + (f'{self.margin:{spec.lstrip("+")}}' if isfinite(self.margin) else 'unknown')

    @property
    def is_significant(self) -> bool:
        """Whether the interval leaves 0 out."""
        return abs(self.mean) > self.margin


def estimate(observations: NDArray[Any], share: float = 0.95) -> Estimate:
    """Estimate a mean from independent observations, [D]; the margin of one, or of equal ones, is infinite: unknown.

    Equal observations do not show by how much others would differ.

    Args:
        observations: to take the mean of.
        share: of such intervals that cover the mean.
    """
    found = _estimate(observations, share)
    return Estimate(found.mean, inf) if _are_equal(observations) else found


def _estimate(observations: NDArray[Any], share: float = 0.95) -> Estimate:
    """Estimate a mean by Student's t; the margin of a single observation is infinite."""
    count = len(observations)
    if count < 2:
        return Estimate(float(np.mean(observations)), inf)
    error = float(np.std(observations, ddof=1)) / count**0.5
    return Estimate(float(np.mean(observations)), student_t(count - 1, share) * error)


def _are_equal(observations: NDArray[Any]) -> bool:
    return bool((observations == observations[:1]).all())


def estimate_share(shares: NDArray[Any]) -> Estimate:
    """Estimate the mean of shares of 1, such as those of the games of a deal that were won, [D].

    Close to 0 and 1, Student's interval is too narrow, and it has no width if all shares are equal. If fewer than FEW
    games were won or lost, the margin is at least the longer side of Wilson's interval (1927) for as many games as
    would have this variance if they were independent, or for one a deal if there is none.
    """
    found, count = _estimate(shares), len(shares)
    rare = min(found.mean, 1 - found.mean)
    variance = 0.0 if _are_equal(shares) else float(np.var(shares)) / (count - 1)
    games = rare * (1 - rare) / variance if variance else count
    if count < 2 or (variance and games * rare >= FEW):
        return found
    square = Z95**2 / games
    half = (square * (rare * (1 - rare) + square / 4)) ** 0.5
    return Estimate(found.mean, max(found.margin, (square * (0.5 - rare) + half) / (1 + square)))


def estimate_ratio(sums: NDArray[Any], counts: NDArray[Any]) -> Estimate:
    """Estimate the mean of observations that come in independent groups of unequal size, by linearisation.

    If all are equal, the margin is 0.

    Args:
        sums: of the observations of each group, [D].
        counts: of the observations of each group, [D], not all 0.

    Returns:
        The mean of all observations; its margin is infinite if fewer than two groups have any.
    """
    mean, margin = _estimate(linearised(sums, counts))
    return Estimate(mean, margin if np.count_nonzero(counts) > 1 else inf)


def linearised(sums: NDArray[Any], counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return an observation per group, float64 [D], whose mean and error are those of all (the delta method).

    Args:
        sums: of the observations of each group, [D].
        counts: of the observations of each group, [D]; if all are 0, the mean is NaN.
    """
    total = float(np.sum(counts))
    if not total:
        return np.full(len(counts), np.nan)
    mean = float(np.sum(sums)) / total
    return mean + (sums - mean * counts) * (len(counts) / total)


def variance_removed(observations: NDArray[Any]) -> float:
    """Return the share of the variance of a mean of observations, [D, G], that playing D deals in G seatings removed.

    The baseline is as many games of independent deals; the share is below 0 if the duplicates did harm.
    """
    values = observations.astype(np.float64)
    independent = values.var(axis=0, ddof=1).mean() / values.shape[1]
    return float(1 - values.mean(axis=1).var(ddof=1) / independent) if independent else 0.0


@cache
def student_t(freedom: int, share: float = 0.95) -> float:
    """Return Student's t that a share of its distribution lies within, to five digits from one degree of freedom on."""
    if freedom >= EXPANDED:  # from the normal distribution's (Abramowitz and Stegun 26.7.5)
        z = NormalDist().inv_cdf((1 + share) / 2)
        return z + (z**3 + z) / (4 * freedom)
    low, high = 0.0, pi / 2  # of atan(t / sqrt(freedom))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _share_within(middle, freedom) < share else (low, middle)
    return freedom**0.5 * tan(low)


def _share_within(angle: float, freedom: int) -> float:
    """Return the share of Student's t within sqrt(freedom) * tan(angle) (Abramowitz and Stegun 26.7.3, 26.7.4)."""
    is_odd = freedom % 2
    term = total = cos(angle) if is_odd else 1.0
    for power in range(2 + is_odd, freedom - 1, 2):
        term *= (power - 1) / power * cos(angle) ** 2
        total += term
    if not is_odd:
        return sin(angle) * total
    return 2 / pi * (angle + sin(angle) * total * (freedom > 1))
