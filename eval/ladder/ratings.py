"""Comparisons of agents from the games of all: ratings, maximal lotteries, cycles, and the bootstrap."""

from collections.abc import Sequence
from itertools import combinations, permutations
from math import inf, log, log1p
from typing import NamedTuple

import numpy as np

from rlcard_kit.arrays import BoolArray, Float64Array, Int64Array
from rlcard_kit.statistics import Estimate

SAMPLES = 1000  # of the bootstrap
ELO = 400 / log(10)  # points for each unit of the logarithm of the odds
PRECISE = 1e-9  # of logarithms of strengths
MOST_STEPS = 500
TINY = 1e-12


class Games(NamedTuple):
    """Games of N agents over D deals, each deal at the same tables."""

    seats: Int64Array  # [T, N], of each agent at the kinds of tables
    counts: Int64Array  # [T], games of a deal at them
    won: Float64Array  # [D, N], games of a deal that each agent won; of one with several winners, a part
    beats: BoolArray  # [N, N], whether the row's agent won a game in which the column's had a seat
    draws: int = 1  # games that each pair has drawn, in addition

    @classmethod
    def of(cls, count: int, tables: Int64Array, wins: BoolArray) -> 'Games':
        """Return the games of `count` agents.

        Args:
            count: N.
            tables: int64 [G, seats], the agent in each seat.
            wins: bool [D, G, seats], the seats that won; a game without winners is shared by all seats.
        """
        is_agents = tables[..., None] == np.arange(count)  # [G, seats, N]
        winners = wins.sum(axis=-1, keepdims=True)
        won = np.where(winners > 0, wins / np.maximum(winners, 1), 1 / tables.shape[1])
        by_table = (won.sum(axis=0)[..., None] * is_agents).sum(axis=1)  # [G, N]
        seats = is_agents.sum(axis=1)
        beats = ((by_table > 0).T.astype(np.int64) @ (seats > 0)) > 0
        kinds, counts = np.unique(seats, axis=0, return_counts=True)
        return cls(kinds, counts, won.reshape(len(won), -1) @ is_agents.reshape(-1, count), beats)

    @classmethod
    def join(cls, parts: 'Sequence[Games]', draws: int = 1) -> 'Games':
        """Return the games of several parts, with the same agents and as many deals."""
        seats, counts = (np.concatenate([getattr(part, name) for part in parts]) for name in ('seats', 'counts'))
        won, beats = np.sum([part.won for part in parts], axis=0), np.any([part.beats for part in parts], axis=0)
        return cls(seats, counts, won, beats, draws)

    def ratings(self) -> list[Estimate]:
        """Rate the agents on the scale of Elo, with a mean of 0; the intervals are from samples of the deals.

        The seat of an agent wins with a probability in proportion to its strength (Luce's choice axiom; Bradley and
        Terry's model for two seats), and the strengths are the most likely ones, if each pair had also drawn `draws`
        games: without them, an agent that wins none would have no rating.
        """
        deals, count = self.won.shape
        drawn = np.array([np.isin(np.arange(count), pair) for pair in combinations(range(count), 2)], np.int64)
        seats, kinds = np.unique(np.concatenate([self.seats, drawn]), axis=0, return_inverse=True)
        games = np.concatenate([self.counts * deals, np.full(len(drawn), self.draws)])
        games = np.bincount(kinds.ravel(), games).astype(np.float64)
        in_draws = self.draws * (count - 1) / 2
        logs = _most_likely(seats, games, self.won.sum(axis=0) + in_draws, np.zeros(count))
        samples = np.stack([_most_likely(seats, games, won * deals + in_draws, logs) for won in resampled(self.won)])
        rated = (
            with_interval(ELO * strength, ELO * sampled) for strength, sampled in zip(logs, samples.T, strict=True)
        )
        return [rating if rating.margin else rating._replace(margin=inf) for rating in rated]  # all deals are alike

    def pools(self) -> list[list[int]]:
        """Return the pools of agents that results join: none has beaten an agent of an earlier pool.

        They are the strongly connected components of the graph of `beats`. The most likely ratings of several would be
        infinitely far apart (Hunter 2004), but for the draws.
        """
        reached: BoolArray = self.beats | np.eye(len(self.beats), dtype=np.bool_)
        for _ in range(len(reached).bit_length()):
            reached = reached @ reached
        names = (reached & reached.T).argmax(axis=1)  # of its pool's first agent
        firsts = sorted(set(names.tolist()), key=lambda first: -reached[first].sum())
        return [np.flatnonzero(names == first).tolist() for first in firsts]

    def pool_notes(self, names: Sequence[str]) -> list[str]:
        """Return a sentence on the pools if there are several."""
        pools = [', '.join(names[agent] for agent in pool) for pool in self.pools()]
        if len(pools) == 1:
            return []
        return [
            f'No result joins {len(pools)} pools: {"; ".join(pools)}. No agent won a game against one of an earlier '
            f'pool, so that between pools the ratings show the drawn games that each pair is given, not a strength.'
        ]


def _most_likely(seats: Int64Array, games: Float64Array, won: Float64Array, logs: Float64Array) -> Float64Array:
    """Return the logarithms of the most likely strengths, float64 [N], whose mean is 0, from others.

    Their likelihood is concave. Newton's steps are shortened as its third derivatives demand (Bach 2010,
    "Self-concordant analysis for logistic regression"), so that each is uphill.

    Args:
        seats: int64 [T, N], of each agent at the kinds of tables.
        games: float64 [T], at them.
        won: float64 [N], games won by each agent; their sum is that of `games`.
        logs: float64 [N], to begin with, whose mean is 0.

    Raises:
        FloatingPointError: if the steps do not end, which no results should bring about.
    """
    for _ in range(MOST_STEPS):
        shares = seats * np.exp(logs)
        shares /= shares.sum(axis=1, keepdims=True)
        expected = games @ shares
        curvature = np.diag(expected) - (shares * games[:, None]).T @ shares
        step = np.linalg.solve(curvature + expected.mean() / len(logs), won - expected)  # without change of the mean
        length = float(np.ptp(step))
        if length < PRECISE:
            return logs + step - (logs + step).mean()
        logs = logs + step * (log1p(length) / length)
    raise FloatingPointError(f'ratings of {len(logs)} agents did not converge in {MOST_STEPS} steps')


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
    triples = permutations(range(len(beats)), 3)
    return [(a, b, c) for a, b, c in triples if a < min(b, c) and beats[a, b] and beats[b, c] and beats[c, a]]


def resampled(observations: Float64Array) -> Float64Array:
    """Return the means of observations, [D, M], in samples of D of them with replacement, float64 [samples, M]."""
    count, generator = len(observations), np.random.default_rng(0)
    drawn = (np.bincount(generator.integers(count, size=count), minlength=count) for _ in range(SAMPLES))
    return np.stack([times @ observations / count for times in drawn])


def with_interval(value: float, samples: Float64Array) -> Estimate:
    """Return an estimate whose margin is half of the interval that holds 95 % of the bootstrap's samples, [samples]."""
    low, high = np.percentile(samples, [2.5, 97.5])
    return Estimate(float(value), float(high - low) / 2)
