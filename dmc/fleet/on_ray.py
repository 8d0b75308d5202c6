"""A fleet on a cluster, by Ray: actors on its nodes, watched, replaced when they die, and moved when a node leaves.

The learner asks each actor for rows, two calls ahead, and asks again when it has room: that holds back actors that are
faster than the learner. Weights are put into Ray's object store once per version, which sends them to a node once.
"""

import os
import time
from collections import Counter
from concurrent.futures import Future
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

import numpy as np
import ray
import torch
from ray.exceptions import ActorUnavailableError
from threadpoolctl import threadpool_limits

from common.cluster import Node, check_room, here, nodes, on_node, work_in
from dmc.actor import Actor
from dmc.config import Config
from dmc.fleet.base import ANSWER_ROWS, Counts, ReplayRows, Weights
from dmc.fleet.deaths import Watched, check_deaths
from dmc.fleet.in_turn import LocalLink
from dmc.fleet.placement import Placement
from rlcard_big2.errors import text_of

SECONDS = 1.0  # of play, after which an actor answers with fewer
AHEAD = 2  # calls that an actor has, so that it plays on while an answer is under way
WAIT_SECONDS = 0.05  # of the learner, for rows
LOOK_SECONDS = 1.0  # between two looks at the nodes
CLEAR_SECONDS = 20.0  # in which the cluster finds out that a node has left
SAY_SECONDS = 60.0  # between two reports on the nodes' rates
MIXED = 16  # answers that a batch is taken from, so that it has many actors' rows


class Answer(NamedTuple):
    """What an actor has played since its last answer."""

    rows: ReplayRows
    counts: Counts


class RemoteActor:
    """An actor in a process of its own on a node of the cluster.

    Args:
        config: settings of the run.
        stream: of its random draws.
        dtype: precision of its network.
        folder: to work in.
    """

    def __init__(self, config: Config, stream: int, dtype: torch.dtype, folder: str) -> None:
        work_in(folder)
        torch.set_num_threads(1)
        threadpool_limits(1)
        self._link = LocalLink(config.learned)
        self._actor = Actor(config, stream, self._link, dtype)
        self._version = 0

    def play(self, weights: Weights, version: int) -> Answer:
        """Play until there are rows enough for an answer, or for a second, with these weights or newer ones."""
        if version > self._version:
            self._link.publish(weights)
            self._version = version
        self._actor.refresh()
        end = time.monotonic() + SECONDS
        while len(self._link.rows) < ANSWER_ROWS and time.monotonic() < end:
            self._link.put(self._actor.play_moves())
        return Answer(*self._link.collect())


@dataclass
class _Running(Watched):
    """An actor, where it is, and how many calls it has not answered."""

    handle: Any
    node: Node
    calls: int = 0
    answers: int = 0
    error: BaseException | None = None  # that ended it
    ended: float = 0.0  # when, by time.monotonic

    @property
    def is_over(self) -> bool:
        """Whether it has ended and why is known: that its node has left is told later than that it does not answer."""
        unclear = isinstance(self.error, ActorUnavailableError) and time.monotonic() - self.ended < CLEAR_SECONDS
        return self.error is not None and not unclear


