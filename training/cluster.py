"""A pool of actors on the nodes of a Ray cluster: one for each free core, on nodes that may join and leave.

Ray restarts actors whose process ends, and puts each version of the weights on each node once. The pool collects
results, numbers the actors' streams of random draws, and ends the run if too many actors die.
"""

import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import ray
import torch
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from eval.common.ray_cluster import Node, Probe, check_room, check_servers, here, nodes, on_node, plain, work_in
from rlcard_kit.files import pinned, pinning
from training.config import RunSettings
from training.workers import Watched, check_deaths

NODE_SECONDS = 1.0  # between two looks at the nodes

R = TypeVar('R', covariant=True)
T = TypeVar('T')


class Worker(Protocol[R]):
    """Plays in the process of an actor."""

    def play(self, weights: NDArray[np.float32], version: int, *task: Any) -> R:
        """Play for a while with these weights, which are read-only, or with newer ones; return the result."""
        ...


def _make_pinned(digests: Mapping[Path, str], make: Callable[[int], Worker[R]], stream: int) -> Worker[R]:
    with pinning(digests):
        return make(stream)


class RemoteActor:
    """The process of an actor.

    Args:
        make: makes its worker, given the number of a stream of random draws.
        folder: to work in.
    """

    def __init__(self, make: Callable[[int], Worker[Any]], folder: str) -> None:
        work_in(folder)
        torch.set_num_threads(1)
        threadpool_limits(1)
        self._make = make
        self._worker: Worker[Any] | None = None

    @ray.method(max_task_retries=0)  # type: ignore[untyped-decorator]  # a new call has newer weights
    def play(self, stream: int | None, *call: Any) -> Any:
        """Play with a new worker if a stream is given; otherwise with the present one. An error ends a worker.

        Raises:
            RuntimeError: if there is no worker, because Ray has restarted this process.
        """
        worker, self._worker = self._worker if stream is None else self._make(stream), None
        if worker is None:
            raise RuntimeError('the process has been restarted')
        result = worker.play(*call)
        self._worker = worker
        return result


@dataclass
class PooledActor(Watched):
    """An actor since its start or its last restart."""

    handle: Any
    node: Node
    versions: deque[int] = field(default_factory=deque)  # of the weights of each call that is under way
    has_stream: bool = False
    results: int = 0
    failure: str = ''
    restart: 'Future[bool] | None' = None  # after a failure; done when Ray has restarted it, or cannot


@dataclass(frozen=True)
class Result(Generic[T]):
    """The result of a call."""

    actor: PooledActor
    version: int  # of the weights that the call was made with
    value: T


class Placement:
    """The nodes that may have actors: they run the same code as the learner.

    Args:
        known: such nodes.
        learners: id of the learner's node.
        reserved: cores of that node that are kept for the learner, unless there is no other room.
    """

    def __init__(self, known: Iterable[Node], learners: str, reserved: int) -> None:
        self.nodes = {node.id: node for node in known}
        self._learners, self._reserved = learners, reserved
        self._seen = set(self.nodes)
        self._probes: list[Probe] = []

    def room(self) -> int:
        """Return the number of actors for which there is room beside the learner, at least one."""
        return max(1, sum(max(0, self._cores(node)) for node in self.nodes.values()))

    def _cores(self, node: Node) -> int:
        return node.cpus - (self._reserved if node.id == self._learners else 0)

    def choose(self, taken: Counter[str]) -> Node | None:
        """Return the node with the most free cores, or None; `taken` counts the cores in use by the node's id."""
        free = [node for node in self.nodes.values() if taken[node.id] < node.cpus]
        return max(free, key=lambda node: (self._cores(node) - taken[node.id], node.id), default=None)

    def follow(self) -> list[str]:
        """Note nodes that have joined or left; return a report on each."""
        alive = {node.id: node for node in nodes()}
        reports = [f'node {self.nodes.pop(gone).name} has left' for gone in self.nodes.keys() - alive]
        self._probes += [Probe(alive[new]) for new in alive.keys() - self._seen]
        self._seen |= alive.keys()
        for probe in [probe for probe in self._probes if probe.is_done]:
            self._probes.remove(probe)
            node, difference = probe.node, probe.result()
            if difference is not None:
                reports.append(f'{difference}; it is not used')
            elif node.id in alive:
                self.nodes[node.id] = node
                reports.append(f'node {node.name} has joined, with {node.cpus} cores')
        return reports


