"""Counts over games, of which memory holds six sums a figure, however many games there are."""

from collections.abc import Mapping
from math import inf
from typing import Any, Protocol

import numpy as np

from eval.tables import Row, Section
from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.statistics import Estimate, student_t
from rlcard_kit.table import Turn
from rlcard_kit.vector_env import VectorEnv

Figures = Mapping[tuple[str, str], tuple[Any, Any]]
"""By table and column: the sums of each game, [N], and the counts that they are of, [N] or 1."""


class Counter(Protocol):
    """Counts a game's own figures while N games are played in lockstep; it is made before their first move."""

    def __init__(self, env: VectorEnv) -> None: ...

    def see(self, turn: Turn) -> None:
        """Count a move in every game that is not over."""

    def figures(self, payoffs: Int64Array) -> Figures:
        """Return the figures, given the payoffs, int64 [N, seats]."""


class Counts:
    """Figures in tables, each the ratio of two sums over independent games."""

    def __init__(self) -> None:
        # by table, row and column: the games, both sums, and the three sums of products of these, float64 [6]
        self.sums: dict[tuple[str, str, str], Float64Array] = {}

    def add(self, row: str, figures: Figures) -> None:
        """Add the figures of some games to a row of each of their tables."""
        for (table, column), (sums, counts) in figures.items():
            one = np.asarray(sums, np.float64)
            other = np.broadcast_to(np.asarray(counts, np.float64), one.shape)
            parts = [len(one), one.sum(), other.sum(), one @ one, one @ other, other @ other]
            self._add((table, row, column), np.array(parts))

    def join(self, others: 'Counts') -> None:
        """Add the counts of other games."""
        for place, sums in others.sums.items():
            self._add(place, sums)

    def _add(self, place: tuple[str, str, str], sums: Float64Array) -> None:
        self.sums[place] = self.sums[place] + sums if place in self.sums else sums

    def estimate(self, table: str, row: str, column: str) -> Estimate | None:
        """Return a figure as `estimate_ratio` does from observations; None if it counts nothing.

        The margin is infinite, unknown, if all observations are equal.
        """
        games, one, other, squares, products, other_squares = self.sums.get((table, row, column), np.zeros(6)).tolist()
        if not other:
            return None
        mean = one / other
        residual = squares - 2 * mean * products + mean**2 * other_squares
        if games < 2 or residual <= 0:
            return Estimate(mean, inf)
        return Estimate(mean, student_t(int(games) - 1) * (residual * games / (games - 1)) ** 0.5 / other)

    def sections(self) -> list[Section]:
        """Return the tables; tables, rows and columns are in the order in which they were added."""
        sections = []
        for title in dict.fromkeys(table for table, *_ in self.sums):
            places = [place for place in self.sums if place[0] == title]
            columns = tuple(dict.fromkeys(place[2] for place in places if self.estimate(*place)))
            rows = dict.fromkeys(row for _, row, _ in places)
            cells = {row: tuple(self.estimate(title, row, column) for column in columns) for row in rows}
            sections.append(Section(title, columns, tuple(Row(row, cells[row]) for row in rows)))
        return sections
