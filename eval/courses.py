"""What becomes of a game's figures over the checkpoints of a run: tables, and figures of several panels."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from eval.figures import FRAMES, Lines, draw_grid
from eval.games.base import Columns, EvaluatedGame, row
from eval.tables import Row, Section
from rlcard_kit.statistics import Estimate


class Course(NamedTuple):
    """Matches, each of another checkpoint."""

    title: str
    names: tuple[str, str]  # of the agent and of its opponent
    labels: Sequence[str]  # of the checkpoints: their frames
    own: Sequence[Columns]  # the figures of the agent in each match
    other: Sequence[Columns]  # those of its opponent


def course_table(game: EvaluatedGame, course: Course) -> Section:
    """Return the figures of a game's panels, a row per checkpoint; those of the opponent come after the agent's."""
    drawn = _lines_of(game, course.names)
    columns = tuple(f'{figure}, {name}' for figure, name, _ in drawn)
    rows = [Row(label, tuple(cells)) for label, cells in zip(course.labels, _cells(game, course), strict=True)]
    return Section(course.title, columns, tuple(rows))


def draw_courses(game: EvaluatedGame, courses: Sequence[Course], path: Path) -> bool:
    """Draw a column of panels per course; False if matplotlib is missing."""
    grid = [
        (course.title, [(panel.title, _lines(game, course, panel.figures)) for panel in game.panels])
        for course in courses
    ]
    return draw_grid(path, grid, FRAMES)


def _lines_of(game: EvaluatedGame, names: tuple[str, str]) -> list[tuple[str, str, bool]]:
    """Return a figure, whose it is, and whether that is the opponent, for each line in the panels of a game."""
    return [
        (figure, names[is_other], bool(is_other))
        for panel in game.panels
        for figure in panel.figures
        for is_other in range(1 + panel.has_both)
    ]


def _cells(game: EvaluatedGame, course: Course) -> list[list[Estimate | None]]:
    """Return an estimate for each checkpoint and each line of the panels."""
    drawn = _lines_of(game, course.names)
    sides = zip(course.own, course.other, strict=True)
    return [[row('', {figure: sides[is_other][figure]}).cells[0] for figure, _, is_other in drawn] for sides in sides]


def _lines(game: EvaluatedGame, course: Course, figures: Sequence[str]) -> Lines:
    """Return the lines of a panel by name; a figure is named only if the panel has several."""
    drawn, cells = _lines_of(game, course.names), _cells(game, course)
    lines = {}
    for index, (figure, name, _) in enumerate(drawn):
        if figure in figures:
            points = [(int(label) / 1e6, values[index]) for label, values in zip(course.labels, cells, strict=True)]
            title = f'{name}: {figure}' if len(figures) > 1 else name
            lines[title] = [(across, found) for across, found in points if found is not None]
    return lines
