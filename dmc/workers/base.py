"""The seam between actors and learner: two protocols, one for each side, and the rows that cross it.

An actor knows its `Link` alone, the learner its `Workers` alone. Where actors run, and how rows and weights travel, is
up to an implementation of both: processes that share memory (`processes.py`), this process itself (`in_turn.py`), or
the nodes of a cluster (`on_ray.py`).
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.arrays import Float64Array
from rlcard_kit.dtypes import num_words
from rlcard_kit.game import CardGame

ANSWER_ROWS = 1024  # that an actor on a cluster sends at once, at least
ReplayRows = NDArray[np.void]  # of the game's `replay_row`
Weights = NDArray[np.float32]  # [num_weights], as `dump_weights` returns them


def replay_row(game: CardGame) -> np.dtype[Any]:
    """Return the record of a decision to learn from."""
    return np.dtype(
        [
            ('observation', np.int64, num_words(game.observation)),  # packed, see `words_of`
            ('action', np.int64),  # the move, as the game has it
            ('target', np.float32),  # of its value
        ]
    )


class Counts(NamedTuple):
    """What all actors have done since the run was started or resumed."""

    rows: int  # handed over
    games: int  # finished
    winners_payoffs: int  # their sum over those games
    statistics: Float64Array  # [statistics, 2], sums and numbers over them, see `LearnedGame.count`

    def plus(self, more: 'Counts') -> 'Counts':
        """Return these and more."""
        return Counts(
            self.rows + more.rows,
            self.games + more.games,
            self.winners_payoffs + more.winners_payoffs,
            self.statistics + more.statistics,
        )


class Link(Protocol):
    """An actor's side of the seam."""

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
        """Show that the actor is alive."""
        ...

    def count(self, games: int, winners_payoffs: int, statistics: Float64Array) -> None:
        """Count finished games, the sum of the winners' payoffs in them, and their statistics; see `Counts`."""
        ...


class Workers(Protocol):
    """The learner's side of the seam: all actors of a run."""

    @property
    def started(self) -> int:
        """Actors ever started in the run, before a resumption too: each has random draws of its own."""
        ...

    def describe(self) -> str:
        """Say in a few words what plays and where."""
        ...

    def publish(self, weights: Weights) -> None:
        """Give the actors new weights."""
        ...

    def supply(self) -> None:
        """Have more played, or wait a moment for it; called when fewer rows wait than the learner needs."""
        ...

    def waiting(self) -> int:
        """Count the rows that wait to be learned from."""
        ...

    @property
    def filled(self) -> float:
        """How full the buffers are: 1 if actors must wait for the learner."""
        ...

    def take(self, count: int, out: ReplayRows) -> None:
        """Move rows into `out`, [count]; so many must be waiting."""
        ...

    def counts(self) -> Counts:
        """Return what all actors have done."""
        ...

    def replace_dead(self) -> list[str]:
        """Replace actors that died or hang; return a report on each.

        Raises:
            ActorError: if they keep dying.
        """
        ...

    def close(self) -> None:
        """Stop all actors and release what they used."""
        ...
