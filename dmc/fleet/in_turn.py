"""Playing and learning by turns in one process, for runs that give the same weights every time."""

import numpy as np

from dmc.actor import Actor
from dmc.config import Config
from dmc.fleet.shared_memory import DECISION, Decisions, SharedArrays
from dmc.learner import Learner
from rlcard_big2.nets.value import dump_weights


class LockStep:
    """Stands in for `Actors`: one actor, which plays when the learner asks for more, with its newest weights.

    Args:
        config: of the run.
        shared: its arrays.
        learner: whose weights are played with.
        started: how many actors the run has started before, where it is resumed.
    """

    def __init__(self, config: Config, shared: SharedArrays, learner: Learner, started: int = 0) -> None:
        self.started = started + 1
        self._shared = shared
        self._learner = learner
        self._actor = Actor(config, 0, started, shared, learner.dtype)
        self._steps = -1
        self._rows: Decisions = np.empty(0, DECISION)  # played, and not in the ring yet

    def supply(self) -> None:
        """Make one move in every game, once all that was played before is in the ring."""
        if self._steps != self._learner.steps:
            self._steps = self._learner.steps
            self._shared.publish(dump_weights(self._learner.network))
            self._actor.refresh()
        if not len(self._rows):
            self._rows = self._actor.play_moves()
        self._rows = self._rows[self._shared.put(0, self._rows) :]

    def replace_dead(self) -> list[str]:
        """Return that nobody died."""
        return []

    def stop(self) -> None:
        """Leave nothing behind, for there is nothing."""
