"""Finished games: a file of records, its index, and cached scores."""

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from rlcard_big2 import records
from rlcard_big2.records import Record
from rlcard_big2.study.advice import Advisor
from rlcard_big2.study.paths import GAMES
from rlcard_big2.study.score import Judge, Result
from rlcard_big2.web.requests import PAGE
from rlcard_kit.files import check_file, parse_json
from rlcard_kit.records import MAX_LINE
from rlcard_kit.version import __version__

VALUES = 'games.values.jsonl'


class Entry(NamedTuple):
    """Position of a game in the file, and its summary."""

    offset: int
    size: int
    summary: dict[str, Any]


class Archive:
    """An append-only file of games, indexed by id.

    Args:
        folder: of the file.
    """

    def __init__(self, folder: Path) -> None:
        self.file = folder / GAMES
        self.entries: dict[str, Entry] = {}  # by id
        self._deals: set[str] = set()
        self._end = 0  # of the indexed part
        records.write(self.file, [])  # fails here rather than after the first game
        unread = self.refresh()
        if unread:
            sys.stderr.write(f'{self.file}: {unread:,} lines are not games with an id, and are ignored\n')

    def refresh(self) -> int:
        """Index lines added to the file by any program; return the number of lines that are not games."""
        unread = 0
        for offset, line, end in _lines(self.file, self._end):
            unread += not self._index(offset, line)
            self._end = end
        return unread

    def _index(self, offset: int, line: bytes) -> bool:
        """Index a line; return whether it is a game with a new id."""
        try:
            game = parse_json(self.file, line)
            hands, seats, name = game['hands'], game.get('seats') or [{}] * 4, game['id']
            summary = {
                'id': name,
                'started': game.get('started'),
                'rules': game['rules'],
                'seats': [seat.get('name') for seat in seats],
                'payoffs': game.get('payoffs'),
                'people': [i for i, seat in enumerate(seats) if seat.get('kind') == 'person'],
            }
            deal = '|'.join(hands) if None not in hands else ''
        except (ValueError, KeyError, TypeError, AttributeError):
            return False
        texts = [name, summary['started'] or '', *(seat or '' for seat in summary['seats'])]
        numbers = summary['payoffs'] or []
        if not all(isinstance(text, str) for text in texts) or not isinstance(summary['rules'], str | dict):
            return False
        if not isinstance(numbers, list) or any(type(number) is not int for number in numbers) or name in self.entries:
            return False
        self._deals.add(deal)
        self.entries[name] = Entry(offset, len(line), summary)
        return True

    def knows_deal(self, record: Record) -> bool:
        """Return whether the deal of a game was played before."""
        return '|'.join(records.to_dict(record)['hands']) in self._deals

    def read(self, name: str) -> Record:
        """Return a game by its id; KeyError if there is none."""
        entry = self.entries[name]
        with self.file.open('rb') as file:
            file.seek(entry.offset)
            return records.parse(file.read(entry.size))

    def page(self, cursor: int | None) -> dict[str, Any]:
        """Return one page of summaries, newest first."""
        self.refresh()
        end = len(self.entries) if cursor is None else min(cursor, len(self.entries))
        start = max(0, end - PAGE)
        found = list(self.entries.values())[start:end]
        return {'records': [entry.summary for entry in reversed(found)], 'cursor': str(start) if start else None}

    def single_player_games(self) -> Iterator[Record]:
        """Yield the games with exactly one person."""
        for name, entry in self.entries.copy().items():
            if len(entry.summary['people']) == 1:
                with suppress(ValueError):  # a damaged line; `big2 replay` reports it
                    yield self.read(name)


def _lines(file: Path, offset: int = 0) -> Iterator[tuple[int, bytes, int]]:
    """Yield (start, line, end) of the complete lines of a file from an offset; long lines come in parts."""
    with file.open('rb') as lines:
        lines.seek(offset)
        while line := lines.readline(MAX_LINE + 2):
            if not line.endswith(b'\n') and len(line) < MAX_LINE:
                return  # still being written
            end = offset + len(line)
            if line.strip():
                yield offset, line.rstrip(b'\r\n'), end
            offset = end


class CachedJudge(Judge):
    """A judge that caches its results in a file next to the games.

    Args:
        advisor: its agent plays the same deals.
        archive: of the games.
    """

    def __init__(self, advisor: Advisor, archive: Archive) -> None:
        super().__init__(advisor)
        self._file = archive.file.with_name(VALUES)
        self._by = f'{advisor.name} {__version__}'
        self._known: dict[str, Result] = {}
        check_file(self._file)
        for _, line, _ in _lines(self._file) if self._file.exists() else ():
            self._load(line)

    def _load(self, line: bytes) -> None:
        try:
            known = parse_json(self._file, line)
            if known['by'] == self._by:
                lost = None if known['given_away'] is None else float(known['given_away'])
                self._known[known['game']] = Result(int(known['payoff']), int(known['agent']), lost)
        except (ValueError, KeyError, TypeError):
            return  # to be computed again

    def result(self, game: Record, seat: int) -> Result:
        """Return the result of a person, computed once."""
        key = sha256(records.to_json(game).encode()).hexdigest()[:32]
        if key not in self._known:
            found = super().result(game, seat)
            line = {'game': key, 'by': self._by, 'payoff': found.payoff, 'agent': found.agents}
            text = json.dumps({**line, 'given_away': found.given_away})
            with self._file.open('a', encoding='utf-8') as file:
                file.write(text + '\n')
            self._known[key] = found
        return self._known[key]
