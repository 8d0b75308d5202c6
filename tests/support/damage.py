"""Damaged files, as a disk, a copy or a hand leaves them."""

import json
import os
import random
import struct
from collections.abc import Callable, Iterator
from functools import partial, reduce
from operator import getitem
from pathlib import Path
from typing import Any

Variant = tuple[str, bytes]  # what was done to a file, and its contents

NOT_JSON: dict[str, bytes] = {
    'empty': b'',
    'white space': b' \n\t\n',
    'zeros': bytes(4096),
    'not UTF-8': b'{"agent": "\xff\xfe\xfa"}',
    'UTF-16': '{"agent": "dmc"}'.encode('utf-16'),
    'a surrogate cut in half': b'{"agent": "\\ud800"',
    'a list': b'[]',
    'a list of lists': b'[[1, 2], [3]]',
    'null': b'null',
    'a number': b'3',
    'a text': b'"text"',
    'true': b'true',
    'an empty object': b'{}',
    'an object of something else': b'{"a": 1}',
    'NaN': b'NaN',
    'a number of 5000 digits': b'9' * 5000,
    'a bomb of lists': b'[' * 200_000,
    'a bomb of objects': b'{"a":' * 200_000,
    'a bomb that ends': b'[' * 50_000 + b']' * 50_000,
    'nested 900 deep': b'{"a":' * 900 + b'1' + b'}' * 900,
    'two objects': b'{} {}',
    'a comment': b'// settings\n{}',
    'python': b"{'agent': 'dmc'}",
    'too large': b'{"a": "' + b'x' * (4 << 20) + b'"}',
}
WRONG: tuple[Any, ...] = (
    None, True, -1, 0, 2.5, 1e308, 10**30, float('nan'), float('inf'), '', 'text', 'x' * 100_000, [], [[]], [None], {},
    {'a': {}},
)  # fmt: skip


def damaged(text: bytes, seed: int = 0, flips: int = 12) -> Iterator[Variant]:
    """Yield variants of a file of JSON that holds an object, none of which says what it said.

    Args:
        text: of the file.
        seed: of what is drawn: places to cut and bytes to change.
        flips: how many variants with bytes changed at random; their JSON may still be read.

    Returns:
        Variants that are not JSON or not an object, that are cut off, that lack a key at any depth, and that have a
        wrong value there. Some lack or change what a reader may do without: it has to read them or refuse them.
    """
    draw = random.Random(seed)
    yield from NOT_JSON.items()
    for where in sorted(draw.sample(range(1, len(text.rstrip())), min(16, len(text) - 2))):
        yield f'cut off at {where}', text[:where]
    yield 'a zero byte inside', text[: len(text) // 2] + b'\0' + text[len(text) // 2 :]
    for number in range(flips):
        yield f'bytes changed, {number}', _flipped(text, draw)
    yield from altered(json.loads(text), draw)


def altered(value: dict[str, Any], draw: random.Random) -> Iterator[Variant]:
    """Yield JSON with an unknown key, without one of the keys at any depth, and with wrong values at each."""
    yield 'an unknown key', _dump({**value, 'unknown': 1})
    for path in _paths(value):
        name = '.'.join(path)
        yield f'without {name}', _dump(_changed(value, path, lambda outer, key: outer.pop(key)))
        for wrong in draw.sample([wrong for wrong in WRONG if _differs(wrong, _at(value, path))], 3):
            change = _setter(wrong)
            yield f'{name} = {wrong!r:.20}', _dump(_changed(value, path, change))


def damaged_weights(data: bytes, seed: int = 0) -> Iterator[Variant]:
    """Yield variants of a safetensors file that cannot be read as what it was."""
    draw = random.Random(seed)
    (size,) = struct.unpack('<Q', data[:8])
    header, body = json.loads(data[8 : 8 + size]), data[8 + size :]
    yield 'empty', b''
    yield 'eight bytes', data[:8]
    for length in (0, 1, size - 1, size + 1, len(data), 2**31, 2**63 - 1, 2**64 - 1):
        yield f'a header of {length} bytes', struct.pack('<Q', length) + data[8:]
    for where in sorted(draw.sample(range(9, len(data)), 8)):
        yield f'cut off at {where}', data[:where]
    yield 'bytes after the end', data + b'more'
    for name, text in NOT_JSON.items():
        yield f'a header that is {name}', struct.pack('<Q', len(text)) + text + body
    for name, change in _header_changes(next(key for key in header if key != '__metadata__')):
        changed = json.loads(json.dumps(header))
        change(changed)
        text = json.dumps(changed).encode()
        yield f'a header with {name}', struct.pack('<Q', len(text)) + text + body


def _header_changes(first: str) -> Iterator[tuple[str, Callable[[dict[str, Any]], Any]]]:
    """Yield changes of a safetensors header, each spoiling the description of its first tensor."""
    for key, wrong in {
        'dtype': ('F64', 'I8', 'BF16', 'U1', '', None, 3),
        'shape': ([], [-1], [1 << 60, 1 << 60], [2.5], 'wide', None),
        'data_offsets': ([0, 0], [4, 0], [-4, 0], [0, 1 << 62], [0], [0, 1, 2], None, 'all'),
    }.items():
        for value in wrong:
            yield f'{key} {value!r}', partial(_set, first, key, value)
    yield 'a tensor less', lambda header: header.pop(first)
    yield 'a tensor by another name', lambda header: header.__setitem__('other', header.pop(first))
    yield 'two tensors in one place', lambda header: header.__setitem__('other', header[first])


def _set(first: str, key: str, value: object, header: dict[str, Any]) -> None:
    header[first][key] = value


def not_files(path: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield what can stand where a file should, and the call that puts it there; `path` must not exist then."""
    yield 'a folder', path.mkdir
    yield 'a pipe', lambda: os.mkfifo(path)
    yield 'a device', lambda: path.symlink_to('/dev/zero')
    yield 'a link to nowhere', lambda: path.symlink_to('nowhere')
    yield 'a link to itself', lambda: path.symlink_to(path.name)
    yield 'nothing', lambda: None


def remove(path: Path) -> None:
    """Remove a file, a link or an empty folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)


def _flipped(text: bytes, draw: random.Random) -> bytes:
    changed = bytearray(text)
    for _ in range(draw.randint(1, 8)):
        changed[draw.randrange(len(changed))] = draw.randrange(256)
    return bytes(changed)


def _paths(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the keys that lead to each value inside objects."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield (*path, key)
            yield from _paths(part, (*path, key))


def _changed(value: dict[str, Any], path: tuple[str, ...], change: Callable[[Any, str], Any]) -> dict[str, Any]:
    """Return a copy of JSON in which `change` was called with the object that holds a value, and its key."""
    copy: dict[str, Any] = json.loads(json.dumps(value))
    change(_at(copy, path[:-1]), path[-1])
    return copy


def _at(value: Any, path: tuple[str, ...]) -> Any:
    return reduce(getitem, path, value)


def _differs(wrong: object, right: object) -> bool:
    """Whether a value is wrong where another is right: not its equal, nor the other truth value."""
    return wrong != right and not (isinstance(wrong, bool) and isinstance(right, bool))


def _setter(wrong: Any) -> Callable[[Any, str], Any]:
    return lambda outer, key: outer.__setitem__(key, wrong)


def _dump(value: Any) -> bytes:
    return json.dumps(value).encode()
