"""Workers that play for a trainer: the seats that they train, their interface, heartbeats and failure limits."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import add, sub
from typing import NamedTuple, Protocol

import numpy as np

from rlcard_kit.arrays import BoolArray, Float64Array, Int64Array
from rlcard_kit.errors import KitError

MAX_SILENCE = 120.0  # seconds without a move after which an actor is killed and replaced
MAX_DEATHS = 5  # actors that may die and be replaced; one more ends the run
SETTLED_SECONDS = 60.0  # of play, after which earlier deaths in an actor's place are forgotten
START_SECONDS = 600.0  # for the first heartbeat: several actors may compile the engine at the same time


TRAINED, OPPONENT = 0, 1  # players of a table at which something is trained


def seat_trained(alone: BoolArray, teams: Sequence[Sequence[int]]) -> Int64Array:
    """Return the player in each seat of games to learn from, int64 [N, seats]: TRAINED or OPPONENT.

    Args:
        alone: bool [N], the games with a single trained team: in game i that is team i % teams. In all other games
            every seat is trained.
        teams: of the game, see `CardGame.teams`.
    """
    in_team = np.array([np.isin(np.arange(sum(map(len, teams))), seats) for seats in teams])
    is_trained = ~alone[:, None] | in_team[np.arange(len(alone)) % len(teams)]
    return np.where(is_trained, TRAINED, OPPONENT)


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

    started: int
    """Streams of random draws that the run has used, before a resumption too; a new worker takes the next one."""

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


class ActorError(KitError):
    """Actors keep dying; the message holds the most recent traceback."""


@dataclass
class Watched:
    """An actor's heartbeats, and the deaths in its place."""

    deaths: int  # in its place, since an actor last played for a minute there
    heartbeats: int
    last_heartbeat: float = field(default_factory=lambda: time.monotonic(), kw_only=True)
    first_heartbeat: float | None = field(default=None, kw_only=True)

    @property
    def allowed_silence(self) -> float:
        """The seconds between heartbeats that are allowed, more before the first one."""
        return MAX_SILENCE if self.first_heartbeat is not None else START_SECONDS

    def is_hung(self, heartbeats: int) -> bool:
        """Update the number of heartbeats; return whether the actor has been silent for longer than is allowed."""
        now = time.monotonic()
        if heartbeats != self.heartbeats:
            self.heartbeats, self.last_heartbeat = heartbeats, now
            self.first_heartbeat = now if self.first_heartbeat is None else self.first_heartbeat
        return now - self.last_heartbeat > self.allowed_silence

    @property
    def recent_deaths(self) -> int:
        """The deaths in its place; 0 once it has played for a minute."""
        started = self.first_heartbeat
        return 0 if started is not None and self.last_heartbeat - started >= SETTLED_SECONDS else self.deaths


def check_deaths(actors: Iterable[Watched], report: str) -> None:
    """Raise ActorError with the report on a death if it exceeds the limit; `actors` includes the dead one."""
    if 1 + sum(actor.recent_deaths for actor in actors) > MAX_DEATHS:
        raise ActorError(
            f'more than {MAX_DEATHS} actors died before a replacement played for a minute; the last: {report}'
        )
