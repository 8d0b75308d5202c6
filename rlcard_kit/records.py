"""Records of games as JSON lines: checked values, and files."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from rlcard_kit.errors import FileError, RecordError, RulesError
from rlcard_kit.files import check_file, parse_json
from rlcard_kit.rules import Rulebook

MAX_LINE = 65536  # bytes, without the end of the line
MAX_NAME = 200  # characters

Reader = Callable[[Any, str], Any]  # reads a value of JSON; its second argument names it in errors
Record = TypeVar('Record')
Rules = TypeVar('Rules', bound=Rulebook)


@dataclass(frozen=True)
class Format(Generic[Record]):
    """Format of a game's records: one JSON object a line.

    Args:
        key: the first key, which names the game; its value is the number of the format.
        version: that number. A higher one is refused.
        order: the keys that come first, in this order.
        decode: returns the record of a JSON object; RecordError names the fault.
        encode: returns the JSON object of a record, in any order and without `key`.
    """

    key: str
    version: int
    order: tuple[str, ...]
    decode: Callable[[dict[str, Any]], Record]
    encode: Callable[[Record], dict[str, Any]]

    def parse(self, record: str | bytes | Mapping[str, Any]) -> Record:
        """Read one record and check it by replaying it.

        Args:
            record: a line of JSON, or the same as a mapping.

        Raises:
            RecordError: naming the fault and the first wrong move.
        """
        if not isinstance(record, str | bytes | Mapping):
            raise RecordError(f'{record!r:.60} is not a record: give one line of JSON, or the same as a mapping')
        data = self._load(_dump(record) if isinstance(record, Mapping) else record)
        self._check_version(data)
        read = self.decode(data)
        self.to_json(read)  # a record that was read can be written
        return read

    def to_dict(self, record: Record) -> dict[str, Any]:
        """Return a record as a JSON object, without unknown parts."""
        data = {self.key: self.version, **self.encode(record)}
        first = [key for key in self.order if key in data]
        return {key: data[key] for key in (self.key, *first, *data)}

    def to_json(self, record: Record) -> str:
        """Write a record as one line of JSON, without the end of the line; RecordError if it is too large."""
        line = _dump(self.to_dict(record))
        _check_size(line)
        return line

    def read(self, file: str | Path) -> list[Record]:
        """Read all records of a file, each checked by replaying it.

        Raises:
            RecordError: naming the file, the line, and the first wrong move.
            FileError: if the file is a folder, a pipe or a device.
            OSError: of the file system.
        """
        return list(self.iterate(file))

    def iterate(self, file: str | Path) -> Iterator[Record]:
        """Read the records of a file one by one, as `read` does; those before a bad line are yielded."""
        check_file(Path(file))
        with Path(file).open('rb') as lines:
            number = 0
            while line := lines.readline(MAX_LINE + 3):  # room for the end of the line, and for one byte too many
                number += 1
                if line.strip():
                    yield self._parse_line(line, f'{file}, line {number}')

    def write(self, file: str | Path, games: Record | Iterable[Record]) -> None:
        """Append records to a file, made if it is missing, and sync it to the disk.

        They are written in one call: an interruption cuts off the last line at most, after which the next call begins a
        new one. RecordError if a record is too large; nothing is written. Other errors are those of `read`.
        """
        lines = map(self.to_json, games if isinstance(games, Iterable) else [games])
        _append(Path(file), [f'{line}\n'.encode() for line in lines])

    def _load(self, text: str | bytes) -> dict[str, Any]:
        _check_size(text)
        try:
            data = parse_json('it', text)
        except FileError as error:
            raise RecordError(str(error)) from error
        if not isinstance(data, dict):
            example = f'{{"{self.key}": {self.version}, ...}}'
            raise RecordError(f'it must be a JSON object, such as {example}, not {type(data).__name__}')
        return data

    def _check_version(self, data: dict[str, Any]) -> None:
        version = need(data, self.key)
        if type(version) is not int or version < 1:
            raise RecordError(f'{self.key} is {shown(version)}: it must be the number of the format, {self.version}')
        if version > self.version:
            raise RecordError(
                f'it is in format {version}, but this version of rlcard_{self.key} reads formats up to {self.version}'
            )

    def _parse_line(self, line: bytes, where: str) -> Record:
        try:
            return self.parse(line.rstrip(b'\r\n'))
        except RecordError as error:
            is_whole = line.endswith(b'\n') or len(line) > MAX_LINE
            cut_off = '' if is_whole else ' (the line has no end: it may be cut off)'
            raise RecordError(f'{where}: {error}{cut_off}') from error


def _append(file: Path, lines: Sequence[bytes]) -> None:
    check_file(file)
    descriptor = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        data = (b'' if _ends_whole(descriptor) else b'\n') + b''.join(lines)
        written = os.write(descriptor, data) if lines else 0
        if lines and written < len(data):
            raise OSError(f'{file}: only {written:,} of {len(data):,} bytes could be written')
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _ends_whole(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    return size == 0 or os.pread(descriptor, 1, size - 1) == b'\n'


def _dump(data: Mapping[str, Any]) -> str:
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(',', ':'), default=_refuse_object)
        text.encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise RecordError(f'it cannot be written as JSON: {error}') from error
    return text


def _refuse_object(value: object) -> None:
    raise TypeError(f'{value!r} is neither text, a number, a list nor a mapping')


def _check_size(text: str | bytes) -> None:
    size = len(text) if isinstance(text, bytes) else len(text.encode(errors='replace'))
    if size > MAX_LINE:
        raise RecordError(f'it has {size:,} bytes: a record has at most {MAX_LINE:,}')


def need(data: Mapping[str, Any], key: str) -> Any:
    """Return the value of a key; RecordError if it is missing."""
    if key not in data:
        raise RecordError(f'the key {key!r} is missing')
    return data[key]


def read_optional(data: Mapping[str, Any], key: str, read: Reader) -> Any:
    """Read the value of a key; None if it is missing or null."""
    return None if data.get(key) is None else read(data[key], key)


def shown(value: object) -> str:
    """Show a value in an error, shortened."""
    text = repr(value)
    return text if len(text) <= 60 else f'{text[:57]}...'


def read_whole(value: Any, name: str) -> int:
    """Read a whole number."""
    if type(value) is not int or abs(value) >= 1 << 31:
        raise RecordError(f'{name} is {shown(value)}: it must be a whole number')
    return value


def read_list(value: Any, name: str, read: Reader) -> list[Any]:
    """Read a list, each item by `read`."""
    if not isinstance(value, list):
        raise RecordError(f'{name} is {shown(value)}: it must be a list')
    return [read(item, f'{name}[{i}]') for i, item in enumerate(value)]


def read_wholes(value: Any, name: str) -> tuple[int, ...]:
    """Read a list of whole numbers."""
    return tuple(read_list(value, name, read_whole))


def read_text(value: Any, name: str) -> str:
    """Read a text."""
    if not isinstance(value, str):
        raise RecordError(f'{name} is {shown(value)}: it must be text')
    return value


def read_name(value: Any, name: str) -> str:
    """Read a text of at most 200 characters."""
    if len(read_text(value, name)) > MAX_NAME:
        raise RecordError(f'{name} has {len(value)} characters: it may have {MAX_NAME}')
    return str(value)


def read_object(value: Any, name: str) -> dict[str, Any]:
    """Read an object with any contents."""
    if not isinstance(value, dict):
        raise RecordError(f'{name} is {shown(value)}: it must be an object')
    return value


def read_seats(value: Any, name: str, count: int) -> tuple[dict[str, Any], ...]:
    """Read the seats, of a number: an object each, with an optional 'name'."""
    seats = read_list(value, name, read_object)
    if len(seats) != count:
        raise RecordError(f'{name} has {len(seats)} entries: it must have {count}')
    for i, seat in enumerate(seats):
        if 'name' in seat:
            read_name(seat['name'], f'{name}[{i}].name')
    return tuple(seats)


def show_seats(seats: Sequence[Mapping[str, Any]] | None, count: int) -> list[dict[str, Any]]:
    """Return the names of the players of a record, `count` of them, and of their agents, for views."""
    named = [(str(seat.get('name') or ''), seat.get('kind')) for seat in seats or ({},) * count]
    return [{'name': name, 'agent': name if kind == 'agent' else None} for name, kind in named]


def read_rules(kind: type[Rules], value: Any) -> Rules:
    """Read the rules of a game: a preset's name, or an object with all fields."""
    try:
        return kind.from_json(value)
    except RulesError as error:
        raise RecordError(f'rules: {error}') from error


