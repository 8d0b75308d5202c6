"""Tables of estimates: in the terminal, and as Markdown, LaTeX and CSV."""

import csv
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from io import StringIO
from math import isfinite
from typing import NamedTuple

import numpy as np
from rich import box
from rich.markup import escape
from rich.table import Table

from rlcard_kit.arrays import Float64Array
from rlcard_kit.statistics import Estimate, estimate, estimate_share

Columns = Mapping[str, Float64Array]  # figures of a match by name, each a value per deal, [D]: its mean is the figure

DIFFERENCE = 'difference'
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


def cell_of(column: Float64Array, is_share: bool = False) -> Estimate | None:
    """Estimate a figure, or a share of games, from its values, [D]; None if it is unknown, NaN."""
    return None if np.isnan(column).any() else (estimate_share if is_share else estimate)(column)


def row(name: str, columns: Columns, shares: Container[str] = ()) -> Row:
    """Return figures as a row of a table; those that `shares` names are shares of games."""
    return Row(name, tuple(cell_of(column, figure in shares) for figure, column in columns.items()))


def differences(one: Columns, other: Columns) -> Columns:
    """Return the differences of figures on the same deals."""
    return {name: column - other[name] for name, column in one.items()}


def paired(title: str, names: Sequence[str], figures: Sequence[Columns], shares: Container[str]) -> Section:
    """Return the figures of two agents on the same deals and their differences as a table."""
    agents = [row(name, columns, shares) for name, columns in zip(names, figures, strict=True)]
    return Section(title, tuple(figures[0]), (*agents, row(DIFFERENCE, differences(*figures))))


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


def in_words(table: Section | Listing) -> Listing:
    """Return a table with its estimates as text."""
    if isinstance(table, Listing):
        return table
    rows = tuple((row.name, *('' if cell is None else str(cell) for cell in row.cells)) for row in table.rows)
    return Listing(table.title, ('', *table.columns), rows)


def rich_table(table: Section | Listing) -> Table:
    """Build a table for the terminal."""
    words = in_words(table)
    built = Table(title=escape(words.title), title_justify='left', box=box.SIMPLE_HEAD)
    for index, name in enumerate(words.columns):
        built.add_column(escape(name), overflow='fold')
        if index and isinstance(table, Section):
            built.columns[index].justify, built.columns[index].min_width = 'right', CELL_WIDTH
    built.show_edge, built.padding = False, (0, 1, 0, 0)
    for line in words.rows:
        built.add_row(*(escape(text).replace(' ± ', '\n± ') for text in line))
    return built


def markdown_table(table: Section | Listing) -> str:
    """Return a table as Markdown."""
    words = in_words(table)
    cells = ([text.replace('|', r'\|').replace('<', '&lt;') for text in line] for line in (words.columns, *words.rows))
    head, *lines = (f'| {" | ".join(line)} |' for line in cells)
    return f'## {words.title}\n\n' + '\n'.join([head, '|---' * len(words.columns) + '|', *lines])


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
    return re.sub(r'[\\~^&%$#_{}]', lambda match: LATEX.get(match[0], '\\' + match[0]), text)


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
