"""Tables of estimates: in the terminal, and as Markdown, LaTeX and CSV."""

import csv
import re
from collections.abc import Iterable, Mapping
from io import StringIO
from math import isfinite
from typing import NamedTuple

import numpy as np
from rich import box
from rich.markup import escape
from rich.table import Column, Table

from rlcard_kit.arrays import Float64Array
from rlcard_kit.statistics import Estimate, estimate

Columns = Mapping[str, Float64Array]  # figures of a match by name, each a value per deal, [D]: its mean is the figure

CELL_WIDTH = len('± 1.234')  # and of nearly every number; rich widens a column that needs more
LATEX = {'\\': r'\textbackslash{}', '~': r'\textasciitilde{}', '^': r'\textasciicircum{}'}  # others take a backslash


class Row(NamedTuple):
    """A line of a table: a name and an estimate, or nothing, per column."""

    name: str
    cells: tuple[Estimate | None, ...]


class Section(NamedTuple):
    """A table of estimates."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


class Listing(NamedTuple):
    """A table of words."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def row(name: str, columns: Columns) -> Row:
    """Return figures as a row of a table; an unknown figure, NaN, is left empty."""
    return Row(name, tuple(None if np.isnan(column).any() else estimate(column) for column in columns.values()))


def differences(one: Columns, other: Columns) -> Columns:
    """Return the differences of figures on the same deals."""
    return {name: column - other[name] for name, column in one.items()}


def parts_of(section: Section, width: int) -> list[Section]:
    """Split a table into parts that fit into `width` columns of text."""
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


def rich_listing(listing: Listing) -> Table:
    """Build a listing's table for the terminal."""
    columns = (Column(escape(name), overflow='fold') for name in listing.columns)
    table = Table(*columns, title=escape(listing.title), title_justify='left', box=box.SIMPLE_HEAD)
    table.show_edge, table.padding = False, (0, 1, 0, 0)
    for row in listing.rows:
        table.add_row(*map(escape, row))
    return table


def markdown_table(table: Section | Listing) -> str:
    """Return a table as Markdown."""
    if isinstance(table, Listing):
        head, rows = table.columns, table.rows
    else:
        head = ('', *table.columns)
        rows = tuple((row.name, *('' if cell is None else str(cell) for cell in row.cells)) for row in table.rows)
    lines = [f'| {" | ".join(line)} |' for line in (head, *rows)]
    return f'## {table.title}\n\n' + '\n'.join([lines[0], '|---' * len(head) + '|', *lines[1:]])


def latex_table(section: Section) -> str:
    """Return a section as LaTeX, for the package booktabs."""
    lines = [['', *map(_latex, section.columns)]]
    lines += [[_latex(row.name), *map(_latex_cell, row.cells)] for row in section.rows]
    head, *body = (' & '.join(line) + r' \\' for line in lines)
    columns = 'l' + 'r' * len(section.columns)
    parts = [
        r'\begin{table}',
        r'\centering',
        rf'\caption{{{_latex(section.title)}}}',
        rf'\begin{{tabular}}{{{columns}}}',
    ]
    parts += [r'\toprule', head, r'\midrule', *body, r'\bottomrule', r'\end{tabular}', r'\end{table}']
    return '\n'.join(parts)


def _latex(text: str) -> str:
    return re.sub(r'[\\~^&%$#_{}]', lambda found: LATEX.get(found[0], '\\' + found[0]), text)


def _latex_cell(cell: Estimate | None) -> str:
    if cell is None:
        return ''
    return f'${cell.mean:.3f} \\pm {cell.margin:.3f}$' if isfinite(cell.margin) else f'${cell.mean:.3f}$'


def csv_table(sections: Iterable[Section]) -> str:
    """Return tables as CSV, a line for each estimate; an interval that is unknown has no margin."""
    file = StringIO()
    writer = csv.writer(file, lineterminator='\n')
    writer.writerow(('table', 'row', 'column', 'mean', 'margin'))
    for section in sections:
        for row in section.rows:
            for column, cell in zip(section.columns, row.cells, strict=True):
                if cell is not None:
                    margin = cell.margin if isfinite(cell.margin) else ''
                    writer.writerow((section.title, row.name, column, cell.mean, margin))
    return file.getvalue()
