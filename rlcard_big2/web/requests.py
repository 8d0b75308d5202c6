"""What requests say: bodies read in parts and cut, and their fields, each checked by hand."""

import json
import re
from typing import Any

import anyio
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from rlcard_big2.web.rate_limits import RefusedError
from rlcard_kit.errors import FileError
from rlcard_kit.files import parse_json

ID = re.compile(r'[A-Za-z0-9_-]{22}')
CURSOR = re.compile(r'[0-9]{1,9}')
LONGEST_NAME = 40  # characters of a person's name
LARGEST = 1 << 31


class JsonResponse(Response):
    """An answer of JSON."""

    media_type = 'application/json'

    def render(self, content: Any) -> bytes:
        """Write the content; what is not Unicode is a question mark."""
        return as_json(content).encode('utf-8', 'replace')


def as_json(content: Any) -> str:
    """Write JSON without blanks."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(',', ':'))


async def read_body(request: Request, limit: int, seconds: float) -> dict[str, Any]:
    """Return the object that the body of a request is.

    Raises:
        RefusedError: if it is too large or too slow, or not an object of JSON.
    """
    try:
        with anyio.fail_after(seconds):
            body = await _read(request, limit)
    except TimeoutError as error:
        raise RefusedError(408, 'the body took too long to arrive') from error
    except ClientDisconnect as error:
        raise RefusedError(400, 'the body was cut off') from error
    try:
        value = parse_json('the body', body)
    except FileError as error:
        raise RefusedError(400, f'{error}') from error
    if not isinstance(value, dict):
        raise RefusedError(400, 'the body must be an object of JSON, such as {"ply": 17, "move": "Td Ts"}')
    return value


async def _read(request: Request, limit: int) -> bytes:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > limit:
            raise RefusedError(413, f'the body has more than {limit:,} bytes')
        parts.append(part)
    return b''.join(parts)


def cursor_in(request: Request) -> int | None:
    """Return from where on a list goes on, or None."""
    cursor = request.query_params.get('cursor')
    if cursor is not None and not CURSOR.fullmatch(cursor):
        raise RefusedError(422, 'the cursor is not one that an earlier page gave')
    return None if cursor is None else int(cursor)


def check_keys(body: dict[str, Any], *known: str) -> None:
    """Refuse keys that are not known."""
    unknown = [key for key in body if key not in known]
    if unknown:
        raise RefusedError(422, f'{unknown[0]!r:.60} is unknown: the keys are {", ".join(known)}')


def whole(body: dict[str, Any], key: str, default: int | None = None) -> int | None:
    """Return a whole number, from 0 on, or the default if the key is missing or null."""
    value = body.get(key)
    if value is None:
        return default
    if type(value) is not int or not 0 <= value < LARGEST:
        raise RefusedError(422, f'{key} is {value!r:.60}: it must be a whole number from 0 on')
    return value


def needed(body: dict[str, Any], key: str) -> int:
    """Return a whole number that has to be there."""
    value = whole(body, key)
    if value is None:
        raise RefusedError(422, f'{key} is missing: it must be a whole number from 0 on')
    return value


def seat_in(body: dict[str, Any], key: str = 'seat') -> int | None:
    """Return a seat, or None."""
    value = whole(body, key)
    if value is not None and value > 3:
        raise RefusedError(422, f'{key} is {value}: it must be a seat from 0 to 3')
    return value


def flag(body: dict[str, Any], key: str, default: bool) -> bool:
    """Return true or false."""
    value = body.get(key, default)
    if not isinstance(value, bool):
        raise RefusedError(422, f'{key} is {value!r:.60}: it must be true or false')
    return value


def text_in(body: dict[str, Any], key: str) -> str:
    """Return a text."""
    value = body.get(key)
    if not isinstance(value, str):
        raise RefusedError(422, f'{key} is {value!r:.60}: it must be text')
    return value


def name_in(body: dict[str, Any], default: str = 'Player') -> str:
    """Return what a person is called, without what cannot be shown."""
    if body.get('name') is None:
        return default
    shown = ''.join(letter for letter in text_in(body, 'name') if letter.isprintable()).strip()
    return shown[:LONGEST_NAME] or default
