"""TensorBoard's events, if tensorboard is installed, written in this thread: what fails is told to the caller."""

import os
import platform
import time
from collections.abc import Mapping
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

VERSION = 'brain.Event:2'  # of the format


class Events:
    """Appends events to a file in a folder, begun with the first event; without tensorboard it does nothing.

    Args:
        folder: made if it is missing.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._is_installed = find_spec('tensorboard') is not None
        self._writer: Any = None
        self._names = (f'{platform.node()}.{os.getpid()}.{number}' for number in count())

    def add(self, figures: Mapping[str, float | None], frames: int) -> None:
        """Write figures that were measured after so many frames; those that are None are left out.

        Raises:
            OSError: if they cannot be written; the next are written to another file.
        """
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
