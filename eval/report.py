"""Reports: tables in the terminal and in files, with the provenance of their numbers."""

import json
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

from rich.console import Console

from eval.tables import Listing, Section, csv_table, latex_table, markdown_table, parts_of, rich_table
from rlcard_kit.files import replace_text


@dataclass
class Report:
    """The results of a command and their provenance.

    Attributes:
        title: one line.
        provenance: description of the games, and command, sources, versions and machine.
        sections: the tables.
        listings: tables of text, below them; LaTeX and CSV have none.
        notes: sentences below the tables.
        legend: definitions of the figures.
        figures: names of the files with figures, next to the report.
    """

    title: str
    provenance: dict[str, Any]
    sections: list[Section] = field(default_factory=list)
    listings: list[Listing] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    legend: str = ''
    figures: list[str] = field(default_factory=list)

    def print(self, console: Console) -> None:
        """Print the report; a table that is too wide is split."""
        for section in self.sections:
            for part in parts_of(section, console.width):
                console.print(rich_table(part), '')
        for listing in self.listings:
            console.print(rich_table(listing), '')
        for note in self._sentences:
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
            replace_text(folder / name, text)
        return list(files)

    def as_markdown(self) -> str:
        """Return the report as Markdown."""
        tables = [*map(markdown_table, self.sections), *map(markdown_table, self.listings)]
        figures = [f'![{Path(name).stem}]({name})' for name in self.figures if not name.endswith('.pdf')]
        parts = [f'# {self.title}', *figures, *tables, *self._sentences]
        parts.append('\n'.join(f'- {key}: `{value}`' for key, value in self.provenance.items()))
        return '\n\n'.join(parts) + '\n'

    @property
    def _sentences(self) -> list[str]:
        return [*self.notes, *filter(None, [self.legend])]

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
        return {'title': self.title, 'tables': tables, 'listings': listings, 'notes': self.notes, **self.provenance}
