"""A run's figures over time: metrics.csv, and TensorBoard's events if tensorboard is installed."""

import csv
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from eval.points import Point
from rlcard_big2.files import replace
from training.progress import Progress

COLUMNS = ('seconds', 'frames', 'frames_per_second', 'played_per_second', 'games', 'winners_return')
WRITE_SECONDS = 10.0  # between two lines

Figures = Mapping[str, float | None]  # what a trainer measures, by name


class Metrics:
    """Appends a line every ten seconds.

    Args:
        folder: of the run.
        frames: that the run resumes from; later lines belong to a part of it that was lost, and are removed.
    """

    def __init__(self, folder: Path, frames: int = 0) -> None:
        self._path = folder / 'metrics.csv'
        _remove_lost(self._path, frames)
        self._written = 0.0
        self._events = _event_writer(folder / 'tensorboard')

    def write(self, progress: Progress, figures: Figures) -> None:
        """Append the current figures, if it is time to."""
        if progress.seconds - self._written < WRITE_SECONDS:
            return
        self._written = progress.seconds
        line = {**{column: getattr(progress, column) for column in COLUMNS}, **figures}
        is_new = not self._path.exists()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open('a', newline='') as file:
            writer = csv.DictWriter(file, list(line))
            if is_new:
                writer.writeheader()
            writer.writerow(line)
        if self._events is not None:
            for column, value in line.items():
                if value is not None:
                    self._events.add_scalar(column, value, progress.frames)

    def add(self, points: Iterable[Point]) -> None:
        """Record points of the learning curve."""
        for point in points if self._events is not None else ():
            self._events.add_scalar(f'ev/{point.opponent}', point.ev.mean, point.frames)
            self._events.add_scalar(f'wp/{point.opponent}', point.wp.mean, point.frames)

    def close(self) -> None:
        """Write what is still buffered."""
        if self._events is not None:
            with suppress(OSError):  # a full disk, which has been reported already
                self._events.close()


def _remove_lost(path: Path, frames: int) -> None:
    if not path.exists():
        return
    with path.open(newline='') as file:
        header, *lines = list(csv.reader(file)) or [[]]
    column = COLUMNS.index('frames')
    kept = [line for line in lines if len(line) == len(header) and int(line[column]) <= frames]

    def write(temporary: Path) -> None:
        with temporary.open('w', newline='') as file:
            csv.writer(file).writerows([header, *kept] if header else [])

    replace(path, write)


def _event_writer(folder: Path) -> Any:
    """Return a writer of TensorBoard's events, or None if tensorboard is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(folder)
