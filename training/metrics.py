"""A run's figures over time: metrics.csv, and TensorBoard's events if tensorboard is installed."""

import csv
import errno
import io
import os
import platform
import time
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

from eval.points import Point
from rlcard_kit.errors import FileError
from rlcard_kit.files import read_file, replace
from rlcard_kit.nets.checkpoint import CheckpointError
from training.progress import Progress

COLUMNS = ('seconds', 'frames', 'frames_per_second', 'played_per_second', 'games', 'winners_return')
WRITE_SECONDS = 10.0  # between two lines
LARGEST = 1 << 30  # bytes of metrics.csv
VERSION = 'brain.Event:2'  # of TensorBoard's format

Figures = Mapping[str, float | None]  # what a trainer measures, by name


class Metrics:
    """Appends a line every ten seconds.

    Args:
        folder: of the run.
        frames: that the run resumes from; later lines belong to a part of it that was lost, and are removed.

    Raises:
        CheckpointError: if metrics.csv cannot be read.
    """

    def __init__(self, folder: Path, frames: int = 0) -> None:
        self._path = folder / 'metrics.csv'
        _remove_lost(self._path, frames)
        self._columns: list[str] = []  # of the file, once they are known
        self._written = 0.0
        self._events = Events(folder / 'tensorboard')

    def write(self, progress: Progress, figures: Figures) -> None:
        """Append the current figures, if it is time to; OSError if they cannot be written."""
        if progress.seconds - self._written < WRITE_SECONDS:
            return
        self._written = progress.seconds
        line = {**{column: getattr(progress, column) for column in COLUMNS}, **figures}
        if not self._columns or not self._path.exists():
            self._columns = _begin(self._path, list(line))
        _append(self._path, _csv([[line.get(column) for column in self._columns]]))
        self._events.add(line, progress.frames)

    def add(self, points: Iterable[Point]) -> None:
        """Record points of the learning curve; OSError if they cannot be written."""
        for point in points:
            measured = {f'ev/{point.opponent}': point.ev.mean, f'wp/{point.opponent}': point.wp.mean}
            self._events.add(measured, point.frames)


def _begin(path: Path, columns: list[str]) -> list[str]:
    """Write the header of a file, or add missing columns to it; return all columns."""
    header, *lines = list(csv.reader(path.read_text(encoding='utf-8').splitlines())) if path.exists() else [[]]
    missing = [column for column in columns if column not in header]
    if missing and header:
        rows = [header + missing, *(line + [''] * len(missing) for line in lines)]
        replace(path, lambda temporary: temporary.write_bytes(_csv(rows)))
    elif missing:
        _append(path, _csv([columns]))
    return header + missing


def _csv(rows: Iterable[Iterable[object]]) -> bytes:
    text = io.StringIO(newline='')
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def _append(path: Path, data: bytes) -> None:
    """Append to a file, all or nothing, so that a full disk leaves no part of a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open('ab', buffering=0) as file:
        before = path.stat().st_size
        if file.write(data) < len(data):
            file.truncate(before)
            raise OSError(errno.ENOSPC, 'no room for another line', str(path))


def _remove_lost(path: Path, frames: int) -> None:
    """Remove lines that are damaged, or later than `frames`."""
    if not path.exists():
        return
    try:
        text = read_file(path, LARGEST).decode(errors='replace')
        header, *lines = list(csv.reader(text.splitlines())) or [[]]
    except (FileError, csv.Error) as error:
        raise CheckpointError(f'{error}; without {path} the run begins a new one') from error
    kept = [line for line in lines if len(line) == len(header) and _frames_of(line) <= frames]
    replace(path, lambda temporary: temporary.write_bytes(_csv([header, *kept] if header else [])))


def _frames_of(line: list[str]) -> float:
    """Return the frames of a line; infinitely many if it has none."""
    try:
        return int(line[COLUMNS.index('frames')])
    except (ValueError, IndexError):
        return float('inf')


class Events:
    """Appends TensorBoard's events to a file in a folder, if tensorboard is installed.

    They are written in this thread, so that errors reach the caller.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._is_installed = find_spec('tensorboard') is not None
        self._writer: Any = None
        self._names = (f'{platform.node()}.{os.getpid()}.{number}' for number in count())

    def add(self, figures: Mapping[str, float | None], frames: int) -> None:
        """Write figures measured after `frames`, except None; after an OSError, the next go to another file."""
        if not self._is_installed:
            return
        from tensorboard.compat.proto.summary_pb2 import Summary

        values = [Summary.Value(tag=name, simple_value=value) for name, value in figures.items() if value is not None]
        try:
            self._write(step=frames, summary=Summary(value=values))
        except OSError:
            self._writer = None  # a part of an event cannot be read past
            raise

    def _write(self, **contents: Any) -> None:
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.summary.writer.record_writer import RecordWriter

        if self._writer is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            name = f'events.out.tfevents.{int(time.time()):010d}.{next(self._names)}'
            self._writer = RecordWriter((self._folder / name).open('wb', buffering=0))
            self._writer.write(Event(wall_time=time.time(), file_version=VERSION).SerializeToString())
        self._writer.write(Event(wall_time=time.time(), **contents).SerializeToString())
