"""Figures of estimates with their 95 % intervals, drawn if matplotlib is installed, and tables of the same."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

from eval.tables import Columns, Row, Section, row
from rlcard_kit.files import replace
from rlcard_kit.statistics import Estimate

if TYPE_CHECKING:
    from eval.games.base import EvaluatedGame

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


class Course(NamedTuple):
    """Matches of successive checkpoints."""

    title: str
    names: tuple[str, str]  # of the agent and its opponent
    labels: Sequence[str]  # of the checkpoints: their frames
    own: Sequence[Columns]  # the figures of the agent in each match
    other: Sequence[Columns]  # those of its opponent


def course_table(game: 'EvaluatedGame', course: Course) -> Section:
    """Return the figures of a game's panels, a row per checkpoint, the agent's before the opponent's."""
    drawn = _lines_of(game, course.names)
    columns = tuple(f'{figure}, {name}' for figure, name, _ in drawn)
    rows = [Row(label, tuple(cells)) for label, cells in zip(course.labels, _cells(game, course), strict=True)]
    return Section(course.title, columns, tuple(rows))


def draw_courses(game: 'EvaluatedGame', courses: Sequence[Course], path: Path) -> bool:
    """Draw a column of panels per course; False if matplotlib is missing."""
    grid = [
        (course.title, [(panel.title, _lines(game, course, panel.figures)) for panel in game.panels])
        for course in courses
    ]
    return draw_grid(path, grid, FRAMES)


def _lines_of(game: 'EvaluatedGame', names: tuple[str, str]) -> list[tuple[str, str, bool]]:
    """Return figure, name of the agent and whether it is the opponent, for each line in the panels of a game."""
    return [
        (figure, names[is_other], bool(is_other))
        for panel in game.panels
        for figure in panel.figures
        for is_other in range(1 + panel.has_both)
    ]


def _cells(game: 'EvaluatedGame', course: Course) -> list[list[Estimate | None]]:
    """Return an estimate for each checkpoint and each line of the panels."""
    drawn = _lines_of(game, course.names)
    sides = zip(course.own, course.other, strict=True)
    return [[row('', {figure: sides[is_other][figure]}).cells[0] for figure, _, is_other in drawn] for sides in sides]


def _lines(game: 'EvaluatedGame', course: Course, figures: Sequence[str]) -> Lines:
    """Return the lines of a panel by name, which includes the figure if the panel has several."""
    drawn, cells = _lines_of(game, course.names), _cells(game, course)
    lines = {}
    for index, (figure, name, _) in enumerate(drawn):
        if figure in figures:
            points = [(int(label) / 1e6, values[index]) for label, values in zip(course.labels, cells, strict=True)]
            title = f'{name}: {figure}' if len(figures) > 1 else name
            lines[title] = [(across, found) for across, found in points if found is not None]
    return lines
