"""Time limits for calls of agents: CPU time, and a longer one by the clock for an agent that waits.

CPU time is that of the process with its threads. Waiting for a core and compiling kernels do not count.
"""

import signal
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from math import inf
from types import FrameType
from typing import TypeAlias

from rlcard_kit.compilation import compiling_seconds, is_compiling
from rlcard_kit.errors import TimeLimitError
from rlcard_kit.signals import is_main_thread

SECONDS = 60.0  # of CPU time for one call of an agent, by default
PATIENCE = 10  # limit by the clock, as a multiple of the limit of CPU time
GRACE = 10.0  # seconds, at most, in which an agent that was interrupted must stop
FINEST = 0.01  # shortest interval between two checks, as a share of the limit

Watchdog: TypeAlias = Callable[[str, float], None]
"""Called with the name of a call that begins and the seconds by the clock in which it must end, or '' and infinity.

Another process may kill this one when they are over."""


def no_watchdog(what: str, seconds: float) -> None:
    """Watch nothing."""


class _Alarm:
    """The handler of SIGALRM, set during its outermost context."""

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
        if self.limit is not None:  # none if it rang at the very end
            self.limit.check()


_ALARM = _Alarm()


def keep_alarm() -> AbstractContextManager[None]:
    """Return a context for many time limits: setting the handler for each takes as long as a short call of an agent."""
    return _ALARM if is_main_thread() else nullcontext()


class TimeLimit:
    """A context that raises TimeLimitError if it takes too long; in other threads than the main one it is only watched.

    Args:
        seconds: of CPU time, and ten times that by the clock; 0 sets no limit.
        what: name of the call, for the watchdog.
        watchdog: notified of the call.
    """

    def __init__(self, seconds: float, what: str = '', watchdog: Watchdog = no_watchdog) -> None:
        self._seconds, self._what, self._watchdog = seconds, what, watchdog
        self._interval, self._waited = seconds, 0.0
        self._grace = min(GRACE, PATIENCE * seconds)
        self._patience = PATIENCE * seconds + self._grace if seconds else inf  # then it will not stop by itself

    def __enter__(self) -> None:
        self._watchdog(self._what, self._patience)
        self._start, self._compiled = time.process_time(), compiling_seconds()
        self._is_armed = bool(self._seconds) and is_main_thread()
        if self._is_armed:
            _ALARM.__enter__()
            _ALARM.limit = self
            signal.setitimer(signal.ITIMER_REAL, self._interval)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if self._is_armed:
            signal.setitimer(signal.ITIMER_REAL, 0)
            _ALARM.limit = None
            _ALARM.__exit__(kind, error, trace)
        self._watchdog('', inf)

    def check(self) -> None:
        """Raise TimeLimitError if a limit is exceeded, else check again later.

        Time by the clock is the sum of the intervals between checks, which a stopped process does not lengthen.
        """
        compiled = compiling_seconds()
        used = time.process_time() - self._start - (compiled - self._compiled)
        self._waited += self._interval
        if is_compiling():  # the engine's time, not the agent's; to interrupt it would leave half a kernel
            self._waited = 0.0
            self._watchdog(self._what, self._patience)
        elif used >= self._seconds:
            self._stop(f'it took longer than {self._seconds:g} s of CPU time')
        elif self._waited >= PATIENCE * self._seconds:
            self._stop(f'it took longer than {PATIENCE * self._seconds:g} s by the clock')
        self._interval = max(self._seconds - used, FINEST * self._seconds)
        signal.setitimer(signal.ITIMER_REAL, self._interval)

    def _stop(self, reason: str) -> None:
        self._watchdog(self._what, self._grace)
        raise TimeLimitError(reason)
