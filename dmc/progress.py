"""What a run has done so far."""

import time
from collections import deque

from dmc.config import Config
from dmc.shared import SharedArrays

SMOOTHING = 0.99  # of the loss that is shown
LOOKS = 50  # looks at the actors over which speeds and returns are averaged


class Progress:
    """Counts frames, games, loss and returns of a run."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.frames = 0
        self.loss: float | None = None
        self._looks = deque([(self.started, 0, 0, 0)], LOOKS)  # time, frames, games, sum of the winners' returns

    @property
    def seconds(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self.started

    @property
    def frames_per_second(self) -> float:
        """Frames learned from per second, of late."""
        (then, before, _, _), (now, after, _, _) = self._looks[0], self._looks[-1]
        return (after - before) / (now - then) if now > then else 0.0

    @property
    def games(self) -> int:
        """Games that the actors have finished."""
        return self._looks[-1][2]

    @property
    def winners_return(self) -> float | None:
        """What winners have gained on average of late, in cards; all four returns of a game sum to zero."""
        (_, _, before, had), (_, _, after, have) = self._looks[0], self._looks[-1]
        return (have - had) / (after - before) if after > before else None

    def reached(self, config: Config) -> bool:
        """Tell whether a limit of the run is reached."""
        late = config.minutes is not None and self.seconds >= 60 * config.minutes
        return late or (config.total_frames is not None and self.frames >= config.total_frames)

    def count(self, frames: int, loss: float) -> None:
        """Count an update."""
        self.frames += frames
        self.loss = loss if self.loss is None else SMOOTHING * self.loss + (1 - SMOOTHING) * loss

    def look(self, shared: SharedArrays) -> None:
        """Read the actors' counters."""
        self._looks.append((time.monotonic(), self.frames, int(shared.games.sum()), int(shared.won.sum())))
