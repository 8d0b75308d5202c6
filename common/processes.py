"""Processes that leave Ctrl-C to their parent and never outlive it."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import parent_process, resource_tracker
from multiprocessing.process import BaseProcess
from threading import Thread


def start(process: BaseProcess) -> None:
    """Start a process that never gets SIGINT: Ctrl-C is for its parent, which ends it."""
    with _interrupts_held_back():
        process.start()


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Block SIGINT, which a process that starts meanwhile keeps blocked."""
    resource_tracker.ensure_running()  # which unblocks it, when the first process starts
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)


def leave_with_parent() -> None:
    """End this process when its parent is gone, however and whenever that ended; returns at once."""
    Thread(target=_wait_for_end_of_parent, daemon=True).start()


def _wait_for_end_of_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
