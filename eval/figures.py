"""Figures of estimates with their 95 % intervals, drawn if matplotlib is installed, and tables of the same."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from math import isfinite, nan
from pathlib import Path
from textwrap import fill
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from eval.game import EvaluatedGame, Panel
from eval.tables import Columns, Row, Section, cell_of
from rlcard_kit.files import replace
from rlcard_kit.statistics import Estimate

Lines = Mapping[str, Sequence[tuple[float, Estimate]]]  # points of lines by name
Format: TypeAlias = Literal['png', 'pdf', 'svg']
HAS_MATPLOTLIB = find_spec('matplotlib') is not None  # which the functions that draw need
FRAMES = 'million decisions learned from'
STYLE: Any = {'pdf.fonttype': 42, 'svg.fonttype': 'none'}  # text stays text, as journals want it
RESOLUTION = 150  # dots per inch, of PNG


class CheckpointCurves(NamedTuple):
    """Figures of successive checkpoints and of their opponents."""

    names: tuple[str, str]  # of the agent and its opponent
    table: Section  # the figures of the game's panels, a row per checkpoint

    @classmethod
    def of(
        cls, game: EvaluatedGame, title: str, names: tuple[str, str], matches: Mapping[str, tuple[Columns, Columns]]
    ) -> 'CheckpointCurves':
        """Return the curves of checkpoints, given their figures and their opponents' by the checkpoint's label."""
        drawn = [line for panel in game.panels for line in _drawn(panel, names)]
        rows = (
            Row(label, tuple(cell_of(sides[side][figure], figure in game.wording.shares) for figure, _, side in drawn))
            for label, sides in matches.items()
        )
        return cls(names, Section(title, tuple(f'{figure}, {name}' for figure, name, _ in drawn), tuple(rows)))


def _drawn(panel: Panel, names: tuple[str, str]) -> list[tuple[str, str, int]]:
    """Return the figure, the name and the side, 0 or 1 for the opponent, of each line in a panel."""
    sides = range(1 + panel.has_both)
    return [(figure, names[side], side) for figure in panel.figures for side in sides]


def lines_of(section: Section) -> list[tuple[str, list[tuple[float, Estimate]]]]:
    """Return the columns of a table whose rows are checkpoints: their names, and points by million frames."""
    return [
        (column, [(int(row.name) / 1e6, cell) for row in section.rows if (cell := row.cells[index]) is not None])
        for index, column in enumerate(section.columns)
    ]


def draw_column(section: Section, column: str, label: str, path: Path) -> None:
    """Draw one column of a table, an estimate per row, from top to bottom.

    The suffix of the path is the format; `label` is that of the axis of the estimates, with the unit.
    """
    index = section.columns.index(column)
    points = [(row.name, cell) for row in section.rows if (cell := row.cells[index]) is not None]
    figure = _new_figure(7, 1.2 + 0.4 * len(points))
    axes = figure.subplots()
    means, margins = _means_and_margins(points)
    axes.errorbar(means, range(len(points)), xerr=margins, fmt='o', capsize=3)
    axes.set_yticks(range(len(points)), [name for name, _ in points])
    axes.invert_yaxis()
    axes.axvline(0, linewidth=0.8, color='grey')
    axes.set(title=section.title, xlabel=label)
    _save(figure, path)


def draw_matrices(path: Path, sections: Sequence[Section], label: str) -> None:
    """Draw tables of agents against each other, one below the other.

    The suffix of the path is the format; `label` is that of the estimates, with the unit.
    """
    count = len(sections[0].columns)
    figure = _new_figure(3 + 0.8 * count, len(sections) * (1.2 + 0.45 * count))
    largest = max(abs(cell.mean) for section in sections for row in section.rows for cell in row.cells if cell)
    panels = figure.subplots(len(sections), 1, squeeze=False)[:, 0]
    for axes, section in zip(panels, sections, strict=True):
        means = [[cell.mean if cell else nan for cell in row.cells] for row in section.rows]
        image = axes.imshow(means, cmap='RdBu', vmin=-largest, vmax=largest, aspect='auto')
        for (y, x), mean in np.ndenumerate(means):
            cell, color = section.rows[y].cells[x], 'white' if abs(mean) > largest * 0.6 else 'black'
            text = f'{cell:+.2f}'.replace(' ± ', '\n± ') if cell else ''
            axes.text(x, y, text, ha='center', va='center', fontsize='x-small', color=color)
        axes.set_xticks(range(count), section.columns, rotation=30, ha='right', fontsize='small')
        axes.set_yticks(range(count), [row.name for row in section.rows], fontsize='small')
        axes.set_title(fill(section.title, 60), fontsize='small')
    figure.colorbar(image, ax=panels, label=label, shrink=1 / len(sections))
    _save(figure, path)


def draw_lines(path: Path, lines: Lines, label: str, title: str = '', across: str = FRAMES) -> None:
    """Draw estimates, a line per name.

    The suffix of the path is the format; `label` and `across` are those of the axes, with the units.
    """
    figure = _new_figure(8, 4.5)
    axes = figure.subplots()
    _draw(axes, lines)
    axes.axhline(0, linewidth=0.8, color='grey')
    axes.set(xlabel=across, ylabel=label)
    axes.set_title(title, fontsize='small')
    axes.legend()
    _save(figure, path)


def draw_rows(path: Path, section: Section) -> None:
    """Draw a table, a line per row over its columns; the suffix of the path is the format."""
    figure = _new_figure(8, 4.5)
    axes = figure.subplots()
    rows = [(row.name, [(x, cell) for x, cell in enumerate(row.cells) if cell]) for row in section.rows]
    _draw(axes, dict(rows))
    axes.set_xticks(range(len(section.columns)), section.columns, fontsize='small')
    axes.set_ylabel(section.title)
    axes.legend(fontsize='small')
    _save(figure, path)


def draw_shares(path: Path, shares: Mapping[str, Mapping[int, float]], label: str, title: str) -> None:
    """Draw the share of games by payoff, a line of steps per name."""
    figure = _new_figure(8, 4.5)
    axes = figure.subplots()
    for name, by_payoff in shares.items():
        values = range(min(by_payoff), max(by_payoff) + 1)
        axes.stairs([by_payoff.get(value, 0.0) for value in values], [*values, values.stop], baseline=None, label=name)
    axes.set(yscale='log', xlabel=f'payoff in {label}', ylabel='share of games')
    axes.set_title(title, fontsize='small')
    axes.legend()
    _save(figure, path)


def draw_panels(game: EvaluatedGame, curves: Sequence[CheckpointCurves], path: Path) -> None:
    """Draw a game's panels, a column for each opponent."""
    figure = _new_figure(1 + 4 * len(curves), 2.5 * len(game.panels))
    grid = figure.subplots(len(game.panels), len(curves), squeeze=False, sharex='col', sharey='row').T
    for column, (sides, table) in zip(grid, curves, strict=True):
        lines = iter(lines_of(table))
        column[0].set_title(table.title, fontsize='small')
        for axes, panel in zip(column, game.panels, strict=True):
            drawn = _drawn(panel, sides)
            names = [f'{name}: {figure}' if len(panel.figures) > 1 else name for figure, name, _ in drawn]
            _draw(axes, {name: points for name, (_, points) in zip(names, lines, strict=False)})
            axes.set_ylabel(panel.title, fontsize='small')
            axes.legend(fontsize='x-small')
        column[-1].set_xlabel(FRAMES, fontsize='small')
    _save(figure, path)


def _new_figure(width: float, height: float) -> Any:
    """Return an empty figure of a size in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout='constrained')


def _draw(axes: Any, lines: Lines) -> None:
    for name, points in lines.items():
        means, margins = _means_and_margins(points)
        axes.errorbar([x for x, _ in points], means, margins, marker='o', markersize=4, capsize=3, label=name)


def _means_and_margins(points: Sequence[tuple[Any, Estimate]]) -> tuple[list[float], list[float]]:
    """Return the means and margins of points; NaN, which has no bar, for a margin that is unknown."""
    figures = [figure for _, figure in points]
    return [figure.mean for figure in figures], [
        figure.margin if isfinite(figure.margin) else nan for figure in figures
    ]


def _save(figure: Any, path: Path) -> None:
    from matplotlib import rc_context

    with rc_context(STYLE):
        replace(path, lambda temporary: figure.savefig(temporary, format=path.suffix[1:], dpi=RESOLUTION))
