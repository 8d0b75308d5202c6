"""Finished games: a file of records for each game, their index, and the results of people in them."""

import json
import re
import sys
from collections import UserDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from rlcard_kit.errors import RecordError
from rlcard_kit.files import check_file, parse_json
from rlcard_kit.records import MAX_LINE
from rlcard_kit.version import __version__
from rlcard_play.study.played import PlayedGame
from rlcard_play.study.protocols import GameRecord, Json
from rlcard_play.study.score import Result

MARK = 32  # characters of a mark
ID = re.compile(r'[A-Za-z0-9_-]{1,64}')
PAGE = 50  # games of a list
RESULTS = 'games.values.jsonl'


class Entry(NamedTuple):
    """Position of a game in the file of its kind, and its summary."""

    key: str
    offset: int
    size: int
    summary: Json
    when: str  # it began; at least that of those before it in the file
    marks: dict[str, int]  # seats of people, by the `mark_of` their browsers


class Archive:
    """Append-only files of games, indexed by id.

    Args:
        files: by the key of their game.
        games: likewise.
    """

    def __init__(self, files: Mapping[str, Path], games: Mapping[str, PlayedGame]) -> None:
        self.files = files
        self.entries: dict[str, Entry] = {}  # by id
        self._games = games
        self._deals: set[tuple[str, str]] = set()  # of each game
        self._newest = dict.fromkeys(files, '')  # `when` of the last entries
        self._ends = dict.fromkeys(files, 0)  # of the indexed parts
        for key, file in files.items():
            games[key].records.write(file, [])  # fails here rather than after the first game
            unread = self._refresh(key)
            if unread:
                sys.stderr.write(f'{file}: ignored lines that are not games with an id: {unread:,}\n')

    def refresh(self) -> None:
        """Index lines added to the files by any program."""
        for key in self.files:
            self._refresh(key)

    def _refresh(self, key: str) -> int:
        """Index the new lines of a file; return the number of lines that are not games."""
        unread = 0
        for offset, line, end in lines_of(self.files[key], self._ends[key]):
            unread += not self._index(key, offset, line)
            self._ends[key] = end
        return unread

    def _index(self, key: str, offset: int, line: bytes) -> bool:
        """Index a line; return whether it is a game with a new id."""
        try:
            game = parse_json(self.files[key], line)
            deal, name = self._games[key].deal_key(game), game['id']
            seats = game.get('seats') or [{}] * len(game['hands'])
            summary = {
                'id': name,
                'game': key,
                'started': game.get('started'),
                'rules': game['rules'],
                'seats': [seat.get('name') for seat in seats],
                'payoffs': game.get('payoffs'),
                'people': [i for i, seat in enumerate(seats) if seat.get('kind') == 'person'],
            }
            marks = {seat['mark']: i for i, seat in enumerate(seats) if 'mark' in seat}
            if game.get('begun') and not summary['people']:
                marks[''] = 0  # agents have played on from somebody's position: it is nobody's
        except (ValueError, KeyError, TypeError, AttributeError):
            return False
        texts = [name, summary['started'] or '', *(seat or '' for seat in summary['seats'])]
        numbers = summary['payoffs'] or []
        if not all(isinstance(text, str) for text in texts) or not isinstance(summary['rules'], str | dict):
            return False
        if not isinstance(numbers, list) or any(type(number) is not int for number in numbers) or name in self.entries:
            return False
        self._deals.add((key, deal))
        self._newest[key] = max(self._newest[key], summary['started'] or '')
        self.entries[name] = Entry(key, offset, len(line), summary, self._newest[key], marks)
        return True

    def knows_deal(self, played: PlayedGame, record: GameRecord) -> bool:
        """Return whether the deal of a game was played before."""
        return (played.key, played.deal_key(played.records.to_dict(record))) in self._deals

    def read(self, name: str) -> tuple[PlayedGame, GameRecord]:
        """Return the kind and the record of a game by its id; KeyError if there is none."""
        entry = self.entries[name]
        played = self._games[entry.key]
        with self.files[entry.key].open('rb') as file:
            file.seek(entry.offset)
            return played, played.records.parse(file.read(entry.size))

    def prepared(self, played: PlayedGame, record: Any, browser: str) -> GameRecord | None:
        """Return a record from elsewhere as it is to be kept: a finished game of a browser; None if it is here already.

        The browser's seat is the record's 'you', else that of its first person. A record without an id gets a checksum.

        Raises:
            RecordError: if the game is not over, or nobody has played in it.
        """
        people = [seat for seat, player in enumerate(record.seats or ()) if player.get('kind') == 'person']
        if record.payoffs is None or not people:
            raise RecordError('the game is not over' if record.payoffs is None else "no 'seats' with a person")
        name, you = record.extra.get('id'), record.extra.get('you')
        if not isinstance(name, str) or not ID.fullmatch(name):
            name = sha256(played.records.to_json(record).encode()).hexdigest()[:MARK]
        known = self.entries.get(name)
        if (
            known and known.marks and mark_of(browser, name) not in known.marks
        ):  # another browser's: a copy for this one
            name = mark_of(browser, f'{name} copy')
        if name in self.entries:
            return None
        seats = [{key: value for key, value in player.items() if key != 'mark'} for player in record.seats]
        seats[you if you in people else people[0]]['mark'] = mark_of(browser, name)
        extra = {key: value for key, value in record.extra.items() if key != 'you'}
        kept: GameRecord = replace(record, seats=seats, extra={**extra, 'id': name})
        return kept

    def own(self, browser: str, unmarked: bool) -> dict[str, int | None]:
        """Return the ids of a browser's games, and its seat in them.

        Args:
            browser: SHA-256 of its key.
            unmarked: whether games without marks are its own: those played in a terminal, or recorded elsewhere.
        """
        self.refresh()
        seats: dict[str, int | None] = {}
        for name, entry in self.entries.items():
            mark = mark_of(browser, name)
            if mark in entry.marks:
                seats[name] = entry.marks[mark]
            elif unmarked and not entry.marks:
                seats[name] = next(iter(entry.summary['people']), None)
        return seats

    def page(self, cursor: int | None, own: Mapping[str, int | None]) -> Json:
        """Return one page of summaries of a browser's own games, newest first, with its seat as 'you'."""
        end = len(own) if cursor is None else min(cursor, len(own))
        start = max(0, end - PAGE)
        entries = sorted((self.entries[name] for name in own), key=lambda entry: entry.when)[start:end]
        shown = [{**entry.summary, 'you': own[entry.summary['id']]} for entry in reversed(entries)]
        return {'records': shown, 'cursor': str(start) if start else None}

    def single_player_games(self, key: str, own: Iterable[str]) -> Iterator[GameRecord]:
        """Yield the records of one's games of a kind with exactly one person."""
        for name in own:
            entry = self.entries[name]
            if entry.key == key and len(entry.summary['people']) == 1:
                with suppress(ValueError):  # a damaged line; `big2 replay` reports it
                    yield self.read(name)[1]


