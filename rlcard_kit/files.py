"""Atomic writes, locks of folders, and files and JSON that may be damaged."""

import fcntl
import json
import os
import platform
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any, BinaryIO

from rlcard_kit.errors import FileError, FolderInUseError

LOCK = 'lock'
LARGEST_TEXT = 1 << 20  # bytes of a file of settings
DEEPEST = 32  # lists and objects inside each other in JSON
PIECE = 1 << 20  # bytes to read at once

_noted: list[dict[Path, str]] = []  # of the contexts of `noting` that are open
_pinned: dict[Path, str] | None = None  # SHA-256 by path; in a context of `pinning`


def user_path(text: str) -> Path:
    """Return the path that a user names, with the home folder for `~`: a shell expands that only where a word begins.

    Raises:
        FileError: if there is no such home folder.
    """
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise FileError(f'{text!r}: {error}') from error


def read_file(path: Path, limit: int = LARGEST_TEXT) -> bytes:
    """Return the contents of a regular file of at most `limit` bytes.

    Raises:
        FileError: if it is missing, a folder, a pipe or a device, too large, or unreadable.
    """
    with _regular_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            raise FileError(f'{path} cannot be read: it has {size:,} bytes, more than {limit:,}')
        data = file.read()
    if _noted or _pinned:
        _note(path, sha256(data).hexdigest())
    return data


@contextmanager
def noting() -> Iterator[dict[Path, str]]:
    """Collect the SHA-256 of each file that is read in the context, by its path: of what was read, which may change."""
    _noted.append({})
    try:
        yield _noted[-1]
    finally:
        _noted.pop()


@contextmanager
def pinning(digests: Mapping[Path, str] | None = None) -> Iterator[None]:
    """Refuse to read files that have changed since they were pinned, to the end of the outermost context."""
    global _pinned
    outer, _pinned = _pinned, {} if _pinned is None else _pinned
    _pinned.update(digests or {})
    try:
        yield
    finally:
        _pinned = outer


@contextmanager
def pinned_once_read() -> Iterator[None]:
    """Pin the files that are read in the context, if it stands in one of `pinning`."""
    with noting() as digests:
        yield
    if _pinned is not None:
        _pinned.update(digests)


def pinned() -> dict[Path, str]:
    """Return the SHA-256 of the files that are pinned, for another process."""
    return dict(_pinned or {})


def _note(path: Path, digest: str) -> None:
    if _pinned and _pinned.get(path, digest) != digest:
        raise FileError(f'{path} has changed since it was first read: name files that stay, such as a checkpoint')
    for noted in _noted:
        if noted.setdefault(path, digest) != digest:
            raise FileError(f'{path} changed while it was read: use it when nothing writes to it')


@contextmanager
def _regular_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading; FileError if it is not a regular one, or fails."""
    try:
        # Without waiting for the writer of a pipe.
        with open(path, 'rb', opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise FileError(f'{path} cannot be read: it is a pipe or a device, not a file')
            yield file
    except FileError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL
        reason = error.strerror if isinstance(error, OSError) else error
        raise FileError(f'{path} cannot be read: {reason}') from error


def _open_own(path: str, flags: int) -> int:
    """Open a file for writing, but not through a link, which could name any file."""
    return os.open(path, flags | os.O_NOFOLLOW, 0o666)


def parse_json(source: object, text: str | bytes) -> Any:
    """Return the value of JSON; `source` names it in errors.

    Raises:
        FileError: if it is not JSON in UTF-8, has a key twice, NaN or an infinity, a number beyond float64 or of
            thousands of digits, or is nested more than 32 deep.
    """
    try:
        decoded = text if isinstance(text, str) else text.decode('utf-8')
        decoded = decoded.removeprefix('\ufeff')  # the byte order mark, which some programs write first
        value = json.loads(decoded, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_distinct)
    except (ValueError, RecursionError) as error:
        raise FileError(f'{source} is not JSON: {error}') from error
    level = [value]
    for _ in range(DEEPEST):
        level = [part for outer in level for part in _parts(outer)]
    if level:
        raise FileError(f'{source}: its lists and objects are nested more than {DEEPEST} deep')
    return value


def _refuse(constant: str) -> None:
    raise ValueError(f'{constant} is not a number')


def _finite(text: str) -> float:
    if not isfinite(float(text)):
        raise ValueError(f'{text} is too large')
    return float(text)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        raise ValueError(f'an object has one of the keys {", ".join(data):.200} twice')
    return data


def _parts(value: object) -> list[Any]:
    """Return the values inside a list or an object of JSON."""
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []


def check_file(path: Path) -> None:
    """Raise FileError if a path exists and is not a file: a folder, a pipe or a device."""
    if path.exists() and not path.is_file():
        raise FileError(f'{path} is {"a folder" if path.is_dir() else "a pipe or a device"}, not a file: name a file')


def replace(path: Path, write: Callable[[Path], Any], sync: bool = True) -> None:
    """Write a temporary file, sync it to the disk, and then rename it to `path`.

    Args:
        path: the file to replace; its folder is made if it is missing.
        write: writes the contents to the given path. If it raises, the old file is kept. The permissions are the usual
            ones.
        sync: wait for the disk; otherwise a power failure, but not the end of the process, may lose the file.

    Raises:
        FileError: if `path` exists and is not a file.
    """
    check_file(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + '.tmp')
    try:
        temporary.unlink(missing_ok=True)
        temporary.touch()
        usual = temporary.stat().st_mode
        write(temporary)
        temporary.chmod(usual)
        if sync:
            _sync(temporary)
        os.replace(temporary, path)
        if sync:
            _sync(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def replace_text(path: Path, text: str, sync: bool = True) -> None:
    """Replace a file by one of text in UTF-8, as `replace` does."""
    replace(path, lambda temporary: temporary.write_text(text, encoding='utf-8'), sync)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder for this process; the system releases the lock when the process ends, for any reason.

    The lock file stays and names its last holder. Child processes do not hold the lock. On a file system without locks,
    a line on standard error takes its place.

    Args:
        folder: made if it is missing.

    Raises:
        FolderInUseError: if another process holds the lock; nothing in the folder has changed.
        OSError: if the folder cannot be written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    check_file(folder / LOCK)
    with open(folder / LOCK, 'a+', encoding='utf-8', opener=_open_own) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = (folder / LOCK).read_text(encoding='utf-8', errors='replace') or 'another process'
            hint = 'wait until that has ended, end it, or choose another folder'
            raise FolderInUseError(f'{folder} is in use by {holder}: {hint}') from error
        except OSError as error:  # some network file systems have no locks
            sys.stderr.write(f'{folder} cannot be locked ({error.strerror}): use it from one command at a time\n')
        file.truncate(0)
        file.write(f'process {os.getpid()} on {platform.node()}')
        file.flush()
        yield


def checksum(path: Path) -> str:
    """Return the SHA-256 of a regular file of any size; FileError as `read_file` raises it."""
    whole = sha256()
    with _regular_file(path) as file:
        while piece := file.read(PIECE):
            whole.update(piece)
    _note(path, whole.hexdigest())
    return whole.hexdigest()
