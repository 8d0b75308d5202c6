"""Tables on disk: a file for each, replaced whole after each move.

A file is written under a new name before the one before it goes: renaming it over that would make some file systems
wait for the disk. The number in the name grows, so the newer of two is known.
"""

import json
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from rlcard_big2.web.tables import SharedTable
from rlcard_kit.files import LARGEST_TEXT, parse_json, read_file, replace

TABLES = 'tables'
NAME = re.compile(r'([A-Za-z0-9_-]{22})\.([0-9]{1,9})\.json')
PRIVATE = 0o700


class Store:
    """Keeps tables in a folder.

    Args:
        folder: of the server's data; made if it is missing, for this user alone.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / TABLES
        folder.mkdir(parents=True, exist_ok=True, mode=PRIVATE)
        self.folder.mkdir(exist_ok=True, mode=PRIVATE)
        self._numbers: dict[str, int] = {}  # of the file of each table

    def save(self, table: SharedTable) -> None:
        """Keep a table as it is; OSError if that fails, with the older file still there.

        A process that is killed loses nothing. What the disk has not yet written when the power fails may be lost.
        """
        text = json.dumps(table.to_json())
        number = self._numbers.get(table.id, 0)
        replace(self._file(table.id, number + 1), lambda path: path.write_text(text), sync=False)
        self._numbers[table.id] = number + 1
        with suppress(OSError):  # it is older, which the next start sees
            self._file(table.id, number).unlink(missing_ok=True)

    def forget(self, table: SharedTable) -> None:
        """Remove a table's file."""
        self._file(table.id, self._numbers.pop(table.id, 0)).unlink(missing_ok=True)

    def _file(self, name: str, number: int) -> Path:
        return self.folder / f'{name}.{number}.json'

    def load(self) -> Iterator[SharedTable]:
        """Yield all tables; what cannot be read is named on standard error, and left alone."""
        for name, number in self._newest().items():
            file = self._file(name, number)
            try:
                table = SharedTable.from_json(parse_json(file, read_file(file, LARGEST_TEXT)))
                if table.id != name:
                    raise ValueError('its name is not that of the table')
            except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
                sys.stderr.write(f'{file} is not a table, and is left alone: {error!s:.200}\n')
                continue
            self._numbers[name] = number
            yield table

    def _newest(self) -> dict[str, int]:
        """Return the number of the newest file of each table; the older ones, and those half written, are removed."""
        found: dict[str, int] = {}
        for file in sorted(self.folder.iterdir()):
            known = NAME.fullmatch(file.name)
            if known is None:
                if file.name.endswith('.tmp'):
                    file.unlink()
                else:
                    sys.stderr.write(f'{file} is not a table, and is left alone\n')
                continue
            name, number = known[1], int(known[2])
            if name in found:
                self._file(name, min(number, found[name])).unlink()
            found[name] = max(number, found.get(name, 0))
        return found
