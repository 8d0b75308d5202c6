"""Processes that another process watches: what they wait for is noted in memory that both share.

A program begins with this, so it imports only what is small.
"""

import mmap
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from math import inf
from threading import Thread
from types import FrameType
from typing import Any

from common.entry import INTERRUPTED

SIZE = 4096  # bytes of a note
SERIAL, SECONDS, LENGTH, STATUS, TEXT = 0, 1, 2, 3, 32  # where in it: four numbers, and then text
POLL = 0.5  # seconds between two looks
GRACE = 10.0  # seconds for a program to end after it has finished, or was interrupted


class Note:
    """What a process waits for, where another process can read it.

    Args:
        buffer: SIZE bytes, zeros at first, in memory that both processes share.
    """

    def __init__(self, buffer: Any) -> None:
        self._text = memoryview(buffer).cast('B')[TEXT:]
        self._numbers = memoryview(buffer).cast('B')[:TEXT].cast('d')
        self.answered()

    def expect(self, what: str, seconds: float) -> None:
        """Note that `what` is to be done within so many seconds by the clock."""
        text = what.encode(errors='replace')[: len(self._text)]
        self._text[: len(text)] = text
        self._numbers[LENGTH] = len(text)
        self._numbers[SECONDS] = seconds
        self._numbers[SERIAL] += 1

    def answered(self) -> None:
        """Note that it is done."""
        self.expect('', inf)

    def finish(self, status: int) -> None:
        """Note that the program has come to its end, with an exit status."""
        self._numbers[STATUS] = status + 1

    @property
    def what(self) -> str:
        """What the process waits for; empty if nothing."""
        return bytes(self._text[: int(self._numbers[LENGTH])]).decode(errors='replace')

    @property
    def expectation(self) -> tuple[float, float]:
        """A number that changes with each expectation, and the seconds within which it is to be met."""
        return self._numbers[SERIAL], self._numbers[SECONDS]

    @property
    def status(self) -> int | None:
        """The exit status with which the program has come to its end, or None."""
        return int(self._numbers[STATUS]) - 1 if self._numbers[STATUS] else None


class Watcher:
    """Counts for how long a process has waited, in looks; time in which nobody could look does not count."""

    def __init__(self, note: Note) -> None:
        self.note = note
        self._serial, self._waited, self._last = -1.0, 0.0, time.monotonic()

    def is_late(self) -> bool:
        """Tell whether the process waits for longer than it said; to be asked every POLL seconds."""
        now = time.monotonic()
        passed, self._last = min(now - self._last, 2 * POLL), now
        serial, seconds = self.note.expectation
        self._waited = self._waited + passed if serial == self._serial else 0.0
        self._serial = serial
        return self._waited > seconds


def late(note: Note) -> str:
    """Say that a process waited in vain."""
    return f'{note.what}: its time was over, it did not stop when it was told to, and was ended'


def ended(note: Note, code: int) -> str:
    """Say how a process ended that should not have: its exit code, negative if a signal killed it."""
    how = f'was killed by signal {-code} ({signal.strsignal(-code)})' if code < 0 else f'ended with status {code}'
    return how + (f' while it waited for {note.what}' if note.what else '')


def supervised(program: str, main: Callable[[Note], None], advice: str) -> None:
    """Run a program in a process of its own and see to it that it comes to its end; exit as it does.

    The first process only waits, so that an end before the end of `main` is an error, whatever others' code does in the
    program. It is to be called before anything large is imported: a process without threads may be forked.

    Args:
        program: its name, which messages begin with.
        main: gets the note by which it is watched.
        advice: after an end that was not expected.
    """
    note = Note(mmap.mmap(-1, SIZE))
    child_lives, parent_lives = os.pipe(), os.pipe()  # a pipe ends with the process that holds its writing end
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    child = os.fork()
    if child:
        os.close(child_lives[1])
        os.close(parent_lives[0])
        sys.exit(_Supervisor(child, child_lives[0], note, program).wait(advice))
    os.close(child_lives[0])
    os.close(parent_lives[1])
    Thread(target=_leave_with_parent, args=(parent_lives[0],), daemon=True).start()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _run(main, note)


def _leave_with_parent(parent_lives: int) -> None:
    os.read(parent_lives, 1)
    os._exit(1)


def _run(main: Callable[[Note], None], note: Note) -> None:
    status = 1
    try:
        main(note)
        status = 0
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
        raise
    finally:
        note.finish(status)
        with suppress(OSError):  # nobody may read it any more
            sys.stdout.flush()


class _Supervisor:
    """Waits for the process that runs a program.

    Args:
        child: its number.
        child_lives: the reading end of a pipe that ends with it.
        note: what it waits for.
        program: its name.
    """

    def __init__(self, child: int, child_lives: int, note: Note, program: str) -> None:
        self._child, self._child_lives, self._note, self._program = child, child_lives, note, program
        self._is_interrupted = self._is_told = False
        self._limit = inf  # of the clock, for its end
        self._reason = ''  # why it was killed
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # it is not if Ctrl-C is to be ignored
            signal.signal(signal.SIGINT, self._interrupt)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self._is_interrupted = True

    def wait(self, advice: str) -> int | str:
        """Wait for its end; return what to exit with."""
        watcher = Watcher(self._note)
        while (code := self._exit_code()) is None:
            if self._is_interrupted or self._note.status is not None:
                self._limit = min(self._limit, time.monotonic() + GRACE)
            if watcher.is_late():
                self._kill(late(self._note))
            elif time.monotonic() > self._limit:
                self._kill('interrupted')
            elif self._is_interrupted and not self._is_told and self._note.status is None:
                os.kill(self._child, signal.SIGINT)  # a terminal has told it already
                self._is_told = True
        return self._verdict(code, advice)

    def _exit_code(self) -> int | None:
        """Return the exit code once it has ended, negative if a signal killed it; None after POLL seconds."""
        if select.select([self._child_lives], [], [], POLL)[0]:
            time.sleep(0.001)  # others' code may close the pipe, but ends no waiting
        found, status = os.waitpid(self._child, os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if found else None

    def _kill(self, reason: str) -> None:
        self._reason = self._reason or reason
        os.kill(self._child, signal.SIGKILL)
        if sys.stdout.isatty():
            sys.stdout.write('\x1b[?25h')  # a progress bar hides the cursor

    def _verdict(self, code: int, advice: str) -> int | str:
        if self._note.status is not None:
            return self._note.status
        if code == INTERRUPTED and not self._note.what:
            return INTERRUPTED
        reason = self._reason or f'the process {ended(self._note, code)}'
        message = f'{self._program}: {reason}; {advice}'
        if not self._is_interrupted:
            return message
        sys.stderr.write(f'{message}\n')
        return INTERRUPTED
