"""A run's figures over time: metrics.csv, and TensorBoard's events where tensorboard is installed."""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dmc.progress import Progress
from dmc.standing import Point

COLUMNS = (
    'seconds',
    'frames',
    'frames_per_second',
    'played_per_second',
    'queue',
    'games',
    'loss',
    'winners_return',
    'learning_rate',
)
WRITE_SECONDS = 10.0  # between two lines


class Metrics:
    """Appends a line every ten seconds.

    Args:
        folder: of the run.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / 'metrics.csv'
        self._written = 0.0
        self._events = _event_writer(folder / 'tensorboard')

    def write(self, progress: Progress) -> None:
        """Append the figures of now, if it is time to."""
        if progress.seconds - self._written < WRITE_SECONDS:
            return
        self._written = progress.seconds
        figures = {column: getattr(progress, column) for column in COLUMNS}
        is_new = not self._path.exists()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open('a', newline='') as file:
            writer = csv.DictWriter(file, COLUMNS)
            if is_new:
                writer.writeheader()
            writer.writerow(figures)
        if self._events is not None:
            for column in COLUMNS[2:]:
                if figures[column] is not None:
                    self._events.add_scalar(column, figures[column], progress.frames)

    def add(self, points: Iterable[Point]) -> None:
        """Record points of the learning curve."""
        for point in points if self._events is not None else ():
            self._events.add_scalar(f'ev/{point.opponent}', point.ev.mean, point.frames)
            self._events.add_scalar(f'wp/{point.opponent}', point.wp.mean, point.frames)

    def close(self) -> None:
        """Write what is not written yet."""
        if self._events is not None:
            self._events.close()


def _event_writer(folder: Path) -> Any:
    """Return a writer of TensorBoard's events, or None where tensorboard is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(folder)
