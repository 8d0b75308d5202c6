"""The progress of a run, live in a terminal and as plain lines elsewhere."""

import time
from contextlib import ExitStack
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.table import Table

from dmc.config import Config
from dmc.progress import Progress

PLAIN_SECONDS = 10.0  # between two plain lines


class Display:
    """Shows the progress of a run; a context manager, since a live display must be closed."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._console = Console()
        self._stack = ExitStack()
        self._live: Live | None = None
        self._last_line = 0.0

    def __enter__(self) -> 'Display':
        if self._console.is_terminal:
            self._live = self._stack.enter_context(Live(console=self._console, refresh_per_second=4))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def show(self, progress: Progress) -> None:
        """Bring the display up to date."""
        figures = self._figures(progress)
        if self._live is not None:
            table = Table(title=f'learning {self._config.rules}, saved in {self._config.savedir}', title_justify='left')
            for name in figures:
                table.add_column(name, justify='right')
            table.add_row(*figures.values())
            self._live.update(table)
        elif time.monotonic() - self._last_line > PLAIN_SECONDS:
            self._last_line = time.monotonic()
            self._console.print('  '.join(f'{name} {value}' for name, value in figures.items()), soft_wrap=True)

    def say(self, text: str) -> None:
        """Print a message above the display."""
        self._console.print(text, markup=False, soft_wrap=True)

    def _figures(self, progress: Progress) -> dict[str, str]:
        limit = f' of {_clock(60 * self._config.minutes)}' if self._config.minutes is not None else ''
        return {
            'time': _clock(progress.seconds) + limit,
            'frames': f'{progress.frames:,}',
            'frames/s': f'{progress.frames_per_second:,.0f}',
            'games': f'{progress.games:,}',
            'loss': '-' if progress.loss is None else f'{progress.loss:.2f}',
            "winner's return": '-' if progress.winners_return is None else f'{progress.winners_return:+.2f}',
        }


def _clock(seconds: float) -> str:
    return f'{int(seconds) // 60}:{int(seconds) % 60:02d}'
