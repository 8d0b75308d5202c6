"""Tables on disk: a file for each, replaced whole after each move."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from rlcard_big2.files import LARGEST_TEXT, parse_json, read_file, replace
from rlcard_big2.web.reading import ID
from rlcard_big2.web.tables import SharedTable

TABLES = 'tables'
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

    def save(self, table: SharedTable) -> None:
        """Keep a table as it is; OSError if that fails, with the old file still there.

        A process that is killed loses nothing. What the disk has not yet written when the power fails may be lost.
        """
        text = json.dumps(table.to_json())
        replace(self._file(table), lambda path: path.write_text(text), sync=False)

    def forget(self, table: SharedTable) -> None:
        """Remove a table's file."""
        self._file(table).unlink(missing_ok=True)

    def _file(self, table: SharedTable) -> Path:
        return self.folder / f'{table.id}.json'

    def load(self) -> Iterator[SharedTable]:
        """Yield all tables; what cannot be read is named on standard error, and left alone."""
        for file in sorted(self.folder.glob('*.json')):
            try:
                table = SharedTable.from_json(parse_json(file, read_file(file, LARGEST_TEXT)))
                if table.id != file.stem or not ID.fullmatch(table.id):
                    raise ValueError('its name is not that of the table')
                yield table
            except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
                sys.stderr.write(f'{file} is not a table, and is left alone: {error!s:.200}\n')
