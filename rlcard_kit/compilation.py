"""Compilation of kernels, as this process sees it: announced on stderr, and its CPU time."""

import atexit
import fcntl
import os
import sys
import time
from collections.abc import Collection
from pathlib import Path
from threading import Thread

from numba.core import event

QUIET = 1.0  # seconds without a kernel, after which compilation counts as done
PATIENCE = 5.0  # seconds before it is announced, unless it is the first into its folder
INTERVAL = 10.0  # seconds between two notes


def announce_compilation(packages: Collection[str], folder: Path) -> None:
    """Announce from now on, on stderr, that kernels of some packages are compiled into a folder."""
    event.register('numba:compile', _Announcement(packages, folder))  # type: ignore[no-untyped-call]


class _Announcement(event.Listener):
    """Announce the start, the seconds and the end of compilation, since the first game then takes a minute.

    One process at a time announces what is compiled into the folder.

    Args:
        packages: whose kernels count.
        folder: for compiled code.
    """

    def __init__(self, packages: Collection[str], folder: Path) -> None:
        self._packages = packages
        self._file = folder / 'announced'  # the process that announces holds its lock
        self._depth = 0  # of nested compilations
        self._end = 0.0
        self._counting: Thread | None = None

    def on_start(self, event: event.Event) -> None:
        """Start counting at the first kernel."""
        if self._is_ours(event):
            self._depth += 1
            if self._counting is None:
                self._counting = Thread(target=self._count, daemon=True)
                self._counting.start()
                atexit.register(self._finish)

    def on_end(self, event: event.Event) -> None:
        """Note the time, at which compilation ends unless another kernel follows."""
        if self._is_ours(event):
            self._depth -= 1
            self._end = time.perf_counter()

    def _count(self) -> None:
        """Write notes until compilation ends."""
        start, due = time.perf_counter(), 0.0 if not self._file.exists() else PATIENCE
        lock, is_announced = _open(self._file), False
        while self._depth or time.perf_counter() - self._end < QUIET:
            seconds = time.perf_counter() - start
            if seconds >= due and self._depth and (is_announced or _take(lock)):
                first = 'compiling the engine, once per machine; some minutes if it is busy'
                sys.stderr.write(f'rlcard_kit: {f"compiling: {seconds:.0f} s" if is_announced else first}\n')
                is_announced, due = True, seconds + INTERVAL
            time.sleep(0.05)
        if is_announced:
            sys.stderr.write(f'rlcard_kit: compiled in {self._end - start:.0f} s\n')
        if lock is not None:
            os.close(lock)
        self._counting = None

    def _finish(self) -> None:
        """End counting, as the process ends."""
        if self._counting is not None:
            self._end -= QUIET
            self._counting.join(QUIET)

    def _is_ours(self, event: event.Event) -> bool:
        return event.data['dispatcher'].py_func.__module__.partition('.')[0] in self._packages


def _open(file: Path) -> int | None:
    """Open a file to lock; None in a folder that cannot be written."""
    try:
        return os.open(file, os.O_CREAT | os.O_RDWR, 0o666)
    except OSError:
        return None


def _take(lock: int | None) -> bool:
    """Take a lock; return False if another process holds it. A file system without locks has none to hold."""
    try:
        if lock is not None:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


class _Stopwatch(event.Listener):
    """CPU time of compiling kernels, and of loading compiled ones."""

    def __init__(self) -> None:
        self.depth = 0  # of nested compilations
        self._before = self._start = 0.0

    def on_start(self, event: event.Event) -> None:
        """Start at the first kernel."""
        if not self.depth:
            self._start = time.process_time()
        self.depth += 1

    def on_end(self, event: event.Event) -> None:
        """Stop at the last one."""
        self.depth -= 1
        if not self.depth:
            self._before += time.process_time() - self._start

    @property
    def seconds(self) -> float:
        """CPU time until now."""
        return self._before + (time.process_time() - self._start if self.depth else 0.0)


def is_compiling() -> bool:
    """Return whether a kernel is being compiled in this process."""
    return _STOPWATCH.depth > 0


def compiling_seconds() -> float:
    """Return the CPU time that this process has spent on compiling kernels, including those of agents."""
    return _STOPWATCH.seconds


_STOPWATCH = _Stopwatch()
event.register('numba:compiler_lock', _STOPWATCH)  # type: ignore[no-untyped-call]
