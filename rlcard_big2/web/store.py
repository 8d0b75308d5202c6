"""Tables on disk: one file each, rewritten after each move.

The new file gets a new name, with a higher number, before the old one is removed: renaming it over the old one would
make some file systems wait for the disk.
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
    """Saves tables in a folder.

    Args:
        folder: of the server's data; created if it is missing, readable by this user only.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / TABLES
        folder.mkdir(parents=True, exist_ok=True, mode=PRIVATE)
        self.folder.mkdir(exist_ok=True, mode=PRIVATE)
        self._numbers: dict[str, int] = {}  # of the current file of each table

    def save(self, table: SharedTable) -> None:
        """Save a table; OSError if that fails, and the old file stays.

        Nothing is lost if the process is killed. A power failure may lose what the disk has not written yet.
        """
        text = json.dumps(table.to_json())
        number = self._numbers.get(table.id, 0)
        replace(self._file(table.id, number + 1), lambda path: path.write_text(text), sync=False)
        self._numbers[table.id] = number + 1
        with suppress(OSError):  # the next start removes older files
            self._file(table.id, number).unlink(missing_ok=True)

    def remove(self, table: SharedTable) -> None:
        """Remove a table's file."""
        self._file(table.id, self._numbers.pop(table.id, 0)).unlink(missing_ok=True)

    def _file(self, name: str, number: int) -> Path:
        return self.folder / f'{name}.{number}.json'

    def load(self) -> Iterator[SharedTable]:
        """Yield all tables; report files that cannot be read on standard error, and leave them alone."""
        for name, number in self._newest().items():
            file = self._file(name, number)
            try:
                table = SharedTable.from_json(parse_json(file, read_file(file, LARGEST_TEXT)))
                if table.id != name:
                    raise ValueError('its name is not the id of the table')
            except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
                sys.stderr.write(f'{file} is not a table, and is left alone: {error!s:.200}\n')
                continue
            self._numbers[name] = number
            yield table

    def _newest(self) -> dict[str, int]:
        """Return the newest number of each table; remove older and incomplete files."""
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
