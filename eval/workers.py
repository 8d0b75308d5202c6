"""Processes that play blocks: a pipe each and no lock between them, so that a dead one does not hold up another."""

from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Protocol, TypeAlias, cast

from common.processes import leave_with_parent, start
from common.watchdog import POLL, SIZE, Note, Watcher, ended, late
from rlcard_kit.duplicate.block import BLOCK, Outcome
from rlcard_kit.duplicate.time_limit import Watch
from rlcard_kit.errors import Big2Error

Answer: TypeAlias = Outcome | Big2Error


class WorkerError(Big2Error):
    """A worker process that died; the message names the deals that it was playing."""


class PlaysBlocks(Protocol):
    """What a process makes at its start."""

    def play(self, number: int) -> Outcome:
        """Play a block; AgentFailure if an agent fails."""
        ...


Make: TypeAlias = Callable[[Watch], PlaysBlocks]


class Worker:
    """A process that plays blocks, one at a time, and is watched meanwhile.

    Args:
        make: makes what plays there, given what it is to tell what it waits for; it must be picklable.
    """

    def __init__(self, make: Make) -> None:
        context = get_context('spawn')
        self.pipe, theirs = context.Pipe()
        shared = context.RawArray('c', SIZE)
        self._process: BaseProcess = context.Process(target=_serve, args=(theirs, make, shared))
        self._watcher = Watcher(Note(shared))
        self._number = 0
        start(self._process)
        theirs.close()

    def ask(self, number: int) -> None:
        """Have a block played; WorkerError if the process has died."""
        self._number = number
        try:
            self.pipe.send(number)
        except OSError as error:
            raise WorkerError(self._exit_message()) from error

    def answer(self) -> Answer:
        """Wait for the block that was asked for; WorkerError if the process dies."""
        try:
            return cast(Answer, self.pipe.recv())
        except (EOFError, OSError) as error:
            raise WorkerError(self._exit_message()) from error

    def check(self) -> None:
        """Raise WorkerError if it waits for an agent that does not stop; to be called every POLL seconds."""
        if self._watcher.is_late():
            raise WorkerError(late(self._watcher.note))

    def end(self) -> None:
        """End the process, which owns nothing but its games."""
        self._process.kill()
        self._process.join()
        self.pipe.close()

    def _exit_message(self) -> str:
        self._process.join()
        how = ended(self._watcher.note, self._process.exitcode or 0)
        return f'the process that played {deals_of(self._number)} {how}'


def deals_of(number: int) -> str:
    """Name the deals of a block."""
    return f'deals {number * BLOCK} to {(number + 1) * BLOCK - 1}'


def play_in_processes(make: Make, numbers: Iterable[int], count: int) -> Generator[tuple[int, Answer]]:
    """Yield blocks with their numbers as they are finished; closing the iterator ends the processes.

    A process whose agent failed plays no more blocks.

    Args:
        make: makes what plays, in each process, given what it is to tell what it waits for; it must be picklable.
        numbers: of the blocks.
        count: of the processes.

    Raises:
        WorkerError: if a process dies, or waits for an agent that does not stop when it is told to.
    """
    waiting = iter(numbers)
    workers: list[Worker] = []
    busy: dict[Connection, tuple[int, Worker]] = {}

    def assign(worker: Worker) -> None:
        number = next(waiting, None)
        if number is not None:
            busy[worker.pipe] = number, worker
            worker.ask(number)

    try:
        for _ in range(count):
            workers.append(Worker(make))
            assign(workers[-1])
        while busy:
            for pipe in connection.wait(list(busy), POLL):
                number, worker = busy.pop(cast(Connection, pipe))
                answer = worker.answer()
                if isinstance(answer, Outcome):
                    assign(worker)
                yield number, answer
            for _, worker in busy.values():
                worker.check()
    finally:
        for worker in workers:
            worker.end()


def _serve(pipe: Connection, make: Make, shared: object) -> None:
    leave_with_parent()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the parent wants no more
        number = pipe.recv()
        try:
            players = make(Note(shared))
            while True:
                pipe.send(players.play(number))
                number = pipe.recv()
        except Big2Error as error:
            pipe.send(error)
            pipe.recv()
