"""Records as JSON, and back."""

import json
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

import numpy as np

from rlcard_big2.actions import PASS
from rlcard_big2.cards import format_cards, parse_cards
from rlcard_big2.engine.batch import replay_moves
from rlcard_big2.errors import Big2Error, RecordError, RulesError
from rlcard_big2.notation import table_of
from rlcard_big2.records.begin import Before
from rlcard_big2.records.record import Record
from rlcard_big2.rules import Rules

VERSION = 1
MAX_LINE = 65536  # bytes, without the end of the line
MAX_NAME = 200  # characters
ORDER = ('big2', 'id', 'rules', 'hands', 'opener', 'view', 'before', 'moves', 'seats', 'payoffs')  # then the others
OWN = frozenset(ORDER) - {'id'}  # the keys that are attributes of a record
BEFORE_KEYS = ('played', 'left', 'table', 'by', 'passes', 'passed')

Reader = Callable[[Any, str], Any]  # reads a value of JSON; its second argument names it in errors


def parse(record: str | bytes | Mapping[str, Any]) -> Record:
    """Read one record and check it by replaying it.

    Args:
        record: a line of JSON, or the same as a mapping.

    Raises:
        RecordError: says what is wrong, and names the first wrong move.
    """
    if not isinstance(record, str | bytes | Mapping):
        raise RecordError(f'{record!r:.60} is not a record: give one line of JSON, or the same as a mapping')
    data = _load(_dump(record) if isinstance(record, Mapping) else record)
    read = _read(data)
    _check_size(to_json(read))  # what was read can be written
    return read


def to_json(record: Record) -> str:
    """Write a record as one line of JSON, without the end of the line."""
    return _dump(to_dict(record))


def to_dict(record: Record) -> dict[str, Any]:
    """Return a record as JSON has it; keys that say nothing are left out."""
    data: dict[str, Any] = {
        'big2': VERSION,
        'rules': record.rules.to_json(),
        'hands': [None if hand is None else format_cards(hand, record.rules.suits) for hand in record.hands],
        'opener': record.opener,
        'view': record.view,
        'before': None if record.before is None else _write_before(record.before, record.rules),
        'payoffs': None if record.payoffs is None else list(record.payoffs),
        'seats': None if record.seats is None else [dict(seat) for seat in record.seats],
    }
    data = {key: value for key, value in data.items() if value is not None}
    moves = [format_cards(mask, record.rules.suits) or PASS for mask in record.moves]
    data = {**data, 'moves': moves if moves or record.before is None else None, **record.extra}
    return {
        key: data[key] for key in (*(key for key in ORDER if key in data), *(key for key in data if key not in ORDER))
    }


def _dump(data: Mapping[str, Any]) -> str:
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(',', ':'), default=_refuse_object)
        text.encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise RecordError(f'it cannot be written as JSON: {error}') from error
    return text


def _refuse_object(value: object) -> None:
    raise TypeError(f'{value!r} is neither text, a number, a list nor a mapping')


def _load(text: str | bytes) -> dict[str, Any]:
    if not isinstance(text, str | bytes):
        raise RecordError(f'it must be JSON, as text or as a mapping, not {type(text).__name__}')
    _check_size(text)
    try:
        decoded = text if isinstance(text, str) else text.decode()
        data = json.loads(decoded, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_distinct)
    except (ValueError, RecursionError) as error:
        raise RecordError(f'it is not JSON: {error}') from error
    if not isinstance(data, dict):
        raise RecordError(f'it must be a JSON object, such as {{"big2": 1, ...}}, not {type(data).__name__}')
    return data


def _check_size(text: str | bytes) -> None:
    size = len(text) if isinstance(text, bytes) else len(text.encode(errors='replace'))
    if size > MAX_LINE:
        raise RecordError(f'it has {size:,} bytes: a record has at most {MAX_LINE:,}')


def _refuse(constant: str) -> None:
    raise ValueError(f'{constant} is not a number')


def _finite(text: str) -> float:
    if not isfinite(float(text)):
        raise ValueError(f'{text} is too large')
    return float(text)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        raise ValueError(f'an object has one of the keys {", ".join(data)} twice')
    return data


def _read(data: dict[str, Any]) -> Record:
    _check_version(data)
    rules = _read_rules(_need(data, 'rules'))
    before = _optional(data, 'before', lambda value, name: _read_before(value, rules))
    record = Record(
        hands=tuple(_list(_need(data, 'hands'), 'hands', lambda value, name: _hand(value, name, rules))),
        moves=_read_moves(data, rules, before),
        rules=rules,
        before=before,
        opener=_optional(data, 'opener', _whole),
        view=_optional(data, 'view', _whole),
        payoffs=_optional(data, 'payoffs', _wholes),
        seats=_optional(data, 'seats', _seats),
        extra={key: value for key, value in data.items() if key not in OWN},
    )
    _check_extra(record)
    return record


