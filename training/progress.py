"""Progress of a run: frames, games and time."""

import time
from collections import deque
from typing import NamedTuple

from rlcard_kit.arrays import Float64Array
from training.checkpoint import Counters
from training.workers import Counts

SNAPSHOTS = 50  # over which speeds are averaged


class Snapshot(NamedTuple):
    """Counts at some moment."""

    time: float
    frames: int
    counts: Counts


class Progress:
    """Counts frames, games and time of a run.

    Args:
        counters: to resume from.
        statistics: of the game before any game has ended, float64 [statistics, 2].
        minutes: of the run; None for no limit.
        total_frames: of the run; None for no limit.
    """

    def __init__(
        self,
        counters: Counters,
        statistics: Float64Array,
        minutes: float | None = None,
        total_frames: int | None = None,
    ) -> None:
        self._minutes, self._total_frames = minutes, total_frames
        self._before = counters
        self._started = time.monotonic()
        self.frames = counters.frames
        self._snapshots = deque([Snapshot(self._started, self.frames, Counts(0, 0, 0, statistics))], SNAPSHOTS)

    @property
    def seconds_now(self) -> float:
        """Seconds since the run was started or resumed."""
        return time.monotonic() - self._started

    @property
    def seconds(self) -> float:
        """Seconds that the run has taken, earlier parts of it included."""
        return self._before.seconds + self.seconds_now

    @property
    def frames_per_second(self) -> float:
        """Frames learned from per second, over the last 50 snapshots."""
        return (self._snapshots[-1].frames - self._snapshots[0].frames) * self._rate

    @property
    def played_per_second(self) -> float:
        """Moves or decisions played per second, as the trainer counts, over the last 50 snapshots."""
        return self._recent.played * self._rate

    @property
    def _rate(self) -> float:
        seconds = self._snapshots[-1].time - self._snapshots[0].time
        return 1 / seconds if seconds else 0.0

    @property
    def _recent(self) -> Counts:
        """Counts over the last 50 snapshots."""
        return self._snapshots[-1].counts.minus(self._snapshots[0].counts)

    @property
    def games(self) -> int:
        """Games that have ended."""
        return self._before.games + self._snapshots[-1].counts.games

    @property
    def winners_return(self) -> float | None:
        """The average payoff of recent winners, in cards; None if no game has ended recently."""
        return self._recent.winners_payoffs / self._recent.games if self._recent.games else None

    @property
    def statistics(self) -> Float64Array:
        """Sums and numbers of the game's statistics over the last 50 snapshots, float64 [statistics, 2]."""
        return self._recent.statistics

    @property
    def done(self) -> float:
        """The part of the run that is over, 0..1; 0 without a limit. Time counts once a batch was learned."""
        minutes, frames = self._minutes, self._total_frames
        by_time = self.seconds / (60 * minutes) if minutes and self.frames else float(minutes == 0)
        by_frames = self.frames / frames if frames else float(frames == 0)
        return min(1.0, max(by_time, by_frames))

    @property
    def seconds_left(self) -> float | None:
        """Seconds to the limit of the run at its current speed; None without a limit."""
        estimates = []
        if self._minutes is not None:
            estimates.append(60 * self._minutes - self.seconds)
        if self._total_frames is not None and self.frames_per_second:
            estimates.append((self._total_frames - self.frames) / self.frames_per_second)
        return max(0.0, min(estimates)) if estimates else None

    def counters(self, actors: int) -> Counters:
        """Return what a resumed run starts from; actors: how many were ever started."""
        return Counters(self.frames, self.games, self.seconds, actors)

    def note(self, counts: Counts) -> None:
        """Add a snapshot of the counts since the run was started or resumed."""
        self._snapshots.append(Snapshot(time.monotonic(), self.frames, counts))
