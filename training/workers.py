"""Workers that play for a trainer: the interface that both trainers share."""

from operator import add, sub
from typing import NamedTuple, Protocol

from rlcard_kit.arrays import Float64Array


class Counts(NamedTuple):
    """Counts of play since the run was started or resumed."""

    played: int  # decisions for the learner in DMC, all moves in PPO
    games: int  # finished
    winners_payoffs: int  # their sum over those games
    statistics: Float64Array  # [statistics, 2], sums and numbers over them, see `LearnedGame.count`

    def plus(self, more: 'Counts') -> 'Counts':
        """Return the sum of these counts and others."""
        return Counts(*map(add, self, more))

    def minus(self, fewer: 'Counts') -> 'Counts':
        """Return the difference of these counts and earlier ones."""
        return Counts(*map(sub, self, fewer))


def actors_with(number: int, games: str) -> str:
    """Return a number of actors, and the games of each, as text."""
    return f'1 actor with {games}' if number == 1 else f'{number} actors with {games} each'


class WorkerPool(Protocol):
    """The learner's side of all workers of a run."""

    @property
    def started(self) -> int:
        """Streams of random draws that the run has used, before a resumption too; a new worker takes the next one."""
        ...

    def describe(self) -> str:
        """Return the number and the place of the workers, as text."""
        ...

    def counts(self) -> Counts:
        """Return the counts of all workers."""
        ...

    def replace_dead(self) -> list[str]:
        """Replace workers that died or hang, if they have processes of their own; return a report on each.

        Raises:
            ActorError: if they keep dying.
        """
        return []

    def close(self) -> None:
        """Stop all workers and release what they used."""
        return
