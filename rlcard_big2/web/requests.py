"""Read requests: bodies with limits of size and time, and checked fields."""

import json
import re
from collections.abc import Callable
from typing import Any

import anyio
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from rlcard_big2.web.rate_limits import RefusedError
from rlcard_kit.errors import FileError
from rlcard_kit.files import parse_json

ID = re.compile(r'[A-Za-z0-9_-]{22}')
CURSOR = re.compile(r'[0-9]{1,9}')
MAX_NAME = 40  # characters of a person's name
MAX_INT = (1 << 31) - 1


class JsonResponse(Response):
    """A JSON response."""

    media_type = 'application/json'

    def render(self, content: Any) -> bytes:
        """Encode the content; lone surrogates become question marks."""
        return as_json(content).encode('utf-8', 'replace')


def as_json(content: Any) -> str:
    """Write JSON without spaces."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(',', ':'))


async def read_body(request: Request, limit: int, seconds: float) -> dict[str, Any]:
    """Return the JSON object in the body of a request.

    Raises:
        RefusedError: if it is too large, too slow or not a JSON object.
    """
    try:
        with anyio.fail_after(seconds):
            body = await _read(request, limit)
    except TimeoutError as error:
        raise RefusedError(408, 'the body took too long to arrive') from error
    except ClientDisconnect as error:
        raise RefusedError(400, 'the body is incomplete') from error
    try:
        value = parse_json('the body', body)
    except FileError as error:
        raise RefusedError(400, f'{error}') from error
    if not isinstance(value, dict):
        raise RefusedError(400, 'the body must be a JSON object, such as {"ply": 17, "move": "Td Ts"}')
    return value


async def _read(request: Request, limit: int) -> bytes:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > limit:
            raise RefusedError(413, f'the body exceeds {limit:,} bytes')
        parts.append(part)
    return b''.join(parts)


def read_cursor(request: Request) -> int | None:
    """Parse the pagination cursor; None if there is none."""
    cursor = request.query_params.get('cursor')
    if cursor is not None and not CURSOR.fullmatch(cursor):
        raise RefusedError(422, 'the cursor must be the one returned with an earlier page')
    return None if cursor is None else int(cursor)


def read_fields(body: dict[str, Any], **readers: Callable[[dict[str, Any], str], Any]) -> list[Any]:
    """Check the fields of a body; return them in the order of their readers.

    Raises:
        RefusedError: if a field is unknown or not valid.
    """
    unknown = [key for key in body if key not in readers]
    if unknown:
        raise RefusedError(422, f'unknown key {unknown[0]!r:.60}: the keys are {", ".join(readers)}')
    return [read(body, key) for key, read in readers.items()]


def anything(body: dict[str, Any], key: str) -> Any:
    """Return a value unchecked; None if it is missing."""
    return body.get(key)


def whole(body: dict[str, Any], key: str) -> int:
    """Return a whole number, from 0 on."""
    value = body.get(key)
    if type(value) is not int or not 0 <= value <= MAX_INT:
        raise RefusedError(422, f'{key} is {_shown(value)}: expected a whole number from 0 on')
    return value


def whole_or_none(body: dict[str, Any], key: str) -> int | None:
    """Return a whole number, from 0 on, or None if it is missing or null."""
    return None if body.get(key) is None else whole(body, key)


def seat_or_none(body: dict[str, Any], key: str) -> int | None:
    """Return a seat, or None if it is missing or null."""
    seat = whole_or_none(body, key)
    if seat is not None and seat > 3:
        raise RefusedError(422, f'{key} is {seat}: expected a seat from 0 to 3')
    return seat


def true_by_default(body: dict[str, Any], key: str) -> bool:
    """Return true or false; true if it is missing."""
    return _flag(key, body.get(key, True))


def false_by_default(body: dict[str, Any], key: str) -> bool:
    """Return true or false; false if it is missing."""
    return _flag(key, body.get(key, False))


def _flag(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise RefusedError(422, f'{key} is {_shown(value)}: expected true or false')
    return value


def text(body: dict[str, Any], key: str) -> str:
    """Return a text."""
    value = body.get(key)
    if not isinstance(value, str):
        raise RefusedError(422, f'{key} is {_shown(value)}: expected text')
    return value


def name_or_default(body: dict[str, Any], key: str) -> str:
    """Return the name of a person, without control characters."""
    name = '' if body.get(key) is None else text(body, key)
    return ''.join(letter for letter in name if letter.isprintable()).strip()[:MAX_NAME] or 'Player'


def _shown(value: object) -> str:
    return 'missing' if value is None else f'{value!r:.60}'
