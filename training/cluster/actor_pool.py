"""Actors on the nodes of a cluster, by Ray: asked, watched, replaced when they die, and moved when a node leaves.

What they play, and what they answer, is up to whoever makes them. Weights are put into Ray's object store once per
version, which sends them to a node once.
"""

import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import ray
import torch
from numpy.typing import NDArray
from ray.exceptions import ActorUnavailableError
from threadpoolctl import threadpool_limits

from common.ray_cluster import Node, check_room, here, nodes, on_node, plain, work_in
from training.cluster.placement import Placement
from training.config import RunConfig
from training.heartbeat import Watched, check_deaths

LOOK_SECONDS = 1.0  # between two looks at the nodes
CLEAR_SECONDS = 20.0  # in which the cluster finds out that a node has left
SAY_SECONDS = 60.0  # between two reports on the nodes' rates

A = TypeVar('A', covariant=True)
T = TypeVar('T')


class Plays(Protocol[A]):
    """What an actor's process does."""

    def play(self, weights: NDArray[np.float32], version: int, *task: Any) -> A:
        """Play for a while with these weights or newer ones, which must not be written to; return what was played."""
        ...


class RemoteActor:
    """Plays in a process of its own on a node of the cluster.

    Args:
        make: makes what plays, given the number of its stream of random draws.
        stream: that number; each actor that a run ever starts has its own.
        folder: to work in.
    """

    def __init__(self, make: Callable[[int], Plays[Any]], stream: int, folder: str) -> None:
        work_in(folder)
        torch.set_num_threads(1)
        threadpool_limits(1)
        self._playing = make(stream)

    def play(self, *call: Any) -> Any:
        """Play for a while; see `Plays.play`."""
        return self._playing.play(*call)


@dataclass
class Member(Watched):
    """An actor, where it is, and the calls that it has not answered."""

    handle: Any
    node: Node
    calls: deque[int] = field(default_factory=deque)  # the version of the weights of each
    answers: int = 0
    error: BaseException | None = None  # that ended it
    ended: float = 0.0  # when, by time.monotonic

    @property
    def is_over(self) -> bool:
        """Whether it has ended and why is known: that its node has left is told later than that it does not answer."""
        unclear = isinstance(self.error, ActorUnavailableError) and time.monotonic() - self.ended < CLEAR_SECONDS
        return self.error is not None and not unclear


@dataclass(frozen=True)
class Answered(Generic[T]):
    """An answer of an actor."""

    member: Member
    version: int  # of the weights that it was asked to play with
    answer: T


