"""Reports: a table in the terminal, JSON for machines, Markdown for people, a PNG with intervals."""

import json
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from eval.plots import draw_points
from rlcard_big2.duplicate.intervals import Estimate
from rlcard_big2.duplicate.match import Match, Result
from rlcard_big2.files import replace

SHORT = {'previous': 'prev.'}  # names of opponents in the heads of columns
CELL_WIDTH = len('± 1.234')  # and of nearly every number; rich widens a column that needs more
LEGEND = (
    'WP: share of games won. EV: cards won per game, in all and from the next, across and previous opponent in the '
    'order of play. Length: moves in a game. ±: half of the 95 % interval; one deal with all its games counts once.'
)


class Row(NamedTuple):
    """A line of a table: a name and an estimate, or nothing, per column."""

    name: str
    cells: tuple[Estimate | None, ...]


class Section(NamedTuple):
    """A table of estimates."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass
class Report:
    """What a command found out, and how to find it out again.

    Attributes:
        title: one line.
        origin: what decided the games, and what made the numbers, see `play_plan`.
        sections: the tables.
        notes: sentences that belong below them.
    """

    title: str
    origin: dict[str, Any]
    sections: list[Section] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def print(self, console: Console) -> None:
        """Show the report in the terminal; a table that is too wide comes in parts."""
        for section in self.sections:
            for part in parts_of(section, console.width):
                console.print(rich_table(part), '')
        for note in [*self.notes, LEGEND]:
            console.print(note, markup=False, highlight=False)

    def save(self, folder: Path) -> list[str]:
        """Write report.json and report.md into a folder; return their names."""
        files = {'report.md': self.as_markdown(), 'report.json': json.dumps(self._as_json(), indent=1)}
        for name, text in files.items():
            replace(folder / name, lambda path, text=text: path.write_text(text))  # type: ignore[misc]
        return list(files)

    def as_markdown(self) -> str:
        """Return the report as Markdown."""
        parts = [f'# {self.title}', *map(markdown_table, self.sections), *self.notes, LEGEND]
        parts.append('\n'.join(f'- {key}: `{value}`' for key, value in self.origin.items()))
        return '\n\n'.join(parts) + '\n'

    def _as_json(self) -> dict[str, Any]:
        tables = [
            {
                'title': section.title,
                'rows': {
                    row.name: {
                        column: {'mean': cell.mean, 'margin': cell.margin if isfinite(cell.margin) else None}
                        for column, cell in zip(section.columns, row.cells, strict=True)
                        if cell is not None
                    }
                    for row in section.rows
                },
            }
            for section in self.sections
        ]
        return {'title': self.title, 'tables': tables, 'notes': self.notes, **self.origin}


def parts_of(section: Section, width: int) -> list[Section]:
    """Cut a table into as many as it takes to show it in `width` columns of text."""
    name_width = min(max((len(row.name) for row in section.rows), default=0), width // 3)
    fit = max((width - name_width) // (CELL_WIDTH + 2), 1)  # two spaces between columns
    return [
        Section(
            section.title,
            section.columns[first : first + fit],
            tuple(Row(row.name, row.cells[first : first + fit]) for row in section.rows),
        )
        for first in range(0, len(section.columns), fit)
    ]


def rich_table(section: Section) -> Table:
    """Build a section's table for the terminal."""
    title = escape(section.title)
    table = Table(Column('', overflow='fold'), title=title, title_justify='left', box=box.SIMPLE_HEAD)
    table.show_edge, table.padding = False, (0, 1, 0, 0)
    for column in section.columns:
        table.add_column(escape(column), justify='right', overflow='fold', min_width=CELL_WIDTH)
    for row in section.rows:
        table.add_row(
            escape(row.name), *('' if cell is None else str(cell).replace(' ± ', '\n± ') for cell in row.cells)
        )
    return table


def markdown_table(section: Section) -> str:
    """Return a section as Markdown."""
    lines = [f'| | {" | ".join(section.columns)} |', '|---' * (1 + len(section.columns)) + '|']
    for row in section.rows:
        cells = ' | '.join('' if cell is None else str(cell) for cell in row.cells)
        lines.append(f'| {row.name} | {cells} |')
    return f'## {section.title}\n\n' + '\n'.join(lines)


def result_columns(result: Result) -> tuple[str, ...]:
    """Return the names of the columns of `result_row`."""
    positions = (f'EV {SHORT.get(name, name)}' for name in result.ev_by_position)
    return 'WP', 'EV', *positions, *result.figures, 'length'


def result_row(name: str, result: Result) -> Row:
    """Return a result as a row of a table with `result_columns`."""
    return Row(name, (result.wp, result.ev, *result.ev_by_position.values(), *result.figures.values(), result.plies))


def match_section(title: str, match: Match) -> Section:
    """Return a match as a table: a row per seat, and one for all together."""
    rows = [result_row(f'seat {seat}', result) for seat, result in enumerate(match.by_seating())]
    return Section(title, result_columns(match.result), (*rows, result_row('all seats', match.result)))


def match_note(match: Match) -> str:
    """Say how much of the variance the duplicate deals removed."""
    return (
        f'{match.num_deals} deals, each in all four seats, removed {match.variance_removed():.0%} of the variance '
        f'that as many games of independent deals would have.'
    )


def draw_column(section: Section, column: str, path: Path) -> bool:
    """Draw one column of a table into a PNG; False if matplotlib is missing."""
    index = section.columns.index(column)
    points = [(row.name, cell) for row in section.rows if (cell := row.cells[index]) is not None]
    return draw_points(path, points, section.title, column)
