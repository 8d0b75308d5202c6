"""A fleet on a cluster, by Ray; see `training.cluster.actor_pool`.

The learner asks each actor for rows, two calls ahead, and asks again when it has room: that holds back actors that are
faster than the learner.
"""

import time
from functools import partial
from typing import NamedTuple

import numpy as np

from dmc.actor import Actor
from dmc.config import Config
from dmc.inference import Arithmetic
from dmc.workers.base import ANSWER_ROWS, Counts, ReplayRows, Weights
from dmc.workers.in_process import LocalLink
from training.cluster.actor_pool import Crew

SECONDS = 1.0  # of play, after which an actor answers with fewer
AHEAD = 2  # calls that an actor has, so that it plays on while an answer is under way
WAIT_SECONDS = 0.05  # of the learner, for rows
MIXED = 16  # answers that a batch is taken from, so that it has many actors' rows


class Answer(NamedTuple):
    """What an actor has played since its last answer."""

    rows: ReplayRows
    counts: Counts


class Playing:
    """An actor and its link, in a process on a node; see `training.cluster.actor_pool.Plays`.

    Args:
        config: settings of the run.
        arithmetic: how it computes values.
        stream: of its random draws.
    """

    def __init__(self, config: Config, arithmetic: Arithmetic, stream: int) -> None:
        self._link = LocalLink(config.learned)
        self._actor = Actor(config, stream, self._link, arithmetic)
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


class RayFleet:
    """Has actors on the nodes of the cluster that this process is connected to; see `Fleet`.

    Args:
        config: settings of the run; without `num_actors`, all nodes are used, those that join later too.
        weights: to start with, float32 [num_weights].
        arithmetic: how actors compute values.
        started: actors that the run has started before, if it is resumed.

    Raises:
        ClusterError: if there is no room for the actors.
    """

    def __init__(self, config: Config, weights: Weights, arithmetic: Arithmetic, started: int = 0) -> None:
        self.crew: Crew[Answer] = Crew(config, started)
        self._config = config
        self._waiting: list[ReplayRows] = []
        self._counts = Counts(0, 0, 0, config.learned.no_statistics())
        self.crew.start(partial(Playing, config, arithmetic), weights)
        self._ask()

    @property
    def started(self) -> int:
        """Actors ever started in the run; see `Fleet.started`."""
        return self.crew.started

    def describe(self) -> str:
        """Say what plays and where; see `Fleet.describe`."""
        return f'{len(self.crew.members)} actors with {self._config.num_games} games each: {self.crew.where()}'

    def publish(self, weights: Weights) -> None:
        """Give the actors new weights, with the next calls; see `Fleet.publish`."""
        self.crew.publish(weights)

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
        return self._config.ring_size * max(1, len(self.crew.members))

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
        for found in self.crew.answers(seconds):
            rows, counts = found.answer
            self.crew.count(found.member, len(rows))
            self._counts = self._counts.plus(counts)
            if len(rows):
                self._waiting.append(rows)
        self._ask()

    def _ask(self) -> None:
        """Have actors play, each so far ahead, as long as there is room for what they will answer."""
        members = self.crew.members.values()
        expected = sum(map(len, self._waiting)) + ANSWER_ROWS * sum(len(member.calls) for member in members)
        for member in members:
            while len(member.calls) < AHEAD and member.error is None and expected < self._room:
                self.crew.ask(member)
                expected += ANSWER_ROWS

    def replace_dead(self) -> list[str]:
        """Replace actors that died or hang, and follow the nodes; see `Crew.replace_dead`."""
        self._collect(0)
        reports = self.crew.replace_dead()
        self._ask()
        return reports

    def close(self) -> None:
        """End all actors; see `Fleet.close`."""
        self.crew.close()