ABOUT: Mapping[str, Reader] = {
    'id': read_name,
    'source': read_name,
    'started': read_name,
    'note': read_text,
    'help': read_object,
}


def read_about(data: Mapping[str, Any], keys: Iterable[str], more: str, players: int) -> dict[str, Any]:
    """Read the parts of a record that every game has: 'payoffs', 'seats', and all other keys as 'extra'.

    Args:
        data: the record.
        keys: the attributes of the game's records.
        more: the key of an object that only this game's records have.
        players: number of the seats.
    """
    extra = {key: value for key, value in data.items() if key == 'id' or key not in keys}
    for key, read in {**ABOUT, more: read_object}.items():
        if key in extra:
            read(extra[key], key)
    payoffs = read_optional(data, 'payoffs', read_wholes)
    seats = read_optional(data, 'seats', lambda value, name: read_seats(value, name, players))
    return {'payoffs': payoffs, 'seats': seats, 'extra': extra}


def write_about(record: Any) -> dict[str, Any]:
    """Return 'rules', 'seats' and 'payoffs' of a record as JSON values, None if unknown."""
    return {
        'rules': record.rules.to_json(),
        'seats': None if record.seats is None else [dict(seat) for seat in record.seats],
        'payoffs': None if record.payoffs is None else list(record.payoffs),
    }


def check_same_rules(rules: Rulebook, played: Rulebook) -> None:
    """Raise RecordError if a position and its environment have different rules."""
    if rules != played:
        raise RecordError(
            f'the position is of the rules {rules.title}, '
            f'but the environment plays {played.title}: make it with these rules'
        )


def check_payoffs(given: Sequence[int] | None, computed: Sequence[int] | None) -> None:
    """Raise RecordError if given payoffs differ from the computed ones, None if the game has not ended."""
    if given is None:
        return
    if computed is None:
        raise RecordError('payoffs are given, but the game has not ended')
    if list(given) != list(computed):
        raise RecordError(f'payoffs are {list(given)}: the moves give {list(computed)}')
