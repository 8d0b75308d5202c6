"""When an actor hangs, and when too many have died."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from rlcard_kit.errors import Big2Error

SETTLED_SECONDS = 60.0  # of play, after which an actor's predecessors are forgotten
START_SECONDS = 600.0  # for a first sign of life: an actor may have to compile the engine, beside others that do


class ActorError(Big2Error):
    """Actors keep dying; the message holds the most recent traceback."""


@dataclass
class Watched:
    """An actor as its fleet watches it."""

    deaths: int  # of its predecessors since one of them had settled
    heartbeats: int
    last_heartbeat: float = field(default_factory=lambda: time.monotonic(), kw_only=True)
    first_heartbeat: float | None = field(default=None, kw_only=True)

    def allowed_silence(self, max_silence: float) -> float:
        """Return the seconds that it may be silent: more until its first heartbeat than the `max_silence` of later."""
        return max_silence if self.first_heartbeat is not None else max(max_silence, START_SECONDS)

    def is_hung(self, heartbeats: int, max_silence: float) -> bool:
        """Note the heartbeats so far, and tell whether the last, or the start, was longer ago than is allowed."""
        now = time.monotonic()
        if heartbeats != self.heartbeats:
            self.heartbeats, self.last_heartbeat = heartbeats, now
            self.first_heartbeat = now if self.first_heartbeat is None else self.first_heartbeat
        return now - self.last_heartbeat > self.allowed_silence(max_silence)

    @property
    def recent_deaths(self) -> int:
        """The deaths of its predecessors, unless it has settled: it has played for a minute."""
        started = self.first_heartbeat
        return 0 if started is not None and self.last_heartbeat - started >= SETTLED_SECONDS else self.deaths


def check_deaths(actors: Iterable[Watched], most: int, report: str) -> None:
    """Raise ActorError if one more death, on which there is a report, is too much.

    Args:
        actors: of the fleet, the dead one among them.
        most: deaths that are borne.
        report: on this one.
    """
    if 1 + sum(actor.recent_deaths for actor in actors) > most:
        raise ActorError(f'more than {most} actors died before a replacement played for a minute; the last: {report}')
