"""The interface between actors and learner: two protocols, one for each side, and the rows that pass between them.

An actor knows its `Link` alone, the learner its `Workers` alone. Where actors run, and how rows and weights travel, is
up to an implementation of both: processes that share memory (`processes.py`), this process itself (`in_process.py`), or
the nodes of a cluster (`ray_workers.py`).
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.arrays import Float64Array, num_words
from rlcard_kit.game import CardGame
from training.workers import WorkerPool

ANSWER_ROWS = 1024  # that an actor on a cluster sends at once, at least
ReplayRows = NDArray[np.void]  # of `replay_dtype`
Weights = NDArray[np.float32]  # [num_weights], as `dump_weights` returns them


def replay_dtype(game: CardGame) -> np.dtype[Any]:
    """Return the dtype of a decision to learn from."""
    return np.dtype(
        [
            ('observation', np.int64, num_words(game.observation)),  # packed, see `words_of`
            ('action', np.int64),  # the move, as the game has it
            ('target', np.float32),  # of its value
        ]
    )


class Link(Protocol):
    """An actor's side of the interface."""

    @property
    def stopped(self) -> bool:
        """Whether the actor is to leave."""
        ...

    def fetch(self, seen: int, out: Weights) -> int:
        """Copy weights into `out` if they are newer than version `seen`; return the version that `out` now holds.

        Versions start at 0, which stands for no weights yet. If the same version is returned, `out` may hold garbage
        from an attempt to read what was being written; it must not be used.
        """
        ...

    def put(self, rows: ReplayRows) -> int:
        """Hand over rows, [K], from the first on, as many as there is room for; return how many."""
        ...

    def beat(self) -> None:
        """Show that the actor is alive, if another process watches it."""
        return

    def report(self, games: int, winners_payoffs: int, statistics: Float64Array) -> None:
        """Report finished games, the sum of the winners' payoffs in them, and their statistics; see `Counts`."""
        ...


class Workers(WorkerPool, Protocol):
    """The learner's side of the interface: all actors of a run."""

    def publish(self, weights: Weights) -> None:
        """Give the actors new weights."""
        ...

    def supply(self) -> None:
        """Play more, or wait a moment for more; called when fewer rows wait than the learner needs."""
        ...

    def waiting(self) -> int:
        """Count the rows that wait to be learned from."""
        ...

    room: int
    """The number of waiting rows from which on actors must wait for the learner."""

    def take(self, count: int, out: ReplayRows) -> None:
        """Move rows into `out`, [count]; at least `count` must be waiting."""
        ...
