"""Child processes that ignore Ctrl-C and end with their parent."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import parent_process, resource_tracker
from multiprocessing.process import BaseProcess
from threading import Thread


def start(process: BaseProcess) -> None:
    """Start a process with SIGINT blocked: on Ctrl-C, its parent ends it."""
    with _sigint_blocked():
        process.start()


@contextmanager
def _sigint_blocked() -> Iterator[None]:
    """Block SIGINT; a process that starts meanwhile inherits the mask."""
    resource_tracker.ensure_running()  # or it would start with the first process, and unblock SIGINT
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)


def leave_with_parent() -> None:
    """End this process when its parent ends, even if that is killed. Returns at once."""
    Thread(target=_wait_for_end_of_parent, daemon=True).start()


def _wait_for_end_of_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
