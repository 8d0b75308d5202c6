"""Playing and learning in turn in one process, for runs that give the same weights every time."""

import numpy as np

from dmc.actor import Actor
from dmc.config import Config
from dmc.inference import Inference
from dmc.learner import Learner
from dmc.workers.base import Counts, ReplayRows, Weights, replay_row
from rlcard_kit.arrays import Float64Array
from rlcard_kit.nets.weights import dump_weights
from training.games import LearnedGame


class LocalLink:
    """A link inside one process: rows wait in an array until they are taken.

    Args:
        game: that is learned.
    """

    stopped = False

    def __init__(self, game: LearnedGame) -> None:
        self.rows: ReplayRows = np.empty(0, replay_row(game.card))
        self.counts = self._none = Counts(0, 0, 0, game.no_statistics())
        self._weights: Weights = np.empty(0, np.float32)
        self._version = 0

    def publish(self, weights: Weights) -> None:
        """Keep weights to be fetched; see `Workers.publish`."""
        self._weights = weights
        self._version += 1

    def fetch(self, seen: int, out: Weights) -> int:
        """Copy weights newer than version `seen`; see `Link.fetch`."""
        if self._version != seen:
            out[:] = self._weights
        return self._version

    def put(self, rows: ReplayRows) -> int:
        """Take all rows; see `Link.put`."""
        self.rows = np.concatenate([self.rows, rows])
        self.counts = self.counts._replace(rows=self.counts.rows + len(rows))
        return len(rows)

    def take(self, count: int, out: ReplayRows) -> None:
        """Move the oldest rows into `out`, [count]; see `Workers.take`."""
        out[:] = self.rows[:count]
        self.rows = self.rows[count:]

    def collect(self) -> tuple[ReplayRows, Counts]:
        """Hand over all rows, [K], and what has been done since the last call."""
        rows, counts = self.rows, self.counts
        self.rows, self.counts = rows[:0], self._none
        return rows, counts

    def beat(self) -> None:
        """Do nothing: nobody watches."""

    def count(self, games: int, winners_payoffs: int, statistics: Float64Array) -> None:
        """Count finished games; see `Link.count`."""
        rows, games_before, payoffs_before, sums = self.counts
        self.counts = Counts(rows, games_before + games, payoffs_before + winners_payoffs, sums + statistics)


class InProcessWorkers:
    """A workers of one actor, which plays when the learner needs more, with its newest weights.

    Args:
        config: settings of the run.
        learner: whose weights are played with.
        inference: how the actor computes values.
        started: actors that the run has started before, if it is resumed.
    """

    def __init__(self, config: Config, learner: Learner, inference: Inference, started: int = 0) -> None:
        self.started = started + 1
        self._link = LocalLink(config.learned)
        self._learner = learner
        self._actor = Actor(config, started, self._link, inference)
        self._room = config.run.ring_size
        self._steps = -1

    def describe(self) -> str:
        """Say what plays; see `Workers.describe`."""
        return f'one actor with {self._actor.config.game.num_games} games, in turn with the learner'

    def publish(self, weights: Weights) -> None:
        """Do nothing: `supply` takes the newest weights itself, at moments that do not depend on the clock."""

    def supply(self) -> None:
        """Make one move in every game."""
        if self._steps != self._learner.steps:
            self._steps = self._learner.steps
            self._link.publish(dump_weights(self._learner.network))
            self._actor.refresh()
        self._link.put(self._actor.play_moves())

    def waiting(self) -> int:
        """Count the rows that wait; see `Workers.waiting`."""
        return len(self._link.rows)

    @property
    def filled(self) -> float:
        """How many rows wait, as a part of an actor's buffer."""
        return self.waiting() / self._room

    def take(self, count: int, out: ReplayRows) -> None:
        """Move the oldest rows into `out`, [count]; see `Workers.take`."""
        self._link.take(count, out)

    def counts(self) -> Counts:
        """Return what the actor has done; see `Workers.counts`."""
        return self._link.counts

    def replace_dead(self) -> list[str]:
        """Return no reports: there are no processes."""
        return []

    def close(self) -> None:
        """Do nothing: there are no processes."""