def mark_of(browser: str, name: str) -> str:
    """Return the mark of a browser in a game, by the SHA-256 of its key and the game's id."""
    return sha256(f'{browser} {name}'.encode()).hexdigest()[:MARK]


def lines_of(file: Path, offset: int = 0) -> Iterator[tuple[int, bytes, int]]:
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


class ResultFile(UserDict[str, Result]):
    """Results by a checksum of the game; new ones are appended to a file.

    Args:
        folder: of the file.
        agent: name of the agent that they are compared with; those of others, or of other versions, are ignored.
    """

    def __init__(self, folder: Path, agent: str) -> None:
        super().__init__()
        self._file, self._by = folder / RESULTS, f'{agent} {__version__}'
        check_file(self._file)
        for _, line, _ in lines_of(self._file) if self._file.exists() else ():
            self._load(line)

    def _load(self, line: bytes) -> None:
        try:
            known = parse_json(self._file, line)
            if known['by'] == self._by:
                lost, luck = (None if known[name] is None else float(known[name]) for name in ('given_away', 'luck'))
                payoff, won, agent = int(known['payoff']), bool(known['won']), int(known['agent'])
                self.data[known['game']] = Result(payoff, won, agent, lost, luck)
        except (ValueError, KeyError, TypeError):
            return  # to be computed again

    def __setitem__(self, key: str, result: Result) -> None:
        text = json.dumps({'game': key, 'by': self._by, **result._asdict()})
        with self._file.open('a', encoding='utf-8') as file:
            file.write(text + '\n')
        self.data[key] = result