class Crew(Generic[T]):
    """Has actors on the nodes of the cluster that this process is connected to.

    Args:
        config: settings of the run; without `num_actors`, all nodes are used, those that join later too.
        started: actors that the run has started before, if it is resumed.
        most: actors that are of use.

    Raises:
        ClusterError: if there is no room for the actors.
    """

    _make: Callable[[int], Plays[T]]

    def __init__(self, config: RunConfig, started: int, most: int | None = None) -> None:
        self.started = started
        self.members: dict[int, Member] = {}  # by the number of the actor
        self.version = 0
        self._config, self._most = config, most
        reserved = (config.learner_threads or 1) if config.training_device == 'cpu' else 1
        self._placement = Placement(nodes(), here(), reserved)
        check_room('num_actors', self.wanted)
        self._finished: SimpleQueue[tuple[Member, Future[T]]] = SimpleQueue()
        self._deaths: Counter[int] = Counter()  # of an actor's predecessors, until it is started again
        self._looked = self._said = time.monotonic()
        self._played_by: Counter[str] = Counter()  # decisions, by the name of the node, since they were told

    def start(self, make: Callable[[int], Plays[T]], weights: NDArray[np.float32]) -> None:
        """Start the actors.

        Args:
            make: see `RemoteActor`.
            weights: to start with, float32 [num_weights]; their version is 1.
        """
        self._make = make
        self.publish(weights)
        self._start_missing()

    @property
    def wanted(self) -> int:
        """How many actors there are to be."""
        room = self._placement.room()
        return self._config.num_actors or (room if self._most is None else min(room, self._most))

    def where(self) -> str:
        """Say how many actors are on which nodes."""
        at = Counter(member.node.name for member in self.members.values())
        return ', '.join(f'{count} on {name}' for name, count in sorted(at.items()))

    def publish(self, weights: NDArray[np.float32]) -> None:
        """Give new weights, float32 [num_weights], to the actors, with the next calls."""
        self.version += 1
        self._weights = ray.put(weights)

    def ask(self, member: Member, *task: Any) -> None:
        """Have an actor play with the newest weights, when it has answered its earlier calls.

        Args:
            member: the actor.
            task: further arguments of `Plays.play`.
        """
        future = member.handle.play.remote(self._weights, self.version, *task).future()
        future.add_done_callback(lambda done: self._finished.put((member, done)))
        member.calls.append(self.version)

    def answers(self, seconds: float) -> Iterator[Answered[T]]:
        """Yield the answers that are there; wait so long for one if there are none."""
        try:
            yield from self._note(*self._finished.get(timeout=seconds) if seconds else self._finished.get_nowait())
            while True:
                yield from self._note(*self._finished.get_nowait())
        except Empty:
            return

    def _note(self, member: Member, future: 'Future[T]') -> Iterator[Answered[T]]:
        version = member.calls.popleft()
        error = future.exception()
        if error is None:
            member.answers += 1
            yield Answered(member, version, future.result())
        elif member.error is None:
            member.error, member.ended = error, time.monotonic()

    def count(self, member: Member, decisions: int) -> None:
        """Count decisions that an actor has played, for the rates that `replace_dead` reports."""
        self._played_by[member.node.name] += decisions

    def replace_dead(self) -> list[str]:
        """Replace actors that died or hang, and follow the nodes; return a report on each.

        Raises:
            ActorError: if they keep dying, see `check_deaths`; actors that a node takes along when it leaves do not
                count.
        """
        reports: list[str] = []
        ended = [number for number, member in self.members.items() if member.is_over or self._hangs(member)]
        if ended or time.monotonic() - self._looked > LOOK_SECONDS:
            self._looked = time.monotonic()
            reports += self._placement.follow()
        for number in ended:
            reports += self._bury(number)
        self._start_missing()
        return reports + self._rates()

    def _hangs(self, member: Member) -> bool:
        """Tell whether an actor that has calls to answer is silent for too long."""
        if not member.calls:
            member.last_heartbeat = time.monotonic()
        return member.is_hung(member.answers, self._config.max_silence)

    def _bury(self, number: int) -> list[str]:
        """Forget an actor that died or hangs; return a report on it unless its node has left."""
        member = self.members[number]
        ray.kill(member.handle)
        if member.node.id not in self._placement.nodes:
            del self.members[number]
            return []
        silence = member.allowed_silence(self._config.max_silence)
        died = 'died' if member.error is not None else f'gave no answer for {silence:g} seconds'
        reason = plain(member.error) if member.error is not None else 'no traceback'
        report = f'actor {number} on {member.node.name} {died} and is replaced: {reason}'
        check_deaths(self.members.values(), self._config.max_deaths, report)
        self._deaths[number] = member.recent_deaths + 1
        del self.members[number]
        return [report]

    def _start_missing(self) -> None:
        """Start the actors that are missing, as far as there is room."""
        for number in range(self.wanted):
            taken = Counter(member.node.id for member in self.members.values())
            node = None if number in self.members else self._placement.choose(taken)
            if node is not None:
                self.members[number] = self._start(node, self._deaths.pop(number, 0))

    def _start(self, node: Node, deaths: int) -> Member:
        kind = ray.remote(RemoteActor).options(num_cpus=1, scheduling_strategy=on_node(node))
        handle = kind.remote(self._make, self.started, os.getcwd())
        self.started += 1
        return Member(deaths, 0, handle, node)

    def _rates(self) -> list[str]:
        """Return what each node has played in the last minute, once a minute."""
        seconds = time.monotonic() - self._said
        if seconds < SAY_SECONDS:
            return []
        rates = ', '.join(f'{count / seconds:,.0f} on {name}' for name, count in sorted(self._played_by.items()))
        self._played_by.clear()
        self._said += seconds
        return [f'played/s by node: {rates or "none"}']

    def close(self) -> None:
        """End all actors."""
        for member in self.members.values():
            ray.kill(member.handle)