class RayFleet:
    """Has actors on the nodes of the cluster that this process is connected to; see `Fleet`.

    Args:
        config: settings of the run; without `num_actors`, all nodes are used, those that join later too.
        weights: to start with, float32 [num_weights].
        dtype: precision of the networks.
        started: actors that the run has started before, if it is resumed.

    Raises:
        ClusterError: if there is no room for the actors.
    """

    def __init__(self, config: Config, weights: Weights, dtype: torch.dtype, started: int = 0) -> None:
        self.started = started
        reserved = (config.learner_threads or 1) if config.training_device == 'cpu' else 1
        self._placement = Placement(nodes(), here(), reserved)
        self._config, self._dtype = config, dtype
        check_room('num_actors', self.wanted)
        self._finished: SimpleQueue[tuple[_Running, Future[Answer]]] = SimpleQueue()
        self._running: dict[int, _Running] = {}  # by the number of the actor
        self._deaths: Counter[int] = Counter()  # of an actor's predecessors, until it is started again
        self._waiting: list[ReplayRows] = []
        self._counts = Counts(0, 0, 0, config.learned.no_statistics())
        self._looked = self._said = time.monotonic()
        self._rows_of: Counter[str] = Counter()  # by the name of the node, since they were told
        self._version = 0
        self.publish(weights)
        self._start_missing()

    @property
    def wanted(self) -> int:
        """How many actors there are to be."""
        return self._config.num_actors or self._placement.room()

    def describe(self) -> str:
        """Say what plays and where; see `Fleet.describe`."""
        at = Counter(actor.node.name for actor in self._running.values())
        where = ', '.join(f'{count} on {name}' for name, count in sorted(at.items()))
        return f'{len(self._running)} actors with {self._config.num_games} games each: {where}'

    def publish(self, weights: Weights) -> None:
        """Give the actors new weights, with the next calls; see `Fleet.publish`."""
        self._version += 1
        self._weights = ray.put(weights)

    def supply(self) -> None:
        """Wait a moment for an answer."""
        self._collect(WAIT_SECONDS)

    def waiting(self) -> int:
        """Count the rows that wait; see `Fleet.waiting`."""
        self._collect(0)
        return sum(map(len, self._waiting))

    @property
    def filled(self) -> float:
        """The part of all buffers that is filled; see `Fleet.filled`."""
        return min(1.0, sum(map(len, self._waiting)) / self._room)

    @property
    def _room(self) -> int:
        return self._config.ring_size * max(1, len(self._running))

    def take(self, count: int, out: ReplayRows) -> None:
        """Move rows into `out`, [count], evenly from the oldest answers; see `Fleet.take`."""
        lengths = np.array([len(rows) for rows in self._waiting])
        some = max(MIXED, int(np.searchsorted(lengths.cumsum(), count)) + 1)
        filled = 0
        for place, index in enumerate(np.argsort(lengths[:some], kind='stable').tolist()):
            rows = self._waiting[index]
            share = min(len(rows), -(-(count - filled) // (min(some, len(lengths)) - place)))
            out[filled : filled + share] = rows[:share]
            self._waiting[index] = rows[share:]
            filled += share
        self._waiting = [rows for rows in self._waiting if len(rows)]
        self._ask()

    def counts(self) -> Counts:
        """Return what all actors have done; see `Fleet.counts`."""
        return self._counts

    def _collect(self, seconds: float) -> None:
        """Take in the answers that are there; wait so long for one if there are none."""
        try:
            self._note(*self._finished.get(timeout=seconds) if seconds else self._finished.get_nowait())
            while True:
                self._note(*self._finished.get_nowait())
        except Empty:
            self._ask()

    def _note(self, actor: _Running, future: 'Future[Answer]') -> None:
        actor.calls -= 1
        error = future.exception()
        if error is not None:
            if actor.error is None:
                actor.error, actor.ended = error, time.monotonic()
            return
        rows, counts = future.result()
        actor.answers += 1
        self._rows_of[actor.node.name] += len(rows)
        self._counts = self._counts.plus(counts)
        if len(rows):
            self._waiting.append(rows)

    def _ask(self) -> None:
        """Have actors play, each so far ahead, as long as there is room for what they will answer."""
        expected = sum(map(len, self._waiting)) + ANSWER_ROWS * sum(actor.calls for actor in self._running.values())
        for actor in self._running.values():
            while actor.calls < AHEAD and actor.error is None and expected < self._room:
                future = actor.handle.play.remote(self._weights, self._version).future()
                future.add_done_callback(lambda done, actor=actor: self._finished.put((actor, done)))
                actor.calls += 1
                expected += ANSWER_ROWS

    def replace_dead(self) -> list[str]:
        """Replace actors that died or hang, and follow the nodes; return a report on each.

        Raises:
            ActorError: if they keep dying, see `check_deaths`; actors that a node takes along when it leaves do not
                count.
        """
        self._collect(0)
        reports: list[str] = []
        ended = [number for number, actor in self._running.items() if actor.is_over or self._hangs(actor)]
        if ended or time.monotonic() - self._looked > LOOK_SECONDS:
            self._looked = time.monotonic()
            reports += self._placement.follow()
        for number in ended:
            reports += self._bury(number)
        self._start_missing()
        return reports + self._rates()

    def _hangs(self, actor: _Running) -> bool:
        """Tell whether an actor that has calls to answer is silent for too long."""
        if not actor.calls:
            actor.last_heartbeat = time.monotonic()
        return actor.is_hung(actor.answers, self._config.max_silence)

    def _bury(self, number: int) -> list[str]:
        """Forget an actor that died or hangs; return a report on it unless its node has left."""
        actor = self._running[number]
        ray.kill(actor.handle)
        if actor.node.id not in self._placement.nodes:
            del self._running[number]
            return []
        silence = actor.allowed_silence(self._config.max_silence)
        died = 'died' if actor.error is not None else f'gave no answer for {silence:g} seconds'
        reason = text_of(actor.error).strip() if actor.error is not None else 'no traceback'
        report = f'actor {number} on {actor.node.name} {died} and is replaced: {reason}'
        check_deaths(self._running.values(), self._config.max_deaths, report)
        self._deaths[number] = actor.recent_deaths + 1
        del self._running[number]
        return [report]

    def _start_missing(self) -> None:
        """Start the actors that are missing, as far as there is room."""
        for number in range(self.wanted):
            taken = Counter(actor.node.id for actor in self._running.values())
            node = None if number in self._running else self._placement.choose(taken)
            if node is not None:
                self._running[number] = self._start(node, self._deaths.pop(number, 0))
        self._ask()

    def _start(self, node: Node, deaths: int) -> _Running:
        kind = ray.remote(RemoteActor).options(num_cpus=1, scheduling_strategy=on_node(node))
        handle = kind.remote(self._config, self.started, self._dtype, os.getcwd())
        self.started += 1
        return _Running(deaths, 0, handle, node)

    def _rates(self) -> list[str]:
        """Return what each node has played in the last minute, once a minute."""
        seconds = time.monotonic() - self._said
        if seconds < SAY_SECONDS:
            return []
        rates = ', '.join(f'{rows / seconds:,.0f} on {name}' for name, rows in sorted(self._rows_of.items()))
        self._rows_of.clear()
        self._said += seconds
        return [f'played/s by node: {rates or "none"}']

    def close(self) -> None:
        """End all actors; see `Fleet.close`."""
        for actor in self._running.values():
            ray.kill(actor.handle)
