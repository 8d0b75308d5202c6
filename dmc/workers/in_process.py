"""Playing and learning in turn in one process, for runs that give the same weights every time."""

import numpy as np
from typing_extensions import override

from dmc.actor import Actor
from dmc.config import Config
from dmc.inference import Inference
from dmc.learner import Learner
from dmc.workers.base import Link, ReplayRows, Weights, Workers, replay_dtype
from rlcard_kit.arrays import Float64Array
from rlcard_kit.nets.weights import dump_weights
from training.games import LearnedGame
from training.workers import Counts


class LocalLink(Link):
    """A link inside one process: rows wait in an array until they are taken.

    Args:
        game: that is learned.
    """

    stopped = False

    def __init__(self, game: LearnedGame) -> None:
        self.rows: ReplayRows = np.empty(0, replay_dtype(game.card))
        self.counts = self._none = Counts(0, 0, 0, game.no_statistics())
        self._weights: Weights = np.empty(0, np.float32)
        self._version = 0

    def publish(self, weights: Weights) -> None:
        """Keep weights to be fetched."""
        self._weights = weights
        self._version += 1

    @override
    def fetch(self, seen: int, out: Weights) -> int:
        if self._version != seen:
            out[:] = self._weights
        return self._version

    @override
    def put(self, rows: ReplayRows) -> int:
        self.rows = np.concatenate([self.rows, rows])
        self.counts = self.counts._replace(played=self.counts.played + len(rows))
        return len(rows)

    def collect(self) -> tuple[ReplayRows, Counts]:
        """Hand over all rows, [K], and what has been done since the last call."""
        rows, counts = self.rows, self.counts
        self.rows, self.counts = rows[:0], self._none
        return rows, counts

    @override
    def report(self, games: int, winners_payoffs: int, statistics: Float64Array) -> None:
        rows, games_before, payoffs_before, sums = self.counts
        self.counts = Counts(rows, games_before + games, payoffs_before + winners_payoffs, sums + statistics)


class InProcessWorkers(Workers):
    """One actor, which plays when the learner needs more, with its newest weights.

    Args:
        config: settings of the run.
        game: that is learned.
        learner: whose weights are played with.
        inference: how the actor computes values.
        started: actors that the run has started before, if it is resumed.
    """

    def __init__(
        self, config: Config, game: LearnedGame, learner: Learner, inference: Inference, started: int = 0
    ) -> None:
        self.started = started + 1
        self.room = config.run.ring_size
        self._link = LocalLink(game)
        self._learner = learner
        self._actor = Actor(config, game, started, self._link, inference)
        self._num_games = config.game.num_games
        self._steps = -1

    @override
    def describe(self) -> str:
        return f'one actor with {self._num_games} games, in turn with the learner'

    def publish(self, weights: Weights) -> None:
        """No-op: `supply` takes the newest weights itself, at moments that do not depend on the clock."""

    def supply(self) -> None:
        """Make one move in every game."""
        if self._steps != self._learner.steps:
            self._steps = self._learner.steps
            self._link.publish(dump_weights(self._learner.network))
            self._actor.refresh()
        self._link.put(self._actor.play_moves())

    @override
    def waiting(self) -> int:
        return len(self._link.rows)

    @override
    def take(self, count: int, out: ReplayRows) -> None:
        out[:] = self._link.rows[:count]
        self._link.rows = self._link.rows[count:]

    @override
    def counts(self) -> Counts:
        return self._link.counts
