"""A table of figures on the console, and in a file."""

import csv
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table


def print_table(rows: Sequence[Sequence[str]], out: Path | None, title: str | None = None) -> None:
    """Print rows, the header first, and write them as CSV if there is a file."""
    table = Table(*rows[0], title=title)
    for row in rows[1:]:
        table.add_row(*row)
    Console().print(table)
    if out is not None:
        with out.open('w', newline='', encoding='utf-8') as file:
            csv.writer(file, lineterminator='\n').writerows(rows)
