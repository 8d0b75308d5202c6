"""Comparisons of agents from the matches of all pairs: ratings, maximal lotteries, cycles, and the bootstrap."""

from itertools import permutations
from math import log
from typing import NamedTuple

import numpy as np

from rlcard_kit.arrays import BoolArray, Float64Array, Int64Array
from rlcard_kit.statistics import Estimate

SAMPLES = 1000  # of the bootstrap
DRAW = np.array([[2, 2, 1]])  # the table of a game that counts as half won by each agent of a pair
ELO = 400 / log(10)  # points for each unit of the logarithm of the odds
PRECISE = 1e-9  # of logarithms of strengths
MOST_STEPS = 10_000
TINY = 1e-12


class Wins(NamedTuple):
    """Games won, of K pairs of agents at T kinds of tables."""

    pairs: Int64Array  # [K, 2]
    tables: Int64Array  # [T, 3]: seats of the first agent, seats of the second, games
    won: Float64Array  # [..., K, T], by the first agent


def ratings(wins: Wins, count: int) -> Float64Array:
    """Return the ratings of agents, float64 [..., count], on the scale of Elo; their mean is 0.

    An agent in one seat wins with a probability in proportion to its strength (Luce's choice axiom; Bradley and Terry's
    model for two). The strengths are the most likely ones, by Hunter's algorithm (2004), if each pair had also drawn a
    game: without it, an agent that wins none would have no rating.
    """
    first, second = (np.eye(count)[agents] for agents in wins.pairs.T)  # [K, count]
    seats, others, games = np.concatenate([wins.tables, DRAW]).T.astype(np.float64)  # [T + 1]
    drawn = np.full((*wins.won.shape[:-1], 1), 0.5)
    won = np.concatenate([wins.won, drawn], axis=-1)
    total = won.sum(axis=-1) @ first + (games - won).sum(axis=-1) @ second
    logs = np.zeros(total.shape)
    for _ in range(MOST_STEPS):
        strengths = np.exp(logs)
        at_tables = (strengths @ first.T)[..., None] * seats + (strengths @ second.T)[..., None] * others
        expected = (games * seats / at_tables).sum(axis=-1) @ first + (games * others / at_tables).sum(axis=-1) @ second
        found = np.log(total / expected)
        found -= found.mean(axis=-1, keepdims=True)
        change, logs = np.abs(found - logs).max(), found
        if change < PRECISE:
            break
    return ELO * logs


def maximal_lottery(margins: Float64Array) -> Float64Array:
    """Return the shares of agents, float64 [N], in a mixture that no agent beats.

    It is an optimal strategy of the symmetric game whose payoffs are the margins (Fishburn 1984), found by the simplex
    algorithm with Bland's rule.

    Args:
        margins: of the row's agent over the column's, [N, N], antisymmetric.
    """
    count = len(margins)
    objective = np.concatenate([-np.ones(count), np.zeros(count + 1)])
    tableau = np.vstack([np.hstack([margins - margins.min() + 1, np.eye(count), np.ones((count, 1))]), objective])
    basis = np.arange(count, 2 * count)
    while (improving := np.flatnonzero(tableau[-1, :-1] < -TINY)).size:
        column = tableau[:-1, improving[0]]
        limits = np.divide(tableau[:-1, -1], column, out=np.full(count, np.inf), where=column > TINY)
        leaving = np.flatnonzero(limits <= limits.min() + TINY)
        row = leaving[basis[leaving].argmin()]
        tableau[row] /= tableau[row, improving[0]]
        others = np.arange(count + 1) != row
        tableau[others] -= np.outer(tableau[others, improving[0]], tableau[row])
        basis[row] = improving[0]
    shares = np.zeros(2 * count)
    shares[basis] = tableau[:-1, -1]
    return shares[:count] / shares[:count].sum()


def cycles(beats: BoolArray) -> list[tuple[int, int, int]]:
    """Return the agents of which each beats the next and the last the first, given who beats whom, [N, N]."""
    found = permutations(range(len(beats)), 3)
    return [(a, b, c) for a, b, c in found if a < min(b, c) and beats[a, b] and beats[b, c] and beats[c, a]]


def resampled(observations: Float64Array) -> Float64Array:
    """Return the means of observations, [D, M], in samples of D of them with replacement, float64 [samples, M]."""
    count, generator = len(observations), np.random.default_rng(0)
    drawn = (np.bincount(generator.integers(count, size=count), minlength=count) for _ in range(SAMPLES))
    return np.stack([times @ observations / count for times in drawn])


def with_interval(value: float, samples: Float64Array) -> Estimate:
    """Return an estimate whose margin is half of the interval that holds 95 % of the bootstrap's samples, [samples]."""
    low, high = np.percentile(samples, [2.5, 97.5])
    return Estimate(float(value), float(high - low) / 2)
