"""DMC actors on a Ray cluster; see `training.cluster`.

The learner keeps two calls under way with each actor, and makes the next one when it has room for its rows. That holds
back actors that are faster than the learner.
"""

import time
from functools import partial

import numpy as np
from typing_extensions import override

from dmc.actor import Actor
from dmc.config import Config
from dmc.inference import Inference
from dmc.workers.base import ANSWER_ROWS, ReplayRows, Weights, Workers
from dmc.workers.in_process import LocalLink
from training.cluster import ActorPool
from training.games import LearnedGame
from training.workers import Counts, actors_with

Chunk = tuple[ReplayRows, Counts]  # rows that an actor has played, and its counts, since its last call

SECONDS = 1.0  # after which a call returns with fewer rows
AHEAD = 2  # calls under way with an actor, so that it plays on while a result travels
WAIT_SECONDS = 0.05  # of the learner, for rows
MIXED = 16  # results that a batch is taken from, so that it has rows of many actors


class DMCWorker:
    """An actor and its link; see `training.cluster.Worker`.

    Args:
        config: settings of the run.
        inference: how it computes values.
        stream: of its random draws.
    """

    def __init__(self, config: Config, inference: Inference, stream: int) -> None:
        game = config.find_game()
        self._link = LocalLink(game)
        self._actor = Actor(config, game, stream, self._link, inference)
        self._version = 0

    def play(self, weights: Weights, version: int) -> Chunk:
        """Play until there are enough rows, or for a second, with these weights or newer ones; return `collect`."""
        if version > self._version:
            self._link.publish(weights)
            self._version = version
        self._actor.refresh()
        end = time.monotonic() + SECONDS
        while len(self._link.rows) < ANSWER_ROWS and time.monotonic() < end:
            self._link.put(self._actor.play_moves())
        return self._link.collect()


class RayWorkers(ActorPool[Chunk], Workers):
    """Actors on the nodes of the connected cluster; see `Workers`.

    Args:
        config: settings of the run; without `num_actors`, all nodes are used, including those that join later.
        game: that is learned.
        weights: to start with, float32 [num_weights].
        inference: how actors compute values.
        started: actors that the run has started before, if it is resumed.

    Raises:
        ClusterError: if there is no room for the actors.
    """

    def __init__(
        self, config: Config, game: LearnedGame, weights: Weights, inference: Inference, started: int = 0
    ) -> None:
        super().__init__(config.run, started)
        self._num_games, self._ring_size = config.game.num_games, config.run.ring_size
        self._waiting: list[ReplayRows] = []
        self._counts = Counts(0, 0, 0, game.no_statistics())
        self.start(partial(DMCWorker, config, inference), weights)
        self._submit()

    @override
    def describe(self) -> str:
        return f'{actors_with(len(self.actors), f"{self._num_games} games")}: {self.describe_nodes()}'

    @override
    def supply(self) -> None:
        self._collect(WAIT_SECONDS)

    @override
    def waiting(self) -> int:
        self._collect(0)
        return sum(map(len, self._waiting))

    @override
    def take(self, count: int, out: ReplayRows) -> None:
        """Move rows into `out`, [count], evenly from the oldest results."""
        lengths = np.array([len(rows) for rows in self._waiting])
        some = max(MIXED, int(np.searchsorted(lengths.cumsum(), count)) + 1)
        filled = 0
        for rank, index in enumerate(np.argsort(lengths[:some], kind='stable').tolist()):
            rows = self._waiting[index]
            share = min(len(rows), -(-(count - filled) // (min(some, len(lengths)) - rank)))
            out[filled : filled + share] = rows[:share]
            self._waiting[index] = rows[share:]
            filled += share
        self._waiting = [rows for rows in self._waiting if len(rows)]
        self._submit()

    @override
    def counts(self) -> Counts:
        return self._counts

    def _collect(self, timeout: float) -> None:
        """Store the results that have arrived; if there are none, wait for one for at most `timeout` seconds."""
        for result in self.results(timeout):
            rows, counts = result.value
            self._counts = self._counts.plus(counts)
            if len(rows):
                self._waiting.append(rows)
        self._submit()

    def _submit(self) -> None:
        """Submit calls as long as there is room for their rows."""
        actors = self.actors.values()
        self.room = self._ring_size * max(1, len(actors))
        expected = sum(map(len, self._waiting)) + ANSWER_ROWS * sum(len(actor.versions) for actor in actors)
        for actor in actors:
            while len(actor.versions) < AHEAD and not actor.failure and expected < self.room:
                self.submit(actor)
                expected += ANSWER_ROWS

    @override
    def replace_dead(self) -> list[str]:
        self._collect(0)
        reports = super().replace_dead()
        self._submit()
        return reports
