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
from dataclasses import asdict, dataclass, field
from math import inf
from pathlib import Path
from time import monotonic, time
from typing import Any

from rlcard_kit.files import LARGEST_TEXT, parse_json, read_file, replace_text
from rlcard_play.study.played import PlayedGame
from rlcard_play.study.protocols import Json
from rlcard_play.study.seated_game import Seat
from rlcard_play.web.tables import Person, Session, SharedTable, Terms

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
        text, now = json.dumps(to_json(table)), monotonic()
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
            table = from_json(parse_json(file, read_file(file, LARGEST_TEXT)), self._games)
            if table.id != name:
                raise ValueError('its name is not the id of the table')
            table.touched -= max(0.0, time() - file.stat().st_mtime)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            sys.stderr.write(f'{file} is not a table, and is left alone: {error!s:.200}\n')
            return None
        return table

    def _found(self) -> dict[str, list[int]]:
        """Return the numbers of each table's files, the newest first; remove files that were not finished."""
        numbers: dict[str, list[int]] = {}
        for file in sorted(self.folder.iterdir()):
            known = NAME.fullmatch(file.name)
            if known is not None:
                numbers.setdefault(known[1], []).append(int(known[2]))
            elif file.name.endswith('.tmp') and file.is_file():
                file.unlink()
            else:
                sys.stderr.write(f'{file} is not a table, and is left alone\n')
        return {name: sorted(known, reverse=True) for name, known in numbers.items()}


def to_json(table: SharedTable) -> Json:
    """Return the saved form of the table."""
    return {
        'table': table.id,
        'game': table.played.key,
        'version': table.version,
        'practice': table.practice,
        'first_time': table.first_time,
        'waiting': table.waiting,
        'terms': asdict(table.terms),
        'nonce': table.nonce,
        'people': {str(seat): [person.token, person.press, person.browser] for seat, person in table.people.items()},
        'seats': [None if seat is None else [seat.name, seat.agent] for seat in table.game.seats],
        'help': table.game.help,
        'choices': {str(seat): choices for seat, choices in table.choices.items()},
        'start': table.played.records.to_dict(table.game.record().at(table.begun)),  # with the chance events so far
        'moves': [text for _, text in table.game.trace[table.begun :]],
        'earlier': asdict(table.earlier),
        'next': table.next,
    }


def from_json(saved: Json, games: Mapping[str, PlayedGame]) -> SharedTable:
    """Restore a table of some game; ValueError, KeyError or TypeError if its saved form is damaged."""
    _check(saved)
    played = games[saved['game']]
    start = played.records.parse(saved['start'])
    seats = [None if seat is None else Seat(*seat) for seat in saved['seats']]
    if len(seats) != start.rules.players:
        raise ValueError(f'it has {len(seats)} seats')
    game = played.seated(seats, start.rules)
    game.deal(start)
    game.id, game.started = start.extra['id'], start.extra['started']
    table = SharedTable(
        played,
        game,
        practice=saved['practice'],
        first_time=saved['first_time'],
        name=saved['table'],
        nonce=saved['nonce'],
    )
    for move in saved['moves']:
        known = seats[game.player]
        game.play(move, chosen=known is not None and known.agent is None)
    game.help = saved['help']
    table.version, table.waiting, table.next = saved['version'], saved['waiting'], saved['next']
    table.terms, table.earlier = Terms(**saved['terms']), Session(**saved['earlier'])
    table.people = {int(seat): Person(*person) for seat, person in saved['people'].items()}
    table.choices = {int(seat): choices for seat, choices in saved['choices'].items()}
    table.here = dict.fromkeys(table.people, True)
    return table


def _check(saved: Json) -> None:
    """Raise ValueError or TypeError unless the values of a saved table have their types."""
    noted, seats, people = saved['help'], [seat for seat in saved['seats'] if seat is not None], saved['people']
    events, terms, earlier = noted.get('seats', []), dict(saved['terms']), saved['earlier']
    values: dict[type, list[Any]] = {
        bool: [saved['practice'], saved['first_time'], saved['waiting'], noted.get('practice', True)],
        int: [saved['version'], *noted['takebacks'], *noted['advice'], *(event['ply'] for event in events)],
        str: [saved['table'], saved['nonce'], *saved['moves'], *(name for name, _ in seats)],
        list: list(saved['choices'].values()),
    }
    values[str] += [text for text in (*(agent for _, agent in seats), saved['next']) if text is not None]
    values[bool].append(terms.pop('wait'))
    values[int] += [*terms.values(), earlier['deals'], *earlier['totals']]
    for token, press, browser in people.values():
        values[str] += [token, browser]
        values[bool].append(press)
    for kind, given in values.items():
        for value in given:
            if type(value) is not kind:
                raise TypeError(f'{value!r:.60} stands where a value of type {kind.__name__} does')
    count = len(saved['seats'])
    if count > len(earlier['totals']) or not {*people, *saved['choices']} <= {*map(str, range(count))}:
        raise ValueError('its seats do not fit')
