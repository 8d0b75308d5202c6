"""A's advantage over B in groups of games, and of the decisions at which they diverge."""

from math import inf

import numpy as np

from eval.pairs import Divergences, Grouping, Pairs
from eval.tables import DIFFERENCE, Row, Section
from rlcard_kit.arrays import BoolArray, Int64Array
from rlcard_kit.statistics import Estimate, estimate, estimate_ratio, estimate_share

DIVERGED = ('share', DIFFERENCE, 'part of the whole')


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
    return _of_group(values[chosen], np.where(chosen, values, 0).sum(axis=1), chosen.sum(axis=1))


def _of_group(values: Int64Array, sums: Int64Array, counts: Int64Array) -> Estimate | None:
    """Estimate the mean of values, [K], from their sums and counts by deal; its margin is unknown if all are equal."""
    if not len(values):
        return None
    found = estimate_ratio(sums, counts)
    return found if np.ptp(values) else found._replace(margin=inf)


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
    deals, values = divergences.deals[chosen], divergences.gains[chosen]
    games, gains = np.bincount(deals, minlength=count), np.bincount(deals, values, count)
    return estimate_share(games / seatings), _of_group(values, gains, games), estimate(gains / seatings)
