"""Requests and responses: bodies with limits of size and time, checked fields, JSON, and streams of views."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from math import ceil
from time import monotonic
from typing import Any

import anyio
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from rlcard_kit.errors import FileError, KitError
from rlcard_kit.files import parse_json
from rlcard_play.study.protocols import Json
from rlcard_play.web.advisor_thread import Result
from rlcard_play.web.lobby import Lobby
from rlcard_play.web.rate_limits import RefusedError
from rlcard_play.web.tables import SharedTable, as_json

CURSOR = re.compile(r'[0-9]{1,9}')
BROWSER = 'browser'  # name of the cookie with the random key by which a browser's own games are found
BROWSER_SECONDS = 400 * 86_400  # browsers keep no cookie longer
TOKEN = re.compile(r'[A-Za-z0-9_-]{22}')
MAX_INT = (1 << 31) - 1

Kind = tuple[str, Callable[[Any], bool]]  # of values: its description, and whether a value is one
WHOLE: Kind = 'a whole number from 0 on', lambda value: type(value) is int and 0 <= value <= MAX_INT
SEAT: Kind = 'a seat from 0 to 3', lambda value: type(value) is int and 0 <= value <= 3
FLAG: Kind = 'true or false', lambda value: isinstance(value, bool)
TEXT: Kind = 'text', lambda value: isinstance(value, str)
KINDS = {
    'ply': WHOLE, 'game': WHOLE, 'seat': SEAT, 'practice': FLAG, 'press': FLAG, 'deep': FLAG, 'ready': FLAG,
    'confirm': FLAG, 'wait': FLAG, 'fill': FLAG,
    'clock': WHOLE, 'deals': WHOLE, 'points': WHOLE,
    'move': TEXT, 'phrase': TEXT, 'text': TEXT, 'name': TEXT,
}  # fmt: skip
REQUIRED = object()


class JsonResponse(Response):
    """A JSON response."""

    media_type = 'application/json'

    def render(self, content: Any) -> bytes:
        """Encode the content; lone surrogates become question marks."""
        return as_json(content).encode('utf-8', 'replace')


async def read_body(request: Request, limit: int, seconds: float) -> Json:
    """Return the JSON object in the body of a request.

    Raises:
        RefusedError: if it is too large, too slow or not a JSON object.
    """
    body = bytearray()
    try:
        with anyio.fail_after(seconds):
            async for part in request.stream():
                body += part
                if len(body) > limit:
                    raise RefusedError(413, f'the body exceeds {limit:,} bytes')
    except TimeoutError as error:
        raise RefusedError(408, 'the body took too long to arrive') from error
    except ClientDisconnect as error:
        raise RefusedError(400, 'the body is incomplete') from error
    try:
        value = parse_json('the body', bytes(body))
    except FileError as error:
        raise RefusedError(400, f'{error}') from error
    if not isinstance(value, dict):
        raise RefusedError(400, 'the body must be a JSON object, such as {"ply": 17, "move": "Td Ts"}')
    return value


async def until_gone(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """Return the result of work for a request whose body is read; cancel it as soon as the client has left."""
    task, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_left(request))
    leaving.add_done_callback(lambda _: task.cancel())
    try:
        return await task
    finally:
        leaving.cancel()


async def _left(request: Request) -> None:
    while (await request.receive())['type'] != 'http.disconnect':
        pass


def read_cursor(request: Request) -> int | None:
    """Parse the pagination cursor; None if there is none."""
    cursor = request.query_params.get('cursor')
    if cursor is not None and not CURSOR.fullmatch(cursor):
        raise RefusedError(422, 'the cursor must be the one returned with an earlier page')
    return None if cursor is None else int(cursor)


def read_fields(body: Json, **defaults: Any) -> list[Any]:
    """Check the fields of a body by their KINDS; return them, or their defaults, in the order of the defaults.

    Args:
        body: of a request; a field may be null if its default is None.
        **defaults: of all possible fields, or REQUIRED.

    Raises:
        RefusedError: if a field is unknown, missing or not valid.
    """
    unknown = [key for key in body if key not in defaults]
    if unknown:
        raise RefusedError(422, f'unknown key {unknown[0]!r:.60}: the keys are {", ".join(defaults)}')
    values = {**defaults, **body}
    for key, value in values.items():
        if key in KINDS and not (value is None and defaults[key] is None):
            expected, is_valid = TEXT if isinstance(defaults[key], str) else KINDS[key]
            if not is_valid(value):
                shown = 'missing' if value is None or value is REQUIRED else f'{value!r:.60}'
                raise RefusedError(422, f'{key} is {shown}: expected {expected}')
    return list(values.values())


def cookies(headers: Headers, name: str) -> list[str]:
    """Return the values of the cookies of a name: a browser may send several, for several paths."""
    parts = [part.strip().partition('=') for part in headers.get('cookie', '').split(';')]
    return [value.strip('"') for key, _, value in parts if key == name][:4]


def browser_key(request: Request) -> str | None:
    """Return the random key of the browser of a request, or None if it has none yet."""
    return next(filter(TOKEN.fullmatch, cookies(request.headers, BROWSER)), None)


class EventStream(StreamingResponse):
    """A stream of whole views; a slow client gets the newest one only.

    Args:
        lobby: of the tables.
        table: to send views of.
        seat: of the viewer; None for a spectator.
    """

    def __init__(self, lobby: Lobby, table: SharedTable, seat: int | None) -> None:
        super().__init__((), media_type='text/event-stream', headers={'X-Accel-Buffering': 'no'})
        self.lobby = lobby
        self.table = table
        self.seat = seat
        self.changed = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send views until the client disconnects; RefusedError if there are too many streams."""
        person = self.table.people.get(-1 if self.seat is None else self.seat)
        with self.lobby.streams.taken(scope['client'][0]):
            self.table.streams.add(self)
            if person is not None:
                person.streams += 1
            try:
                self.body_iterator = self._events()
                await super().__call__({**scope, 'asgi': {}}, receive, send)  # so that it watches for the disconnect
            finally:
                self.table.streams.discard(self)
                self.table.touched = monotonic()
                if person is not None:
                    person.streams -= 1
                    person.seen = monotonic()

    async def _events(self) -> AsyncIterator[bytes]:
        limits = self.lobby.limits
        self.changed.set()
        while not self.lobby.is_closing:
            event = ': still here\n\n'
            with anyio.move_on_after(limits.comment):
                await self.changed.wait()
                self.changed.clear()
                event = f'id: {self.table.version}\ndata: {self.table.view(self.seat, limits)}\n\n'
            yield event.encode('utf-8', 'replace')


async def failed(request: Request, error: Exception) -> Response:
    """Answer a request that raised an error."""
    text, status, headers = 'internal error; all games are saved', 500, {}
    if isinstance(error, RefusedError):
        text, status = str(error), error.status
        if error.retry_after is not None:
            headers['Retry-After'] = str(max(1, ceil(error.retry_after)))
    elif isinstance(error, KitError):
        text, status = str(error), 422
    elif isinstance(error, HTTPException):
        status = error.status_code
        text = {404: 'not found', 405: 'method not allowed'}.get(status, error.detail)
    return JsonResponse({'error': text}, status, headers)
