"""Worker processes, which alone run the code of agents: each is watched, and killed if an agent does not stop.

Each worker has a pipe of its own and no lock is shared, so that a dead worker does not block another.
"""

import ctypes
import signal
import sys
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from functools import partial
from math import inf
from multiprocessing import Pipe, connection
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import RawValue
from operator import methodcaller
from typing import Any, TypeAlias, cast

from eval.common.processes import start
from rlcard_kit.duplicate.block import BLOCK, Outcome
from rlcard_kit.duplicate.time_limit import Watchdog
from rlcard_kit.errors import KitError

POLL = 0.5  # seconds between two checks of a worker
METHOD = 'fork' if sys.platform == 'linux' else 'spawn'  # elsewhere, system libraries do not survive a fork
LONGEST = 4096  # bytes of the name of a call
SENT = (KitError, OSError, FloatingPointError, MemoryError, RuntimeError)  # see `eval.common.cli.reported`

Answer: TypeAlias = Outcome | Exception
Make: TypeAlias = Callable[[Watchdog], Any]
Task: TypeAlias = Callable[[Any], Any]


class WorkerError(KitError):
    """A worker that died or was killed; the message names its activity."""


class _Pending(ctypes.Structure):
    """The pending call of a worker, in memory shared with the process that watches it."""

    _fields_ = (('serial', ctypes.c_long), ('seconds', ctypes.c_double), ('what', ctypes.c_char * LONGEST))

    serial: int  # changes with each call
    seconds: float  # within which the call must end; infinite if none is pending
    what: bytes


def _note(pending: _Pending, what: str, seconds: float) -> None:
    pending.what, pending.seconds = what.encode(errors='replace')[: LONGEST - 1], seconds
    pending.serial += 1


def deals_of(number: int) -> str:
    """Name the deals of a block."""
    return f'deals {number * BLOCK} to {(number + 1) * BLOCK - 1}'


class Worker:
    """A process that runs one task at a time.

    Args:
        make: makes the object that tasks are given, from the watchdog that it has to notify of calls of agents.
        method: of starting the process; `make` must be picklable for 'spawn'.
    """

    def __init__(self, make: Make, method: str = METHOD) -> None:
        self.pipe, theirs = Pipe()
        self._pending = RawValue(_Pending)
        _note(self._pending, '', inf)
        self._activity = ''
        self._serial, self._waited, self._last = 0, 0.0, time.monotonic()
        self._process = start(_serve, theirs, make, self._pending, method=method)
        theirs.close()

    def send(self, task: Task, activity: str) -> None:
        """Start a task; WorkerError if the process has died.

        Args:
            task: called with the object of `make`; it must be picklable.
            activity: names the task in errors: 'played deals 0 to 63'.
        """
        self._activity = activity
        try:
            self.pipe.send(task)
        except OSError as error:
            raise self._death() from error

    def receive(self) -> Any:
        """Wait for the result of the task, or the exception that it raised; WorkerError if the process dies."""
        try:
            return self.pipe.recv()
        except (EOFError, OSError) as error:
            raise self._death() from error

    def check(self) -> None:
        """Raise WorkerError if the process has died or an agent is long overdue; call it every POLL seconds.

        Time counts only while both processes run: a match that is stopped and continued has not waited meanwhile.
        """
        now = time.monotonic()
        passed, self._last = min(now - self._last, 2 * POLL), now
        self._waited = self._waited + passed if self._pending.serial == self._serial else 0.0
        self._serial = self._pending.serial
        if self._waited > self._pending.seconds:
            raise WorkerError(f'{self._what}: its time was over, it did not stop when interrupted, and was killed')
        if self._process.exitcode is not None and not self.pipe.poll():
            raise self._death()

    def run(self, task: Task, activity: str) -> Any:
        """Run a task to its end and return its result, or raise its exception; WorkerError if the process dies."""
        self.send(task, activity)
        while not self.pipe.poll(POLL):
            self.check()
        result = self.receive()
        if isinstance(result, Exception):
            raise result
        return result

    def kill(self) -> None:
        """End the process, which owns nothing but its games."""
        self._process.kill()
        self._process.join()
        self.pipe.close()

    @property
    def _what(self) -> str:
        return str(self._pending.what.decode(errors='replace'))

    def _death(self) -> WorkerError:
        self._process.join()
        code = self._process.exitcode or 0
        how = f'was killed by signal {-code} ({signal.strsignal(-code)})' if code < 0 else f'ended with status {code}'
        pending = f' during the call of {self._what}' if self._what else ''
        return WorkerError(f'the process that {self._activity} {how}{pending}')


class Pool:
    """Workers that play blocks, at first one; closing the pool ends them all.

    Args:
        make: see `Worker`; its object has a method `play` that plays a block by its number and returns its outcome. The
            attribute of this name may be changed for the workers after the first one.
        deals_of: names the deals of a block, for errors.
    """

    def __init__(self, make: Make, deals_of: Callable[[int], str] = deals_of) -> None:
        self.make = make
        self.deals_of = deals_of
        self._workers = [Worker(make)]

    def close(self) -> None:
        """End the workers."""
        for worker in self._workers:
            worker.kill()

    def run(self, task: Task, activity: str) -> Any:
        """Run a task in the first worker, see `Worker.run`."""
        return self._workers[0].run(task, activity)

    def play(self, numbers: Iterable[int], count: int) -> Generator[tuple[int, Any]]:
        """Yield numbers of blocks with their outcomes, or the failure of an agent, in the order in which they finish.

        A worker whose agent failed plays no more blocks.

        Args:
            numbers: of the blocks.
            count: of the workers.

        Raises:
            WorkerError: if a worker dies, or is killed because an agent does not stop at its time limit.
        """
        waiting = iter(numbers)
        busy: dict[Connection, tuple[int, Worker]] = {}

        def assign(worker: Worker) -> None:
            number = next(waiting, None)
            if number is not None:
                busy[worker.pipe] = number, worker
                worker.send(methodcaller('play', number), f'played {self.deals_of(number)}')

        while len(self._workers) < count:
            self._workers.append(Worker(self.make))
        for worker in self._workers:
            assign(worker)
        while busy:
            for pipe in connection.wait(list(busy), POLL):
                number, worker = busy.pop(cast(Connection, pipe))
                answer = worker.receive()
                if not isinstance(answer, Exception):
                    assign(worker)
                yield number, answer
            for _, worker in busy.values():
                worker.check()


def _serve(pipe: Connection, make: Make, pending: _Pending) -> None:
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the parent has no more tasks
        task = pipe.recv()
        try:
            made = make(partial(_note, pending))
            while True:
                pipe.send(task(made))
                task = pipe.recv()
        except SENT as error:
            pipe.send(error)
            pipe.recv()
