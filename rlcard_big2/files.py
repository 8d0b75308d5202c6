"""Atomic writes, folders that one process at a time writes to, and reading files that may be damaged."""

import fcntl
import os
import platform
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from rlcard_big2.errors import FolderInUseError

LOCK = 'lock'

# What numpy raises for a file that is not an archive of arrays, or a damaged one.
UNREADABLE = (
    OSError,
    ValueError,
    KeyError,
    EOFError,
    TypeError,
    AttributeError,
    MemoryError,
    NotImplementedError,
    zipfile.BadZipFile,
    zlib.error,
)


def replace(path: Path, write: Callable[[Path], Any]) -> None:
    """Write a temporary file, sync it to the disk, and then rename it to `path`.

    Args:
        path: the file to replace; its folder is made if it is missing.
        write: writes the contents to the path that it is given. If it raises, the exception propagates and the old file
            is kept. The file has the usual permissions, whichever `write` gives it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + '.tmp')
    try:
        temporary.unlink(missing_ok=True)
        temporary.touch()
        usual = temporary.stat().st_mode
        write(temporary)
        temporary.chmod(usual)
        _sync(temporary)
        os.replace(temporary, path)
        _sync(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes from writing to a folder; the system releases the lock however this process ends.

    The file that is locked stays, and names its last holder. A process that it starts does not hold the lock.

    Args:
        folder: made if it is missing.

    Raises:
        FolderInUseError: if another process holds the lock; nothing in the folder has changed.
        OSError: if the folder cannot be written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open('a+') as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise FolderInUseError(_in_use(folder)) from error
        file.truncate(0)
        file.write(f'process {os.getpid()} on {platform.node()}')
        file.flush()
        yield


def _in_use(folder: Path) -> str:
    holder = (folder / LOCK).read_text(errors='replace') or 'another process'
    return f'{folder} is in use by {holder}: wait until that has ended, end it, or choose another folder'


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()
