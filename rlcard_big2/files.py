"""Files that are whole or absent, whatever interrupts their writing, and files that may be damaged."""

import os
import zipfile
import zlib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

# What numpy raises for a file that is no archive of arrays, or a damaged one.
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
    """Write a file beside `path`, bring it to the disk, and only then put it in its place.

    What `write` raises goes through, and the earlier file stays.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + '.tmp')
    try:
        write(temporary)
        _bring_to_disk(temporary)
        os.replace(temporary, path)
        _bring_to_disk(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def _bring_to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()
