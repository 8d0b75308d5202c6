"""Means with 95 % intervals."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Z95 = 1.959964


class Estimate(NamedTuple):
    """A mean and half the width of its 95 % interval."""

    mean: float
    margin: float

    def __str__(self) -> str:
        return f'{self.mean:.3f} ± {self.margin:.3f}'

    @property
    def is_significant(self) -> bool:
        """Whether the interval leaves 0 out."""
        return abs(self.mean) > self.margin


def estimate(observations: NDArray[Any]) -> Estimate:
    """Estimate a mean from independent observations, [D]; the margin of a single one is infinite."""
    count = len(observations)
    if count < 2:
        return Estimate(float(np.mean(observations)), float('inf'))
    error = float(np.std(observations, ddof=1)) / count**0.5
    return Estimate(float(np.mean(observations)), t95(count - 1) * error)


def t95(freedom: int) -> float:
    """Return Student's t that 95 % lie within, to 1 % from 3 degrees of freedom (Abramowitz and Stegun 26.7.5)."""
    z = Z95
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3
