"""Figures of estimates with their 95 % intervals, drawn if matplotlib is installed."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from rlcard_kit.files import replace
from rlcard_kit.statistics import Estimate

Lines = Mapping[str, Sequence[tuple[float, Estimate]]]  # points of lines by name
Format: TypeAlias = Literal['png', 'pdf', 'svg']
FORMATS: tuple[str, ...] = get_args(Format)
FRAMES = 'million decisions learned from'
STYLE: Any = {'pdf.fonttype': 42, 'svg.fonttype': 'none'}  # text stays text, as journals want it
RESOLUTION = 150  # dots per inch, of PNG


def draw_points(path: Path, points: Sequence[tuple[str, Estimate]], label: str, title: str = '') -> bool:
    """Draw an estimate per name.

    Args:
        path: of the figure; its suffix is the format.
        points: the names and their estimates, from top to bottom.
        label: of the axis of the estimates, with the unit.
        title: of the figure.

    Returns:
        False if matplotlib is missing.
    """
    figure = _new_figure(7, 1.2 + 0.4 * len(points))
    if figure is None:
        return False
    axes = figure.subplots()
    means, margins = [found.mean for _, found in points], [found.margin for _, found in points]
    axes.errorbar(means, range(len(points)), xerr=margins, fmt='o', capsize=3)
    axes.set_yticks(range(len(points)), [name for name, _ in points])
    axes.invert_yaxis()
    axes.axvline(0, linewidth=0.8, color='grey')
    axes.set(title=title, xlabel=label)
    _save(figure, path)
    return True


def draw_lines(path: Path, lines: Lines, label: str, title: str = '', across: str = FRAMES) -> bool:
    """Draw estimates, a line per name.

    Args:
        path: of the figure; its suffix is the format.
        lines: the points of each line: where it stands on the horizontal axis, and its estimate.
        label: of the vertical axis, with the unit.
        title: of the figure.
        across: label of the horizontal axis, with the unit.

    Returns:
        False if matplotlib is missing.
    """
    figure = _new_figure(8, 4.5)
    if figure is None:
        return False
    axes = figure.subplots()
    _draw(axes, lines)
    axes.axhline(0, linewidth=0.8, color='grey')
    axes.set(xlabel=across, ylabel=label)
    axes.set_title(title, fontsize='small')
    axes.legend()
    _save(figure, path)
    return True


def draw_grid(path: Path, grid: Sequence[tuple[str, Sequence[tuple[str, Lines]]]], across: str) -> bool:
    """Draw panels of estimates below each other in columns, a line per name.

    Args:
        path: of the figure; its suffix is the format.
        grid: of each column its title and its panels: their titles and lines, see `draw_lines`.
        across: label of the horizontal axis, with the unit.

    Returns:
        False if matplotlib is missing.
    """
    height = max(len(panels) for _, panels in grid)
    figure = _new_figure(1 + 4 * len(grid), 2.5 * height)
    if figure is None:
        return False
    for column, (title, panels) in zip(
        figure.subplots(height, len(grid), squeeze=False, sharex='col', sharey='row').T, grid, strict=True
    ):
        column[0].set_title(title, fontsize='small')
        for axes, (label, lines) in zip(column, panels, strict=True):
            _draw(axes, lines)
            axes.set_ylabel(label, fontsize='small')
            axes.legend(fontsize='x-small')
        column[-1].set_xlabel(across, fontsize='small')
    _save(figure, path)
    return True


def _new_figure(width: float, height: float) -> Any | None:
    """Return an empty figure of a size in inches; None if matplotlib is missing."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return None
    return Figure(figsize=(width, height), layout='constrained')


def _draw(axes: Any, lines: Lines) -> None:
    for name, points in lines.items():
        means, margins = [found.mean for _, found in points], [found.margin for _, found in points]
        axes.errorbar([x for x, _ in points], means, margins, marker='o', markersize=4, capsize=3, label=name)


def _save(figure: Any, path: Path) -> None:
    from matplotlib import rc_context

    with rc_context(STYLE):
        replace(path, lambda temporary: figure.savefig(temporary, format=path.suffix[1:], dpi=RESOLUTION))
