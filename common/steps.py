"""Notes on steps that take a while, so that no command is silent for long."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

SECONDS = 10.0  # between two notes


@contextmanager
def step(text: str, at_once: bool = True) -> Iterator[None]:
    """Print the name of a step on standard error, and its duration every ten seconds until it ends.

    Args:
        text: the name.
        at_once: print the name before the first ten seconds too.
    """
    ended = Event()

    def note() -> None:
        count = 0
        while not ended.wait(SECONDS):
            count += 1
            sys.stderr.write(f'{text}: {count * SECONDS:.0f} s\n')

    if at_once:
        sys.stderr.write(f'{text}\n')
    notes = Thread(target=note, daemon=True)
    notes.start()
    try:
        yield
    finally:
        ended.set()
        notes.join()  # none is printed after the step