class ActorPool(Generic[T]):
    """Keeps actors running on the nodes of the connected cluster.

    Args:
        settings: of the run; without `num_actors`, all nodes are used, including those that join later.
        started: streams of random draws that the run has used before, if it is resumed.
        most: the largest useful number of actors.

    Raises:
        ClusterError: if there is no room for the actors.
    """

    _make: Callable[[int], Worker[T]]

    def __init__(self, settings: RunSettings, started: int, most: int | None = None) -> None:
        self.started = started
        self.actors: dict[int, PooledActor] = {}  # by number
        self.version = 0  # of the weights
        self._settings, self._most = settings, most
        reserved = (settings.learner_threads or 1) if settings.training_device == 'cpu' else 1
        self._placement = Placement(nodes(), here(), reserved)
        check_room('num_actors', self.wanted)
        self._finished: SimpleQueue[tuple[PooledActor, Future[T]]] = SimpleQueue()
        self._followed = time.monotonic()

    def start(self, make: Callable[[int], Worker[T]], weights: NDArray[np.float32]) -> None:
        """Start the actors with weights, float32 [num_weights], of version 1; for `make`, see `RemoteActor`."""
        self._make = partial(_make_pinned, pinned(), make)
        self.publish(weights)
        self._start_missing()

    @property
    def wanted(self) -> int:
        """The number of actors that should run."""
        room = self._placement.room()
        return self._settings.num_actors or (room if self._most is None else min(room, self._most))

    def describe_nodes(self) -> str:
        """Return the number of actors on each node, as text."""
        at = Counter(actor.node.name for actor in self.actors.values())
        return ', '.join(f'{count} on {name}' for name, count in sorted(at.items()))

    def publish(self, weights: NDArray[np.float32]) -> None:
        """Use new weights, float32 [num_weights], in all later calls.

        Raises:
            ClusterError: if the local cluster has ended.
        """
        check_servers()
        self.version += 1
        self._weights = ray.put(weights)

    def submit(self, actor: PooledActor, *task: Any) -> None:
        """Queue a call of `Worker.play` with the newest weights and a task."""
        stream = None if actor.has_stream else self.started
        self.started += stream is not None
        actor.has_stream = True
        future = actor.handle.play.remote(stream, self._weights, self.version, *task).future()
        future.add_done_callback(lambda done: self._finished.put((actor, done)))
        actor.versions.append(self.version)

    def results(self, timeout: float) -> Iterator[Result[T]]:
        """Yield the results that have arrived; if there are none, wait for one for at most `timeout` seconds."""
        try:
            yield from self._note(*self._finished.get(timeout=timeout) if timeout else self._finished.get_nowait())
            while True:
                yield from self._note(*self._finished.get_nowait())
        except Empty:
            return

    def _note(self, actor: PooledActor, future: 'Future[T]') -> Iterator[Result[T]]:
        version, error = actor.versions.popleft(), future.exception()
        if error is None:
            actor.results += 1
            yield Result(actor, version, future.result())
        elif not actor.failure:
            actor.failure = f'died and is replaced: {plain(error)}'
        if actor.failure and actor.restart is None:
            actor.restart = actor.handle.__ray_ready__.remote().future()

    def replace_dead(self) -> list[str]:
        """Give actors that died or hung a new start, and follow the nodes; return a report on each.

        Raises:
            ActorError: if actors keep dying, see `check_deaths`; those on a node that has left do not count.
            ClusterError: if the local cluster has ended.
        """
        check_servers()
        restarted = [number for number, actor in self.actors.items() if actor.restart and actor.restart.done()]
        reports = []
        if restarted or time.monotonic() - self._followed > NODE_SECONDS:
            self._followed = time.monotonic()
            reports += self._placement.follow()
        for number, actor in list(self.actors.items()):
            if actor.node.id not in self._placement.nodes:
                ray.kill(self.actors.pop(number).handle)
            elif number in restarted:
                reports.append(self._replace(number, actor))
            elif not actor.failure:
                self._end_if_hung(actor)
        self._start_missing()
        return reports

    def _end_if_hung(self, actor: PooledActor) -> None:
        """End the process of an actor that has calls under way but is silent for too long; Ray restarts it."""
        if not actor.versions:
            actor.last_heartbeat = time.monotonic()
        if actor.is_hung(actor.results):
            actor.failure = f'gave no result for {actor.allowed_silence:g} seconds and is replaced'
            ray.kill(actor.handle, no_restart=False)  # which ends its calls

    def _replace(self, number: int, actor: PooledActor) -> str:
        """Have the next call to an actor that failed begin a new stream; return a report."""
        report = f'actor {number} on {actor.node.name} {actor.failure}'
        check_deaths(self.actors.values(), report)
        is_gone = actor.restart is None or actor.restart.exception() is not None
        handle = self._create(actor.node) if is_gone else actor.handle
        self.actors[number] = PooledActor(actor.recent_deaths + 1, 0, handle, actor.node)
        return report

    def _start_missing(self) -> None:
        """Start the actors that are missing, as far as there is room."""
        taken = Counter(actor.node.id for actor in self.actors.values())
        for number in range(self.wanted):
            node = None if number in self.actors else self._placement.choose(taken)
            if node is not None:
                self.actors[number] = PooledActor(0, 0, self._create(node), node)
                taken[node.id] += 1

    def _create(self, node: Node) -> Any:
        options = {'max_restarts': -1, 'max_task_retries': -1, 'scheduling_strategy': on_node(node)}
        return ray.remote(RemoteActor).options(num_cpus=1, **options).remote(self._make, os.getcwd())

    def close(self) -> None:
        """End all actors."""
        for actor in self.actors.values():
            ray.kill(actor.handle)
