"""How much a client may ask for, and the answer if it is too much."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from time import monotonic

from rlcard_kit.records import MAX_LINE

MOST_KEYS = 10_000  # clients whose rate is remembered


class RefusedError(Exception):
    """An answer that says in one sentence why a request is refused.

    Args:
        status: of HTTP.
        text: the sentence.
        retry_after: seconds after which it may be tried again.
    """

    def __init__(self, status: int, text: str, retry_after: float | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.retry_after = retry_after


@dataclass(frozen=True)
class Limits:
    """What the server gives at most, and when it acts by itself."""

    body: int = 4096  # bytes of a request
    record: int = MAX_LINE + 4096  # bytes of a request that holds a record
    upload: int = 1 << 20  # bytes of one that holds many
    body_seconds: float = 10.0  # for a body to arrive
    tables: int = 200
    streams: int = 64
    studies: int = 8  # analyses and scores that are computed or wait
    looks: int = 2  # deep looks at once
    moves_per_second: float = 10.0  # of one person
    tables_per_minute: float = 30.0  # of one address
    away: float = 60.0  # seconds without a sign of a person, after which an agent may stand in
    idle: float = 86_400.0  # seconds after which a table goes
    delay: float = 0.8  # seconds before an agent's move, and before a forced pass
    comment: float = 15.0  # seconds of silence after which a stream says that it lives


class Rate:
    """Lets each client do something a number of times in some seconds.

    Args:
        count: how often.
        seconds: in which time.
        what: is done too often, for the answer.
    """

    def __init__(self, count: float, seconds: float, what: str) -> None:
        self._count = count
        self._per_second = count / seconds
        self._what = what
        self._left: dict[str, tuple[float, float]] = {}  # what was left, and when

    def take(self, key: str) -> None:
        """Note that a client does it once more; RefusedError if that is too often."""
        now = monotonic()
        left, since = self._left.pop(key, (self._count, now))
        left = min(self._count, left + (now - since) * self._per_second)
        self._left[key] = (left - 1 if left >= 1 else left, now)
        while len(self._left) > MOST_KEYS:
            self._left.pop(next(iter(self._left)))  # the one not seen for longest
        if left < 1:
            raise RefusedError(429, f'too many {self._what}: wait a moment', (1 - left) / self._per_second)


class Slots:
    """Lets a number of things happen at once.

    Args:
        count: how many.
        what: they are, for the answer.
        seconds: after which to try again.
    """

    def __init__(self, count: int, what: str, seconds: float) -> None:
        self._free = count
        self._what = what
        self._seconds = seconds

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Hold one of them; RefusedError if all are taken."""
        if self._free <= 0:
            raise RefusedError(429, f'too many {self._what} at once: try again soon', self._seconds)
        self._free -= 1
        try:
            yield
        finally:
            self._free += 1


def retry_header(refusal: RefusedError) -> dict[str, str]:
    """Return the header that says when to try again."""
    return {} if refusal.retry_after is None else {'Retry-After': str(max(1, ceil(refusal.retry_after)))}
