"""Reports: tables in the terminal and in files, with all that it takes to find the numbers again."""

import json
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

from rich.console import Console

from eval.plots import draw_points
from eval.tables import (
    Listing,
    Row,
    Section,
    csv_table,
    latex_table,
    markdown_table,
    parts_of,
    rich_listing,
    rich_table,
)
from rlcard_big2.duplicate.match import Match, Result
from rlcard_big2.files import replace

SHORT = {'previous': 'prev.'}  # names of opponents in the heads of columns
LEGEND = (
    'WP: share of games won. EV: cards won per game, in all and from the next, across and previous opponent in the '
    'order of play. Length: moves in a game. ±: half of the 95 % interval; one deal with all its games counts once.'
)


@dataclass
class Report:
    """What a command found out, and how to find it out again.

    Attributes:
        title: one line.
        origin: what decided the games, and what made the numbers, see `play_plan`.
        sections: the tables.
        listings: tables of words, below them; LaTeX and CSV have none.
        notes: sentences that belong below them.
    """

    title: str
    origin: dict[str, Any]
    sections: list[Section] = field(default_factory=list)
    listings: list[Listing] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def print(self, console: Console) -> None:
        """Show the report in the terminal; a table that is too wide comes in parts."""
        for section in self.sections:
            for part in parts_of(section, console.width):
                console.print(rich_table(part), '')
        for listing in self.listings:
            console.print(rich_listing(listing), '')
        for note in [*self.notes, LEGEND]:
            console.print(note, markup=False, highlight=False)

    def save(self, folder: Path) -> list[str]:
        """Write the report into a folder, as Markdown, LaTeX, CSV and JSON; return the files' names."""
        files = {
            'report.md': self.as_markdown(),
            'report.tex': '\n\n'.join(map(latex_table, self.sections)) + '\n',
            'report.csv': csv_table(self.sections),
            'report.json': json.dumps(self._as_json(), indent=1),
        }
        for name, text in files.items():
            replace(folder / name, lambda path, text=text: path.write_text(text))  # type: ignore[misc]
        return list(files)

    def as_markdown(self) -> str:
        """Return the report as Markdown."""
        tables = [*map(markdown_table, self.sections), *map(markdown_table, self.listings)]
        parts = [f'# {self.title}', *tables, *self.notes, LEGEND]
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
        listings = [listing._asdict() for listing in self.listings]
        return {'title': self.title, 'tables': tables, 'listings': listings, 'notes': self.notes, **self.origin}


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
    """Draw one column of a table; False if matplotlib is missing."""
    index = section.columns.index(column)
    points = [(row.name, cell) for row in section.rows if (cell := row.cells[index]) is not None]
    return draw_points(path, points, section.title)
