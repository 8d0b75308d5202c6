"""Counts over games, of which memory holds six sums a figure, however many games there are."""

from collections.abc import Mapping
from math import inf
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from eval.tables import Row, Section
from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.statistics import Estimate, student_t
from rlcard_kit.table import Turn
from rlcard_kit.vector_env import VectorEnv


class Cell(NamedTuple):
    """The place of a figure in the tables."""

    table: str
    row: str
    column: str


Figures = Mapping[tuple[str, str], tuple[NDArray[Any], NDArray[Any] | int]]
"""By table and column: the sums of each game, [N], and the counts that they are of, [N] or 1."""


class Counter(Protocol):
    """Counts a game's own figures while N games are played in lock step; it is made before their first move."""

    def __init__(self, env: VectorEnv) -> None: ...

    def see(self, turn: Turn) -> None:
        """Count a move in every game that is not over."""

    def figures(self, payoffs: Int64Array) -> Figures:
        """Return the figures, given the payoffs, int64 [N, seats]."""


class Counts:
    """Figures, each the ratio of two sums over independent games."""

    def __init__(self) -> None:
        self.sums: dict[Cell, Float64Array] = {}  # [6]: games, sums, counts, and the three sums of products of these

    def add(self, row: str, figures: Figures) -> None:
        """Add the figures of some games to a row of each of their tables."""
        for (table, column), (sums, counts) in figures.items():
            one = np.asarray(sums, np.float64)
            other = np.broadcast_to(np.asarray(counts, np.float64), one.shape)
            parts = [len(one), one.sum(), other.sum(), one @ one, one @ other, other @ other]
            self._add(Cell(table, row, column), np.array(parts))

    def join(self, others: 'Counts') -> None:
        """Add the counts of other games."""
        for cell, sums in others.sums.items():
            self._add(cell, sums)

    def _add(self, cell: Cell, sums: Float64Array) -> None:
        self.sums[cell] = self.sums[cell] + sums if cell in self.sums else sums

    def estimate(self, cell: Cell) -> Estimate | None:
        """Return a figure as `estimate_ratio` does from observations; None if it counts nothing.

        The margin is infinite, unknown, if all observations are equal.
        """
        if cell not in self.sums or not self.sums[cell][2]:
            return None
        games, one, other, squares, products, other_squares = self.sums[cell].tolist()
        mean = one / other
        residual = squares - 2 * mean * products + mean**2 * other_squares
        if games < 2 or residual <= 0:
            return Estimate(mean, inf)
        return Estimate(mean, student_t(int(games) - 1) * (residual * games / (games - 1)) ** 0.5 / other)

    def sections(self) -> list[Section]:
        """Return the tables; tables, rows and columns are in the order in which they were added."""
        sections = []
        for title in dict.fromkeys(cell.table for cell in self.sums):
            places = [cell for cell in self.sums if cell.table == title]
            columns = dict.fromkeys(cell.column for cell in places if self.estimate(cell))
            rows = (
                Row(row, tuple(self.estimate(Cell(title, row, column)) for column in columns))
                for row in dict.fromkeys(cell.row for cell in places)
            )
            sections.append(Section(title, tuple(columns), tuple(rows)))
        return sections
