"""Atomic writes, and reading files that may be damaged."""

import os
import zipfile
import zlib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

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
            is kept.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + '.tmp')
    try:
        write(temporary)
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


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()
