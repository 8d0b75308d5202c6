"""Limits of what clients may request."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import IPv6Address, IPv6Network, ip_address
from time import monotonic

from rlcard_kit.records import MAX_LINE

MAX_KEYS = 10_000  # clients whose rate is tracked


class RefusedError(Exception):
    """A refused request.

    Args:
        status: of HTTP.
        text: reason, in one sentence.
        retry_after: seconds to wait before trying again.
    """

    def __init__(self, status: int, text: str, retry_after: float | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.retry_after = retry_after


@dataclass(frozen=True)
class Limits:
    """Limits and timeouts of the server."""

    body: int = 4096  # bytes of a request
    record: int = MAX_LINE + 4096  # bytes of a request with a record
    upload: int = 1 << 20  # bytes of a request with many records
    body_seconds: float = 10.0  # until a body must have arrived
    tables: int = 200
    tables_each: int = 50  # unfinished ones of one address
    streams: int = 64
    streams_each: int = 16  # of one address
    studies: int = 8  # analyses and scores running or waiting
    looks: int = 2  # rollout analyses at once
    moves_per_second: float = 10.0  # of one person
    tables_per_minute: float = 30.0  # of one address
    codes_per_minute: float = 30.0  # of one address
    away: float = 60.0  # seconds without a request or stream of a person, after which an agent may stand in
    absent: float = 8.0  # seconds likewise, after which the others see that a person is away
    abandoned: float = 600.0  # seconds after which an unused table with moves of people may give way to a new one
    idle: float = 86_400.0  # seconds after which an unused table is removed
    delay: float = 0.8  # seconds before an agent's move, and before a forced pass
    comment: float = 15.0  # seconds of silence after which a stream sends a comment


def client_of(address: str) -> str:
    """Return the client that an IP address counts for: the /64 network of an IPv6 address, which has one owner."""
    try:
        known = ip_address(address)
    except ValueError:  # the name of a proxy's client
        return address
    if isinstance(known, IPv6Address):
        return str(known.ipv4_mapped or IPv6Network((int(known), 64), strict=False))
    return str(known)


@dataclass
class Rate:
    """A rate limit for each client (token bucket)."""

    count: float  # number of actions allowed
    seconds: float  # in this time
    what: str  # plural name of the actions, for the error
    _left: dict[str, tuple[float, float]] = field(default_factory=dict)  # (tokens, time) by client

    def take(self, key: str) -> None:
        """Take a token of a client; RefusedError if there is none left."""
        now, per_second = monotonic(), self.count / self.seconds
        left, since = self._left.pop(key, (self.count, now))
        left = min(self.count, left + (now - since) * per_second)
        self._left[key] = (left - 1 if left >= 1 else left, now)
        while len(self._left) > MAX_KEYS:
            self._left.pop(next(iter(self._left)))  # the least recent one
        if left < 1:
            raise RefusedError(429, f'too many {self.what}: wait a moment', (1 - left) / per_second)


@dataclass
class Slots:
    """A limit of concurrent actions."""

    count: int  # number of actions allowed at once
    each: int  # of them, to one client
    what: str  # plural name of the actions, for the error
    seconds: float  # to wait before trying again
    _taken: Counter[str] = field(default_factory=Counter)  # by client

    @contextmanager
    def taken(self, client: str = '') -> Iterator[None]:
        """Hold a slot; RefusedError if all are taken, or all of a client."""
        if self._taken.total() >= self.count or self._taken[client] >= self.each:
            raise RefusedError(429, f'too many {self.what} at once: try again soon', self.seconds)
        self._taken[client] += 1
        try:
            yield
        finally:
            self._taken[client] -= 1
            self._taken += Counter()  # drops the zeros
