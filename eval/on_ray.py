"""Play the blocks of a match on a Ray cluster; `eval.workers` plays them in local processes."""

import os
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable
from operator import methodcaller
from typing import Any

import ray
from ray.exceptions import RayError

from eval.common.ray_cluster import check_room, check_servers, plain, work_in
from eval.workers import POLL, Answer, Make, Worker, WorkerError, deals_of
from rlcard_kit.duplicate.block import Outcome
from rlcard_kit.errors import KitError

TRIES = 2  # at a block, if its node or process is lost


class RemoteWorker:
    """Runs a `Worker` on a node.

    Args:
        make: see `Worker`.
        folder: to work in.
    """

    def __init__(self, make: Make, folder: str) -> None:
        work_in(folder)
        self._worker = Worker(make, 'spawn')  # Ray's threads do not survive a fork

    def play(self, number: int, deals: str) -> Answer:
        """Play a block, whose deals errors name; return the error if an agent fails or the process dies."""
        try:
            outcome: Outcome = self._worker.run(methodcaller('play', number), f'played {deals}')
            return outcome
        except KitError as error:
            return error


def play_on_cluster(
    make: Make, numbers: Iterable[int], count: int, deals_of: Callable[[int], str] = deals_of
) -> Generator[tuple[int, Answer]]:
    """Yield the number and answer of each block as it is finished; closing the iterator ends the processes.

    If a node leaves, its blocks are played again on another.

    Args:
        make: see `Worker`.
        numbers: of the blocks.
        count: of the processes, which are spread over the nodes.
        deals_of: names the deals of a block, for errors.

    Raises:
        ClusterError: if the cluster has fewer free CPUs, or if it is local and ends.
        WorkerError: if a process dies, or no node is left.
    """
    check_room('workers', count)
    kind = ray.remote(RemoteWorker).options(num_cpus=1, scheduling_strategy='SPREAD')
    workers: list[Any] = [kind.remote(make, os.getcwd()) for _ in range(count)]
    try:
        yield from _play(workers, deque(numbers), deals_of)
    finally:
        for worker in workers:
            ray.kill(worker)


def _play(workers: list[Any], waiting: deque[int], deals_of: Callable[[int], str]) -> Generator[tuple[int, Answer]]:
    idle, busy = deque(workers), {}
    lost: Counter[int] = Counter()
    while True:
        check_servers()
        while waiting and idle:
            worker, number = idle.popleft(), waiting.popleft()
            busy[worker.play.remote(number, deals_of(number))] = number, worker
        if not busy:
            break
        for reference in ray.wait(list(busy), timeout=POLL)[0]:
            number, worker = busy.pop(reference)
            try:
                answer = ray.get(reference)
            except RayError as error:
                lost[number] += 1
                if lost[number] == TRIES:
                    reason = f'{TRIES} processes of the cluster died as they played {deals_of(number)}'
                    raise WorkerError(f'{reason}: {plain(error).splitlines()[0]}') from error
                waiting.appendleft(number)
                continue
            if isinstance(answer, WorkerError):
                raise answer
            if isinstance(answer, Outcome):
                idle.append(worker)
            yield number, answer
    if waiting:
        raise WorkerError(f'no process of the cluster is left to play {deals_of(waiting[0])}')
