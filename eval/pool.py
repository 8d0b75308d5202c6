"""Processes that play blocks: a pipe each and no lock between them, so that a dead one does not hold up another."""

import signal
from collections.abc import Callable, Generator, Iterable
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import NamedTuple, Protocol, TypeAlias, cast

from common.processes import leave_with_parent, start
from rlcard_big2.duplicate.block import BLOCK, AgentFailure, Outcome
from rlcard_big2.errors import Big2Error

Answer: TypeAlias = Outcome | AgentFailure


class WorkerError(Big2Error):
    """A worker process that died; the message names the deals that it was playing."""


class PlaysBlocks(Protocol):
    """What a process makes at its start."""

    def play(self, number: int) -> Outcome:
        """Play a block; AgentFailure if an agent fails."""
        ...


class Worker(NamedTuple):
    """A process and this end of its pipe."""

    process: BaseProcess
    pipe: Connection


def play_in_processes(
    make: Callable[[], PlaysBlocks], numbers: Iterable[int], count: int
) -> Generator[tuple[int, Answer]]:
    """Yield blocks with their numbers as they are finished; closing the iterator ends the processes.

    A process whose agent failed plays no more blocks.

    Args:
        make: makes what plays, in each process; it must be picklable.
        numbers: of the blocks.
        count: of the processes.

    Raises:
        WorkerError: if a process dies.
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
            for pipe in connection.wait(list(busy)):
                number, worker = busy.pop(cast(Connection, pipe))
                answer = _receive(worker, number)
                if isinstance(answer, Outcome):
                    assign(worker)
                yield number, answer
    finally:
        for worker in workers:
            worker.process.kill()  # it owns nothing but its games
            worker.process.join()
            worker.pipe.close()


def _start_worker(make: Callable[[], PlaysBlocks]) -> Worker:
    context = get_context('spawn')
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, make))
    start(process)
    theirs.close()
    return Worker(process, ours)


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
    code = worker.process.exitcode or 0
    cause = f'was killed by signal {-code} ({signal.strsignal(-code)})' if code < 0 else f'ended with status {code}'
    return f'the process that played deals {number * BLOCK} to {(number + 1) * BLOCK - 1} {cause}'


def _serve(pipe: Connection, make: Callable[[], PlaysBlocks]) -> None:
    leave_with_parent()
    players = make()
    while True:
        number = pipe.recv()
        try:
            pipe.send(players.play(number))
        except AgentFailure as error:
            pipe.send(error)
