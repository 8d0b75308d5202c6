"""Processes that play blocks: a pipe each and no lock between them, so that a dead one does not hold up another."""

from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import NamedTuple, Protocol, TypeAlias, cast

from common.processes import leave_with_parent, start
from common.watch import POLL, SIZE, Note, Watcher, ended, late
from rlcard_big2.duplicate.block import BLOCK, Outcome
from rlcard_big2.duplicate.limits import Watch
from rlcard_big2.errors import Big2Error

Answer: TypeAlias = Outcome | Big2Error


class WorkerError(Big2Error):
    """A worker process that died; the message names the deals that it was playing."""


class PlaysBlocks(Protocol):
    """What a process makes at its start."""

    def play(self, number: int) -> Outcome:
        """Play a block; AgentFailure if an agent fails."""
        ...


class Worker(NamedTuple):
    """A process, this end of its pipe, and who looks whether it waits in vain."""

    process: BaseProcess
    pipe: Connection
    watcher: Watcher


def play_in_processes(
    make: Callable[[Watch], PlaysBlocks], numbers: Iterable[int], count: int
) -> Generator[tuple[int, Answer]]:
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
            _send(worker, number)

    try:
        for _ in range(count):
            workers.append(_start_worker(make))
            assign(workers[-1])
        while busy:
            for pipe in connection.wait(list(busy), POLL):
                number, worker = busy.pop(cast(Connection, pipe))
                answer = _receive(worker, number)
                if isinstance(answer, Outcome):
                    assign(worker)
                yield number, answer
            for _, worker in busy.values():
                if worker.watcher.is_late():
                    raise WorkerError(late(worker.watcher.note))
    finally:
        for worker in workers:
            worker.process.kill()  # it owns nothing but its games
            worker.process.join()
            worker.pipe.close()


def _start_worker(make: Callable[[Watch], PlaysBlocks]) -> Worker:
    context = get_context('spawn')
    ours, theirs = context.Pipe()
    shared = context.RawArray('c', SIZE)
    process = context.Process(target=_serve, args=(theirs, make, shared))
    start(process)
    theirs.close()
    return Worker(process, ours, Watcher(Note(shared)))


def _send(worker: Worker, number: int) -> None:
    try:
        worker.pipe.send(number)
    except OSError as error:
        raise WorkerError(_exit_message(worker, number)) from error


def _receive(worker: Worker, number: int) -> Answer:
    try:
        return cast(Answer, worker.pipe.recv())
    except (EOFError, OSError) as error:
        raise WorkerError(_exit_message(worker, number)) from error


def _exit_message(worker: Worker, number: int) -> str:
    worker.process.join()
    how = ended(worker.watcher.note, worker.process.exitcode or 0)
    return f'the process that played deals {number * BLOCK} to {(number + 1) * BLOCK - 1} {how}'


def _serve(pipe: Connection, make: Callable[[Watch], PlaysBlocks], shared: object) -> None:
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
