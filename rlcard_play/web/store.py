"""Tables on disk: one file each, rewritten after each move.

The new file gets a new name, with a higher number, before the old one is removed: renaming it over the old one would
make some file systems wait for the disk. The last file that the disk surely has stays until it has another: a power
failure may empty the others.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from time import monotonic

from rlcard_kit.files import LARGEST_TEXT, parse_json, read_file, replace_text
from rlcard_play.web.played import PlayedGame
from rlcard_play.web.tables import SharedTable

TABLES = 'tables'
NAME = re.compile(r'([A-Za-z0-9_-]{22})\.([0-9]{1,9})\.json')
PRIVATE = 0o700
SYNC_SECONDS = 60.0  # of play at most that a power failure may lose


@dataclass
class _Saved:
    """The files of a table."""

    last: int = 0  # highest number of a file
    synced: int = 0  # number of the last one that the disk surely has
    synced_at: float = -inf
    numbers: set[int] = field(default_factory=set)  # of its files, without those that cannot be read


class Store:
    """Saves tables in a folder.

    Args:
        folder: of the server's data; created if it is missing, readable by this user only.
        games: by key.
    """

    def __init__(self, folder: Path, games: Mapping[str, PlayedGame]) -> None:
        self.folder = folder / TABLES
        self._games = games
        folder.mkdir(parents=True, exist_ok=True, mode=PRIVATE)
        self.folder.mkdir(exist_ok=True, mode=PRIVATE)
        self._saved: dict[str, _Saved] = {}

    def save(self, table: SharedTable) -> None:
        """Save a table; OSError if that fails, and the old file stays.

        Nothing is lost if the process is killed. A power failure may lose the last minute.
        """
        text, now = json.dumps(table.to_json()), monotonic()
        saved = self._saved.setdefault(table.id, _Saved())
        number, sync = saved.last + 1, now - saved.synced_at >= SYNC_SECONDS
        replace_text(self._file(table.id, number), text, sync)
        saved.last = number
        saved.numbers.add(number)
        if sync:
            saved.synced, saved.synced_at = number, now
        for old in saved.numbers - {number, saved.synced}:
            with suppress(OSError):  # the next start removes older files
                self._file(table.id, old).unlink(missing_ok=True)
            saved.numbers.remove(old)

    def remove(self, table: SharedTable) -> None:
        """Remove a table's files."""
        for number in self._saved.pop(table.id, _Saved()).numbers:
            self._file(table.id, number).unlink(missing_ok=True)

    def _file(self, name: str, number: int) -> Path:
        return self.folder / f'{name}.{number}.json'

    def load(self) -> Iterator[SharedTable]:
        """Yield all tables; report files that cannot be read on standard error, and leave them alone."""
        for name, numbers in self._found().items():
            for index, number in enumerate(numbers):
                table = self._read(name, number)
                if table is not None:
                    for older in numbers[index + 1 :]:
                        self._file(name, older).unlink()
                    self._saved[name] = _Saved(numbers[0], number, numbers={number})
                    yield table
                    break

    def _read(self, name: str, number: int) -> SharedTable | None:
        file = self._file(name, number)
        try:
            table = SharedTable.from_json(parse_json(file, read_file(file, LARGEST_TEXT)), self._games)
            if table.id != name:
                raise ValueError('its name is not the id of the table')
        except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            sys.stderr.write(f'{file} is not a table, and is left alone: {error!s:.200}\n')
            return None
        return table

    def _found(self) -> dict[str, list[int]]:
        """Return the numbers of each table's files, the newest first; remove files that were not finished."""
        found: dict[str, list[int]] = {}
        for file in sorted(self.folder.iterdir()):
            known = NAME.fullmatch(file.name)
            if known is not None:
                found.setdefault(known[1], []).append(int(known[2]))
            elif file.name.endswith('.tmp') and file.is_file():
                file.unlink()
            else:
                sys.stderr.write(f'{file} is not a table, and is left alone\n')
        return {name: sorted(numbers, reverse=True) for name, numbers in found.items()}
