"""The progress of a run, live in a terminal and as plain lines elsewhere."""

import time
from contextlib import ExitStack

from rich.console import Group
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from typing_extensions import Self, override

from eval.common.cli import new_console
from eval.points import Point
from training.metrics import Figures
from training.progress import Progress

PLAIN_SECONDS = 10.0  # between two plain lines
PAIR_WIDTH = 40  # columns of a name and a figure in the live table, at most two pairs to a line


class Display(ExitStack):
    """Shows the progress of a run; a context manager, since a live display must be closed.

    Args:
        title: of the run.
        opponents: the number of seats of a match's opponent, in words.
    """

    def __init__(self, title: str, opponents: str) -> None:
        super().__init__()
        self._title, self._opponents = title, opponents
        self._console = new_console()
        self._live: Live | None = None
        self._last_line = 0.0

    @override
    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live = self.enter_context(Live(console=self._console, refresh_per_second=4))
        return self

    def show(self, progress: Progress, measured: Figures, latest: dict[str, Point]) -> None:
        """Update the display; `latest` is the last point against each fixed opponent."""
        figures = _figures(progress) | {name.replace('_', ' '): _short(value) for name, value in measured.items()}
        if self._live is not None:
            matches = [_match_table(latest, self._opponents)] if latest else []
            pairs = 2 if self._console.width >= 2 * PAIR_WIDTH else 1
            self._live.update(Group(_figure_table(self._title, figures, pairs), *matches))
        elif time.monotonic() - self._last_line > PLAIN_SECONDS:
            self._last_line = time.monotonic()
            self._console.print('  '.join(f'{name} {value}' for name, value in figures.items()), soft_wrap=True)

    def say(self, text: str) -> None:
        """Print a message above the display."""
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def report_points(self, points: list[Point]) -> None:
        """Print points of the learning curve, unless a live table shows them."""
        for point in points if self._live is None else ():
            self.say(f'after {point.frames:,} frames, against {self._opponents} of {point.opponent}: {point}')


def _figures(progress: Progress) -> dict[str, str]:
    left = progress.seconds_left
    return {
        'time': _clock(progress.seconds),
        'left': '-' if left is None else _clock(left),
        'frames': f'{progress.frames:,}',
        'learned/s': f'{progress.frames_per_second:,.0f}',
        'played/s': f'{progress.played_per_second:,.0f}',
        'games': f'{progress.games:,}',
        "winner's return": _short(progress.winners_return),
    }


def _short(value: float | None) -> str:
    return '-' if value is None else f'{value:.3g}'


def _figure_table(title: str, figures: dict[str, str], pairs: int) -> Table:
    """Lay out figures by name, some pairs to a line."""
    table = Table(title=escape(title), title_justify='left', show_header=False)
    for _ in range(pairs):
        table.add_column(style='dim', overflow='fold')
        table.add_column(justify='right', overflow='fold')
    cells = [cell for pair in figures.items() for cell in pair]
    for start in range(0, len(cells), 2 * pairs):
        table.add_row(*cells[start : start + 2 * pairs])
    return table


def _match_table(latest: dict[str, Point], opponents: str) -> Table:
    table = Table()
    for name in (f'against {opponents} of', 'after frames', 'WP', 'EV'):
        table.add_column(name, justify='right', overflow='fold')
    for point in latest.values():
        table.add_row(escape(point.opponent), f'{point.frames:,}', f'{point.wp:.3f}', f'{point.ev:+.2f}')
    return table


def _clock(seconds: float) -> str:
    return f'{int(seconds) // 60}:{int(seconds) % 60:02d}'
