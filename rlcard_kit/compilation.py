"""Compilation of kernels, as this process sees it: announced on stderr, and its CPU time."""

import atexit
import sys
import time
from collections.abc import Collection
from pathlib import Path
from threading import Timer

from numba.core import event

QUIET = 1.0  # seconds without a new kernel, after which compilation counts as done


def announce_compilation(packages: Collection[str], folder: Path) -> None:
    """Announce from now on, on stderr, that kernels of some packages are compiled into a folder."""
    event.register('numba:compile', _Announcement(packages, folder))  # type: ignore[no-untyped-call]


class _Announcement(event.Listener):
    """Announce the start and end of compilation, since the first game then takes a minute.

    Only the first process that compiles into the folder announces it.

    Args:
        packages: whose kernels count.
        folder: for compiled code.
    """

    def __init__(self, packages: Collection[str], folder: Path) -> None:
        self._packages = packages
        self._folder = folder
        self._announces: bool | None = None  # unknown before the first kernel
        self._depth = 0  # of nested compilations
        self._start = self._end = 0.0
        self._timer: Timer | None = None

    def on_start(self, event: event.Event) -> None:
        """Announce the first kernel."""
        if not self._is_ours(event):
            return
        if self._announces is None:
            self._announces = self._is_first()
            self._start = time.perf_counter()
            if self._announces:
                sys.stderr.write('rlcard_kit: compiling the engine, once per machine; up to two minutes\n')
                atexit.register(self._finish)
        self._depth += 1
        if self._timer is not None:
            self._timer.cancel()

    def on_end(self, event: event.Event) -> None:
        """Start the timer that ends compilation unless another kernel follows."""
        if not self._is_ours(event):
            return
        self._depth -= 1
        self._end = time.perf_counter()
        if self._announces and self._depth == 0:
            self._timer = Timer(QUIET, self._finish)
            self._timer.daemon = True
            self._timer.start()

    def _finish(self) -> None:
        if self._announces:
            self._announces = False
            sys.stderr.write(f'rlcard_kit: compiled in {self._end - self._start:.0f} s\n')

    def _is_ours(self, event: event.Event) -> bool:
        return event.data['dispatcher'].py_func.__module__.partition('.')[0] in self._packages

    def _is_first(self) -> bool:
        """Return whether this process is the first to compile into the folder, and mark the folder."""
        try:
            (self._folder / 'announced').touch(exist_ok=False)
        except FileExistsError:
            return False
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
