"""What a run has done so far."""

import time
from collections import deque

from dmc.checkpoint import Counters
from dmc.config import Config
from dmc.shared import SharedArrays

SMOOTHING = 0.99  # of the loss that is shown
LOOKS = 50  # looks at the actors over which speeds and returns are averaged


class Progress:
    """Counts frames, games, loss and returns of a run.

    Args:
        counters: of the run when it was left, where it is resumed.
    """

    def __init__(self, counters: Counters) -> None:
        self._before = counters
        self._started = time.monotonic()
        self.frames = counters.frames
        self.loss: float | None = None
        # Of each look at the actors: time, frames, games, sum of the winners' returns.
        self._looks = deque([(self._started, self.frames, 0, 0)], LOOKS)

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
        """Frames learned from per second, of late."""
        (then, before, _, _), (now, after, _, _) = self._looks[0], self._looks[-1]
        return (after - before) / (now - then) if now > then else 0.0

    @property
    def games(self) -> int:
        """Games that the actors have finished."""
        return self._before.games + self._looks[-1][2]

    @property
    def winners_return(self) -> float | None:
        """What winners have gained on average of late, in cards; all four returns of a game sum to zero."""
        (_, _, before, had), (_, _, after, have) = self._looks[0], self._looks[-1]
        return (have - had) / (after - before) if after > before else None

    def reached(self, config: Config) -> bool:
        """Tell whether a limit of the run is reached; minutes count from its start or resumption."""
        late = config.minutes is not None and self.seconds_now >= 60 * config.minutes
        return late or (config.total_frames is not None and self.frames >= config.total_frames)

    def count(self, frames: int, loss: float) -> None:
        """Count an update."""
        self.frames += frames
        self.loss = loss if self.loss is None else SMOOTHING * self.loss + (1 - SMOOTHING) * loss

    def look(self, shared: SharedArrays) -> None:
        """Read the actors' counters."""
        self._looks.append((time.monotonic(), self.frames, int(shared.games.sum()), int(shared.won.sum())))
