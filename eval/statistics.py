"""Means with 95 % intervals, a deal being one observation: its four games share the cards."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eval.match import Match
from rlcard_big2.engine.state import NUM_PLAYERS

Z95 = 1.959964


class Estimate(NamedTuple):
    """A mean and half the width of its 95 % interval."""

    mean: float
    margin: float

    def __str__(self) -> str:
        return f'{self.mean:+.3f} ± {self.margin:.3f}'


class Result(NamedTuple):
    """Winning percentage (as a share of 1) and expected value (in units of one card per game)."""

    wp: Estimate
    ev: Estimate


def estimate(observations: NDArray[Any]) -> Estimate:
    """Estimate a mean from independent observations, [D]; the margin of a single one is infinite."""
    count = len(observations)
    error = float(np.std(observations, ddof=1)) / count**0.5 if count > 1 else float('inf')
    return Estimate(float(np.mean(observations)), Z95 * error)


def overall(match: Match) -> Result:
    """Return the result over all seats."""
    return Result(estimate((match.payoffs > 0).mean(axis=1)), estimate(match.payoffs.mean(axis=1)))


def by_seat(match: Match) -> list[Result]:
    """Return the result of each seat."""
    return [
        Result(estimate(match.payoffs[:, seat] > 0), estimate(match.payoffs[:, seat])) for seat in range(NUM_PLAYERS)
    ]
