"""Limits of what an agent is asked: CPU time, and a longer one by the clock for an agent that waits.

CPU time is that of the process, with its threads. Waiting for a core does not count, nor does compiling.
"""

import signal
import threading
import time
from contextlib import AbstractContextManager, nullcontext
from math import inf
from types import FrameType
from typing import Protocol

from rlcard_kit.errors import TimeLimitError
from rlcard_kit.jit import compiling_seconds, is_compiling

SECONDS = 60.0  # of CPU time for one call of an agent, by default
PATIENCE = 10  # times as long by the clock
GRACE = 10.0  # seconds more, at most, for an agent that was told to stop
FINEST = 0.01  # of the limit, between two looks at it


class Watch(Protocol):
    """Is told what this process waits for, so that another process can end it if it waits in vain."""

    def expect(self, what: str, seconds: float) -> None:
        """Note that `what` is to be done within so many seconds by the clock."""
        ...

    def answered(self) -> None:
        """Note that it is done."""
        ...


class Unwatched:
    """A `Watch` that nobody looks at."""

    def expect(self, what: str, seconds: float) -> None:
        """Do nothing."""

    def answered(self) -> None:
        """Do nothing."""


UNWATCHED = Unwatched()


class _Alarm:
    """The handler of SIGALRM, set while the outermost context of it lasts."""

    def __init__(self) -> None:
        self.limit: TimeLimit | None = None  # the one that runs
        self._depth = 0

    def __enter__(self) -> None:
        if self._depth == 0:
            self._earlier = signal.signal(signal.SIGALRM, self._ring)
        self._depth += 1

    def __exit__(self, *raised: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            signal.signal(signal.SIGALRM, self._earlier)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if self.limit is not None:  # else it rang at the very end
            self.limit.look()


_ALARM = _Alarm()


def keep_alarm() -> AbstractContextManager[None]:
    """Return a context for many time limits: to set the handler for each takes as long as a short call of an agent."""
    return _ALARM if _is_main_thread() else nullcontext()


def _is_main_thread() -> bool:
    """Return whether signals reach this thread."""
    return threading.current_thread() is threading.main_thread()


class TimeLimit:
    """A context that raises TimeLimitError if it takes longer; in a thread other than the main one it is only watched.

    Args:
        seconds: of CPU time, and ten times that by the clock; 0 sets no limit.
        what: is done, for the watch.
        watch: is told.
    """

    def __init__(self, seconds: float, what: str = '', watch: Watch = UNWATCHED) -> None:
        self._seconds, self._what, self._watch = seconds, what, watch
        self._interval, self._waited = seconds, 0.0
        self._grace = min(GRACE, PATIENCE * seconds)

    def __enter__(self) -> None:
        self._watch.expect(self._what, self.patience)
        self._start, self._compiled = time.process_time(), compiling_seconds()
        self._is_armed = bool(self._seconds) and _is_main_thread()
        if self._is_armed:
            _ALARM.__enter__()
            _ALARM.limit = self
            signal.setitimer(signal.ITIMER_REAL, self._interval)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if self._is_armed:
            signal.setitimer(signal.ITIMER_REAL, 0)
            _ALARM.limit = None
            _ALARM.__exit__(kind, error, trace)
        self._watch.answered()

    @property
    def patience(self) -> float:
        """Seconds by the clock after which there is no hope left that the body ends by itself."""
        return PATIENCE * self._seconds + self._grace if self._seconds else inf

    def look(self) -> None:
        """Raise TimeLimitError if one of the times is over, else look again later.

        The clock's time is the sum of the intervals between two looks: a process that is stopped and continued has not
        waited meanwhile.
        """
        compiled = compiling_seconds()
        used = time.process_time() - self._start - (compiled - self._compiled)
        self._waited += self._interval
        if is_compiling():  # the engine's time, not the agent's; to interrupt it would leave half a kernel
            self._waited = 0.0
            self._watch.expect(self._what, self.patience)
        elif used >= self._seconds:
            self._stop(f'it took longer than {self._seconds:g} s of CPU time')
        elif self._waited >= PATIENCE * self._seconds:
            self._stop(f'it took longer than {PATIENCE * self._seconds:g} s by the clock')
        self._interval = max(self._seconds - used, FINEST * self._seconds)
        signal.setitimer(signal.ITIMER_REAL, self._interval)

    def _stop(self, reason: str) -> None:
        self._watch.expect(self._what, self._grace)
        raise TimeLimitError(reason)
