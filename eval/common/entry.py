"""Entry point of a command, and notes on its steps; it imports next to nothing, so that Ctrl-C works meanwhile."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from threading import Event, Thread
from types import FrameType
from typing import Any, TextIO

from rlcard_kit.errors import INTERRUPTED, installing
from rlcard_kit.process import prepare_streams
from rlcard_kit.signals import handled

SECONDS = 10.0  # between two notes on a step


class Output:
    """Standard output that discards what follows once it cannot be written: its reader or terminal has ended.

    Args:
        stream: to write to.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text."""
        try:
            return self._stream.write(text)
        except OSError:
            self._discard()
            return len(text)

    def flush(self) -> None:
        """Write what is buffered."""
        try:
            self._stream.flush()
        except OSError:
            self._discard()

    def _discard(self) -> None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def missing(error: ModuleNotFoundError) -> str:
    """Return the advice for a library that is not installed."""
    return f'{error.name} is not installed: {installing("train")}'


def run(program: str, module: str, *arguments: object) -> None:
    """Import a module and call its `main`. During the import, Ctrl-C ends the process with one line.

    A run goes on without its display if nobody reads it any more.

    Args:
        program: its name, the beginning of the line.
        module: with the commands, which handles Ctrl-C itself.
        arguments: of its `main`.
    """

    def leave(number: int, frame: FrameType | None) -> None:
        os.write(2, f'{program}: interrupted\n'.encode())
        os._exit(INTERRUPTED)  # a module that is being imported may swallow an exception

    prepare_streams()
    try:
        with handled(leave, [signal.SIGINT]), step(f'{program}: importing', at_once=False):
            main = import_module(module).main
    except ModuleNotFoundError as error:
        sys.exit(f'{program}: {missing(error)}')
    output = Output(sys.stdout)
    with redirect_stdout(output):
        try:
            main(*arguments)
        finally:
            output.flush()


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
