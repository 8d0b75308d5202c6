"""A run's figures over time, as CSV."""

import csv
from pathlib import Path

from dmc.progress import Progress

COLUMNS = ('seconds', 'frames', 'frames_per_second', 'games', 'loss', 'winners_return')
WRITE_SECONDS = 10.0  # between two lines


class Metrics:
    """Appends a line to metrics.csv every ten seconds.

    Args:
        folder: of the run.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / 'metrics.csv'
        self._written = 0.0

    def write(self, progress: Progress) -> None:
        """Append the figures of now, if it is time to."""
        if progress.seconds - self._written < WRITE_SECONDS:
            return
        self._written = progress.seconds
        is_new = not self._path.exists()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open('a', newline='') as file:
            writer = csv.writer(file)
            if is_new:
                writer.writerow(COLUMNS)
            writer.writerow([getattr(progress, column) for column in COLUMNS])