def _check_version(data: dict[str, Any]) -> None:
    version = _need(data, 'big2')
    if type(version) is not int or version < 1:
        raise RecordError(f'big2 is {_shown(version)}: it must be the number of the format, {VERSION}')
    if version > VERSION:
        raise RecordError(f'it is in format {version}, but this version of rlcard_big2 reads formats up to {VERSION}')


def _need(data: dict[str, Any], key: str) -> Any:
    if key not in data:
        raise RecordError(f'the key {key!r} is missing')
    return data[key]


def _optional(data: dict[str, Any], key: str, read: Reader) -> Any:
    return None if data.get(key) is None else read(data[key], key)


def _shown(value: object) -> str:
    """Show a value in an error, shortened."""
    text = repr(value)
    return text if len(text) <= 60 else f'{text[:57]}...'


def _whole(value: Any, name: str) -> int:
    if type(value) is not int or abs(value) >= 1 << 31:
        raise RecordError(f'{name} is {_shown(value)}: it must be a whole number')
    return value


def _list(value: Any, name: str, read: Reader) -> list[Any]:
    if not isinstance(value, list):
        raise RecordError(f'{name} is {_shown(value)}: it must be a list')
    return [read(item, f'{name}[{i}]') for i, item in enumerate(value)]


def _wholes(value: Any, name: str) -> tuple[int, ...]:
    return tuple(_list(value, name, _whole))


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise RecordError(f'{name} is {_shown(value)}: it must be text')
    return value


def _name(value: Any, name: str) -> str:
    if len(_text(value, name)) > MAX_NAME:
        raise RecordError(f'{name} has {len(value)} characters: it may have {MAX_NAME}')
    return str(value)


def _object(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise RecordError(f'{name} is {_shown(value)}: it must be an object')
    return value


def _cards(value: Any, name: str, rules: Rules) -> int:
    try:
        return parse_cards(_text(value, name), rules.suits)
    except RecordError:
        raise
    except Big2Error as error:
        raise RecordError(f'{name}: {error}') from error


def _hand(value: Any, name: str, rules: Rules) -> int | None:
    return None if value is None else _cards(value, name, rules)


def _move(value: Any, name: str, rules: Rules) -> int:
    if _text(value, name).strip().lower() == PASS:
        return 0
    mask = _cards(value, name, rules)
    if mask == 0:
        raise RecordError(f"{name} is {_shown(value)}: it must name cards, or be 'pass'")
    return mask


def _read_moves(data: dict[str, Any], rules: Rules, before: Before | None) -> tuple[int, ...]:
    moves = _need(data, 'moves')
    if moves is None:
        if before is None:
            raise RecordError("moves is null: a position without moves needs 'before'")
        return ()
    return tuple(_list(moves, 'moves', lambda value, name: _move(value, name, rules)))


def _read_rules(value: Any) -> Rules:
    try:
        return Rules.from_json(value)
    except RulesError as error:
        raise RecordError(f'rules: {error}') from error


def _read_before(value: Any, rules: Rules) -> Before:
    data = _object(value, 'before')
    unknown = [key for key in data if key not in BEFORE_KEYS]
    if unknown:
        raise RecordError(f'before: {_shown(unknown[0])} is unknown: its keys are {", ".join(BEFORE_KEYS)}')
    return Before(
        played=tuple(_list(_need(data, 'played'), 'played', lambda value, name: _cards(value, name, rules))),
        left=_wholes(_need(data, 'left'), 'left'),
        table=_cards(_need(data, 'table'), 'table', rules),
        by=_whole(_need(data, 'by'), 'by'),
        passes=_whole(data.get('passes', 0), 'passes'),
        passed=_optional(data, 'passed', _wholes),
    )


def _write_before(before: Before, rules: Rules) -> dict[str, Any]:
    data = {
        'played': [format_cards(mask, rules.suits) for mask in before.played],
        'left': list(before.left),
        'table': format_cards(before.table, rules.suits),
        'by': before.by,
        'passes': before.passes,
    }
    return data if before.passed is None else {**data, 'passed': list(before.passed)}


def _seats(value: Any, name: str) -> tuple[dict[str, Any], ...]:
    seats = _list(value, name, _object)
    if len(seats) != 4:
        raise RecordError(f'{name} has {len(seats)} entries: it must have 4')
    for i, seat in enumerate(seats):
        if 'name' in seat:
            _name(seat['name'], f'{name}[{i}].name')
    return tuple(seats)


EXTRA: dict[str, Reader] = {
    'id': _name,
    'source': _name,
    'started': _name,
    'note': _text,
    'deal': _object,
    'help': _object,
}


def _check_extra(record: Record) -> None:
    """Check what a record says beside the game."""
    for key, read in EXTRA.items():
        if key in record.extra:
            read(record.extra[key], key)
    if 'best' in record.extra:
        _check_best(record)


def _check_best(record: Record) -> None:
    best = _move(record.extra['best'], 'best', record.rules)
    games = record.final()
    if record.hands[record.player] is None or replay_moves(table_of(record.rules), games, np.array([best])) == 0:
        raise RecordError(f'best is {_shown(record.extra["best"])}, which is not legal in this position')
