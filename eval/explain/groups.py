"""A's advantage over B in groups of games, and of the decisions at which they diverge."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from eval.explain.pairs import Divergences, Pairs
from eval.tables import DIFFERENCE, Row, Section
from rlcard_kit.arrays import BoolArray, Float64Array, Int64Array
from rlcard_kit.statistics import Estimate, estimate, estimate_ratio

FIFTHS = ('the strongest fifth', 'strong', 'middling', 'weak', 'the weakest fifth')
DIVERGED = ('share', DIFFERENCE, 'part of the whole')


class Grouping(NamedTuple):
    """Groups of the games of two agents, or of their divergences."""

    title: str  # without 'by'
    names: Sequence[str]
    of: Int64Array  # the group of each game, [D, G], or of each divergence, [K]


def by_case(title: str, cases: Mapping[str, BoolArray]) -> Grouping:
    """Group by cases, bool [K] by name, of which exactly one holds."""
    return Grouping(title, tuple(cases), np.argmax(list(cases.values()), axis=0))


def by_fifth(title: str, figures: Float64Array, unit: str, names: Sequence[str]) -> Grouping:
    """Group games by a figure, float64 [D, G], in fifths of all games; the names are those of the fifths, ascending."""
    edges = np.quantile(figures, np.linspace(0, 1, len(names) + 1))
    limits = pairwise(f'{edge:.1f}' for edge in edges)
    names = [f'{name}: {low} to {high} {unit}' for name, (low, high) in zip(names, limits, strict=True)]
    return Grouping(title, names, np.searchsorted(edges[1:-1], figures, side='right'))


def games_table(headline: str, pairs: Pairs, grouping: Grouping) -> Section:
    """Return the headline of A and of B and their difference in groups of games."""
    columns = (*pairs.own.transpose(1, 0, 2), pairs.gains)
    rows = [
        Row(name, tuple(_mean(column, grouping.of == group) for column in columns))
        for group, name in enumerate(grouping.names)
    ]
    return Section(f'{headline} by {grouping.title}', (*pairs.names[:2], DIFFERENCE), tuple(rows))


def _mean(values: Int64Array, chosen: BoolArray) -> Estimate | None:
    """Estimate the mean of some games, both [D, G], by deal."""
    if not chosen.any():
        return None
    return estimate_ratio(np.where(chosen, values, 0).sum(axis=1), chosen.sum(axis=1))


def divergences_table(pairs: Pairs, divergences: Divergences, grouping: Grouping) -> Section:
    """Return the share of all games in groups of divergences, what A gained in them, and the product."""
    groups = [(name, grouping.of == group) for group, name in enumerate(grouping.names)]
    everything = 'all', np.ones(len(divergences.deals), np.bool_)
    rows = [
        Row(name, _diverged(pairs, divergences, chosen))
        for name, chosen in (*(group for group in groups if group[1].any()), everything)
    ]
    return Section(f'divergences by {grouping.title}', DIVERGED, tuple(rows))


def _diverged(pairs: Pairs, divergences: Divergences, chosen: BoolArray) -> tuple[Estimate | None, ...]:
    count, seatings = pairs.gains.shape
    games = np.bincount(divergences.deals[chosen], minlength=count)
    gains = np.bincount(divergences.deals[chosen], divergences.gains[chosen], count)
    mean = estimate_ratio(gains, games) if games.any() else None
    return estimate(games / seatings), mean, estimate(gains / seatings)
