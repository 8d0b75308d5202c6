"""Damaged files, as a disk, a copy or a hand leaves them."""

import json
import os
import random
import struct
from collections.abc import Callable, Iterator
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

Variant = tuple[str, bytes]  # what was done to a file, and its contents

NOT_JSON: dict[str, bytes] = {
    'empty': b'', 'white space': b' \n\t\n', 'zeros': bytes(4096), 'not UTF-8': b'{"agent": "\xff\xfe\xfa"}',
    'UTF-16': '{"agent": "dmc"}'.encode('utf-16'), 'a surrogate cut in half': b'{"agent": "\\ud800"',
    'a list': b'[]', 'a list of lists': b'[[1, 2], [3]]', 'null': b'null', 'a number': b'3', 'a text': b'"text"',
    'true': b'true', 'an empty object': b'{}', 'an object of something else': b'{"a": 1}', 'NaN': b'NaN',
    'a number of 5000 digits': b'9' * 5000, 'a bomb of lists': b'[' * 200_000, 'a bomb of objects': b'{"a":' * 200_000,
    'a bomb that ends': b'[' * 50_000 + b']' * 50_000, 'nested 900 deep': b'{"a":' * 900 + b'1' + b'}' * 900,
    'two objects': b'{} {}', 'a comment': b'// settings\n{}', 'python': b"{'agent': 'dmc'}",
    'too large': b'{"a": "' + b'x' * (4 << 20) + b'"}',
}  # fmt: skip
WRONG: tuple[Any, ...] = (
    None, True, -1, 0, 2.5, 1e308, 10**30, float('nan'), float('inf'), '', 'text', 'x' * 100_000, [], [[]], [None], {},
    {'a': {}},
)  # fmt: skip
LACKING = object()
WRONG_TENSORS: dict[str, tuple[Any, ...]] = {
    'dtype': ('F64', 'I8', 'BF16', 'U1', '', None, 3),
    'shape': ([], [-1], [1 << 60, 1 << 60], [2.5], 'wide', None),
    'data_offsets': ([0, 0], [4, 0], [-4, 0], [0, 1 << 62], [0], [0, 1, 2], None, 'all'),
}


def damaged(text: bytes, seed: int = 0, flips: int = 12) -> Iterator[Variant]:
    """Yield variants of a file with a JSON object: not JSON or no object, cut off, without a key, with a wrong value.

    A reader may do without some of what they lack or change: it has to read them or refuse them.
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
    yield 'an unknown key', json.dumps({**value, 'unknown': 1}).encode()
    for *outer, key in _paths(value):
        right, name = reduce(getitem, (*outer, key), value), '.'.join((*outer, key))
        unequal = [x for x in WRONG if x != right and not (isinstance(x, bool) and isinstance(right, bool))]
        for wrong in (LACKING, *draw.sample(unequal, 3)):
            copy = json.loads(json.dumps(value))
            holder = reduce(getitem, outer, copy)
            holder[key] = wrong
            if wrong is LACKING:
                del holder[key]
            yield f'without {name}' if wrong is LACKING else f'{name} = {wrong!r:.20}', json.dumps(copy).encode()


def _paths(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the keys that lead to each value inside objects."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield (*path, key)
            yield from _paths(part, (*path, key))


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
    first = next(key for key in header if key != '__metadata__')
    rest = {key: value for key, value in header.items() if key != first}
    changes = {
        f'{key} {value!r}': {**header, first: {**header[first], key: value}}
        for key, values in WRONG_TENSORS.items()
        for value in values
    }
    changes['a tensor less'] = rest
    changes['a tensor by another name'] = {**rest, 'other': header[first]}
    changes['two tensors in one place'] = {**header, 'other': header[first]}
    for name, changed in changes.items():
        text = json.dumps(changed).encode()
        yield f'a header with {name}', struct.pack('<Q', len(text)) + text + body


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
