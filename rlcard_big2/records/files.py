"""Files of records: JSON Lines, appended whole."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from rlcard_big2.errors import RecordError
from rlcard_big2.files import check_file
from rlcard_big2.records.parsing import MAX_LINE, parse, to_json
from rlcard_big2.records.record import Record


def read(file: str | Path) -> list[Record]:
    """Read all records of a file, each checked by replaying it.

    Raises:
        RecordError: names the file, the line, and the first wrong move.
        FileError: if it is a folder, a pipe or a device.
        OSError: if the file cannot be read.
    """
    return list(iterate(file))


def iterate(file: str | Path) -> Iterator[Record]:
    """Read the records of a file one by one, as `read` does; those before a bad line are yielded."""
    check_file(Path(file))
    with Path(file).open('rb') as lines:
        number = 0
        while line := lines.readline(MAX_LINE + 3):  # room for the end of the line, and for one byte too many
            number += 1
            if line.strip():
                yield _parse_line(line, f'{file}, line {number}')


def _parse_line(line: bytes, where: str) -> Record:
    try:
        return parse(line.rstrip(b'\r\n'))
    except RecordError as error:
        cut_off = '' if line.endswith(b'\n') or len(line) > MAX_LINE else ' (the line has no end: it may be cut off)'
        raise RecordError(f'{where}: {error}{cut_off}') from error


def write(file: str | Path, games: Record | Iterable[Record]) -> None:
    """Append records to a file, which is made if it does not exist, and bring them to the disk.

    They are written at once: whatever interrupts this, at most the last line of the file is cut off. After a
    line that was cut off, a new one is begun.

    Raises:
        RecordError: if a record is too large; nothing is written.
        FileError: if the file is a folder, a pipe or a device.
        OSError: if the file cannot be written.
    """
    lines = [_line(game) for game in ([games] if isinstance(games, Record) else games)]
    check_file(Path(file))
    descriptor = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        data = (b'' if _ends_whole(descriptor) else b'\n') + b''.join(lines)
        written = os.write(descriptor, data) if lines else 0
        if lines and written < len(data):
            raise OSError(f'{file}: only {written:,} of {len(data):,} bytes could be written')
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _line(game: Record) -> bytes:
    line = to_json(game).encode()
    if len(line) > MAX_LINE:
        raise RecordError(f'the record has {len(line):,} bytes: a line has at most {MAX_LINE:,}')
    return line + b'\n'


def _ends_whole(descriptor: int) -> bool:
    """Tell whether a file is empty or ends with the end of a line."""
    size = os.fstat(descriptor).st_size
    return size == 0 or os.pread(descriptor, 1, size - 1) == b'\n'
