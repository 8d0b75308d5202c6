"""Blocks played on a cluster, by Ray; the other form of `pool.play_in_processes`."""

import os
from collections import Counter, deque
from collections.abc import Generator, Iterable
from typing import Any

import ray
from ray.exceptions import RayError

from common.ray_cluster import check_room, plain, work_in
from common.watchdog import POLL
from eval.workers import Answer, Make, Worker, WorkerError, deals_of
from rlcard_kit.duplicate.block import Outcome

TRIES = 2  # of a block whose node, or process there, is gone


class Host:
    """Plays blocks on a node, in a process that is watched as one of this machine is.

    Args:
        make: see `Worker`.
        folder: to work in.
    """

    def __init__(self, make: Make, folder: str) -> None:
        work_in(folder)
        self._worker = Worker(make)

    def play(self, number: int) -> Answer:
        """Play a block; return the failure if an agent fails or the process dies."""
        try:
            self._worker.ask(number)
            while not self._worker.pipe.poll(POLL):
                self._worker.check()
            return self._worker.answer()
        except WorkerError as error:
            return error


def play_on_cluster(make: Make, numbers: Iterable[int], count: int) -> Generator[tuple[int, Answer]]:
    """Yield blocks with their numbers as they are finished; closing the iterator ends the processes.

    A block of a node that leaves is played again on another.

    Args:
        make: see `Worker`.
        numbers: of the blocks.
        count: of the processes, spread over the nodes.

    Raises:
        ClusterError: if the cluster has fewer free CPUs.
        WorkerError: if a process dies, or if no node is left.
    """
    check_room('workers', count)
    host = ray.remote(Host).options(num_cpus=1, scheduling_strategy='SPREAD')
    hosts: list[Any] = [host.remote(make, os.getcwd()) for _ in range(count)]
    try:
        yield from _play(hosts, deque(numbers))
    finally:
        for one in hosts:
            ray.kill(one)


def _play(hosts: list[Any], waiting: deque[int]) -> Generator[tuple[int, Answer]]:
    idle, busy = deque(hosts), {}
    lost: Counter[int] = Counter()
    while True:
        while waiting and idle:
            host, number = idle.popleft(), waiting.popleft()
            busy[host.play.remote(number)] = number, host
        if not busy:
            break
        for reference in ray.wait(list(busy), timeout=POLL)[0]:
            number, host = busy.pop(reference)
            try:
                answer = ray.get(reference)
            except RayError as error:
                waiting.appendleft(_again(number, lost, error))
                continue
            if isinstance(answer, WorkerError):
                raise answer
            if isinstance(answer, Outcome):
                idle.append(host)
            yield number, answer
    if waiting:
        raise WorkerError(f'no process of the cluster is left to play {deals_of(waiting[0])}')


def _again(number: int, lost: Counter[int], error: RayError) -> int:
    """Return a block that was lost, to be played again; WorkerError if that happened too often."""
    lost[number] += 1
    if lost[number] == TRIES:
        reason = plain(error).splitlines()[0]
        raise WorkerError(
            f'{TRIES} processes of the cluster died as they played {deals_of(number)}: {reason}'
        ) from error
    return number
