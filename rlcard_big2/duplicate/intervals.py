"""Means with 95 % intervals, a deal being one observation: its four games share the cards."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rlcard_big2.duplicate.match import Match
from rlcard_big2.engine.state import NUM_PLAYERS

Z95 = 1.959964


class Estimate(NamedTuple):
    """A mean and half the width of its 95 % interval."""

    mean: float
    margin: float

    def __str__(self) -> str:
        return f'{self.mean:.3f} ± {self.margin:.3f}'

    @property
    def is_significant(self) -> bool:
        """Tell whether the interval leaves 0 out."""
        return abs(self.mean) > self.margin


class Result(NamedTuple):
    """What a set of games says of an agent."""

    wp: Estimate  # winning percentage, as a share of 1
    ev: Estimate  # expected value, in units of one card per game
    ev_against: tuple[Estimate, ...]  # the part of it won or lost from the next, across and previous opponent
    cards_left: Estimate
    plies: Estimate


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


def overall(match: Match) -> Result:
    """Return the result over all seats."""
    return _result(match)


def by_seat(match: Match) -> list[Result]:
    """Return the result of each seat."""
    return [_result(Match(*(part[:, seat : seat + 1] for part in match))) for seat in range(NUM_PLAYERS)]


def _result(match: Match) -> Result:
    against = won_from_each(match)
    return Result(
        estimate((match.payoffs > 0).mean(axis=1)),
        estimate(match.payoffs.mean(axis=1)),
        tuple(estimate(against[:, :, i].mean(axis=1)) for i in range(NUM_PLAYERS - 1)),
        estimate(match.cards_left.mean(axis=1)),
        estimate(match.plies.mean(axis=1)),
    )


def won_from_each(match: Match) -> NDArray[np.int64]:
    """Return what the agent won (or lost, below 0) from each opponent, int64 [D, S, 3]; the sum is its payoff."""
    own = match.payoffs[:, :, None]
    return np.where(own > 0, -match.field, np.where(match.field > 0, own, 0))


def difference(one: Match, other: Match) -> Result:
    """Return by how much one agent did better than another on the same deals against the same field."""
    pairs = zip(one, other, strict=True)
    wins = (one.payoffs > 0).mean(axis=1) - (other.payoffs > 0).mean(axis=1)
    payoffs, _, left, plies = (np.asarray(a, np.float64) - b for a, b in pairs)
    against = won_from_each(one) - won_from_each(other)
    return Result(
        estimate(wins),
        estimate(payoffs.mean(axis=1)),
        tuple(estimate(against[:, :, i].mean(axis=1)) for i in range(NUM_PLAYERS - 1)),
        estimate(left.mean(axis=1)),
        estimate(plies.mean(axis=1)),
    )


def variance_removed(match: Match) -> float:
    """Return the share of the variance of EV that playing a deal in all four seats removed.

    It compares with as many games of independent deals; below 0 where the duplicates did harm.
    """
    payoffs = match.payoffs.astype(np.float64)
    independent = payoffs.var(axis=0, ddof=1).mean() / NUM_PLAYERS
    return float(1 - payoffs.mean(axis=1).var(ddof=1) / independent) if independent else 0.0
