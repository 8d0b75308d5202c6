"""The lobby: all tables, changes to them, and automatic moves."""

import asyncio
import sys
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any
from weakref import WeakSet

from rlcard_kit.errors import describe, text_of
from rlcard_play.study.played import PlayedGame
from rlcard_play.study.score import Judge
from rlcard_play.web.advisor_thread import AdvisorThread
from rlcard_play.web.archive import Archive, ResultFile
from rlcard_play.web.rate_limits import Limits, Rate, RefusedError, Slots
from rlcard_play.web.store import Store
from rlcard_play.web.tables import SharedTable

RETRY_SECONDS = 5.0  # after an agent's move that could not be saved
RETURN_SECONDS = 60.0  # after a restart, for people at tables unused for a day
FULL = 'too many tables: finish one, or try again later'


class Lobby:
    """All tables of a server; it moves for agents and saves every change.

    Args:
        folder: of tables.
        games: that are played, by key; the first is the default.
        limits: of requests.
        files: for the records of each game; by default, in the folder.
    """

    def __init__(
        self, folder: Path, games: Mapping[str, PlayedGame], limits: Limits, files: Mapping[str, Path] | None = None
    ) -> None:
        self.limits = limits
        self.games = dict(games)
        self.thread = AdvisorThread(games, limits.looks)
        self.store = Store(folder, games)
        self.archive = Archive(files or {key: game.games_file(folder) for key, game in games.items()}, games)
        self.judges = {key: self._judge(games[key]) for key in games}
        self.tables: dict[str, SharedTable] = {}
        self.streams = Slots(limits.streams, limits.streams_each, 'streams', 5)
        self.studies = Slots(limits.studies, limits.studies, 'analyses', 1)
        self.moves = Rate(limits.moves_per_second, 1, 'moves')
        self.codes = Rate(limits.codes_per_minute, 60, 'codes')
        self.new_tables = Rate(limits.tables_per_minute, 60, 'new tables')
        self.is_closing = False
        self._finished = asyncio.Event()
        self._drivers: dict[str, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    def _judge(self, played: PlayedGame) -> Judge[Any]:
        folder = self.archive.files[played.key].parent
        return played.judge(self.thread.games[played.key].study_advisor, ResultFile(folder, played.advisor))

    # Start and shutdown

    async def open(self) -> None:
        """Load all saved tables, and start the background tasks."""
        for table in self.store.load():
            self.tables[table.id] = table
            table.touched = max(table.touched, monotonic() - self.limits.idle + RETURN_SECONDS)
            if table.game.is_over:
                self._start(self._finish(table))
            self._drive(table)
        self._start(self._look_after_tables())
        self._start(self._find_mistakes())

    async def close(self) -> None:
        """End all streams, tasks and threads; requests that wait for a thread are cancelled."""
        self.is_closing = True
        for table in self.tables.values():
            for stream in table.streams:
                stream.changed.set()
        for task in [*self._tasks, *self._drivers.values()]:
            task.cancel()
        self.thread.close()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # Tables

    def game(self, key: str) -> PlayedGame:
        """Return a game by its key; RefusedError names the keys."""
        if key not in self.games:
            raise RefusedError(422, f'game is {key!r:.60}: choose from {", ".join(self.games)}')
        return self.games[key]

    def find(self, name: str) -> SharedTable:
        """Return a table by its id; RefusedError if there is none."""
        if name not in self.tables:
            raise RefusedError(404, 'there is no such table: unused tables are removed after a day')
        return self.tables[name]

    def find_open(self, code: str) -> SharedTable:
        """Return the waiting table with an open seat and this code; RefusedError if there is none."""
        for table in self.tables.values():
            if table.waiting and table.join_code == code.upper() and table.open_seats():
                return table
        raise RefusedError(404, f'no table with an open seat has the code {code[:20]!r}')

    def next_table(self, table: SharedTable) -> SharedTable:
        """Return the table at which the players of a finished game go on; make it unless there is one."""
        if table.next not in self.tables:
            following = table.following()
            self.add(following)
            table.next = following.id
            if table.id in self.tables:
                self.changed(table)
        return self.find(table.next)

    def add(self, table: SharedTable) -> None:
        """Save a new table, and evict others above the limits; RefusedError if there is no room."""
        evicted: list[SharedTable] = []
        known = list(self.tables.values())
        own = [other for other in known if other.address == table.address != '' and other.record_id is None]
        for among, most in ((own, self.limits.tables_each), (known, self.limits.tables)):
            kept = [other for other in among if other not in evicted]
            excess = max(0, len(kept) + 1 - most)
            unused = sorted(filter(self._is_unused, kept), key=_worth)[:excess]
            if len(unused) < excess:
                raise RefusedError(429, FULL, 60)
            evicted += unused
        self._save(table)
        for other in evicted:
            self._remove(other)
        self.tables[table.id] = table
        self._drive(table)

    def _is_unused(self, table: SharedTable) -> bool:
        """Return whether a table may give way to a new one: nobody watches it, and nobody has just moved there."""
        if table.streams or table.game.is_over:
            return not table.streams and table.record_id is not None
        return not table.has_moves or monotonic() - table.touched > self.limits.abandoned

    def _remove(self, table: SharedTable) -> None:
        del self.tables[table.id]
        driver = self._drivers.pop(table.id, None)
        if driver is not None:
            driver.cancel()
        with suppress(OSError):  # the file is removed at a later start
            self.store.remove(table)

    # Changes

    def play(self, table: SharedTable, move: str, chosen: bool = True) -> None:
        """Make and save a move of the seat to move; it is not made if it cannot be saved.

        Args:
            table: of the game.
            move: its text.
            chosen: whether a person made it.
        """
        table.game.play(move, chosen)
        self._save(table, table.game.step_back)
        self._publish(table)
        if table.game.is_over:
            self._start(self._finish(table))

    def _save(self, table: SharedTable, undo: Callable[[], object] = lambda: None) -> None:
        """Save a table; if that fails, undo the change and raise RefusedError."""
        try:
            self.store.save(table)
        except OSError as error:
            undo()
            text = f'the game cannot be saved, so nothing was changed: {error.strerror or error}'
            raise RefusedError(503, text, 5) from error

    def mark_present(self, table: SharedTable, seat: int | None) -> None:
        """Mark a person as present, which ends an agent's standing in."""
        if seat is None:
            return
        table.people[seat].seen = monotonic()
        table.touched = monotonic()
        was_replaced = table.stand_ins.pop(seat, None) is not None
        if was_replaced:
            table.note(seat, 'returned')
        if was_replaced or not table.here.get(seat):
            table.here[seat] = True
            self._publish(table)

    def changed(self, table: SharedTable) -> None:
        """Save a table after a change other than a move, and publish it."""
        try:
            self.store.save(table)
        except OSError as error:
            sys.stderr.write(f'table {table.id} cannot be saved until its next move: {text_of(error)}\n')
        self._publish(table)

    def _publish(self, table: SharedTable) -> None:
        table.publish()
        self._drive(table)

    async def _finish(self, table: SharedTable) -> None:
        """Archive a finished game."""
        played, record = table.played, table.record()
        while table.game.id not in self.archive.entries:
            try:
                # It waits for the disk.
                await asyncio.to_thread(played.records.write, self.archive.files[played.key], record)
                self.archive.refresh()
            except OSError as error:
                sys.stderr.write(f'game {table.game.id} cannot be saved yet: {text_of(error)}\n')
                await asyncio.sleep(RETRY_SECONDS)
        table.record_id = table.game.id
        self._publish(table)
        self._finished.set()

    async def _find_mistakes(self) -> None:
        """Find the costliest mistakes of people in one finished game after the other, while nobody asks for studies."""
        tried: WeakSet[SharedTable] = WeakSet()
        while True:
            await self._finished.wait()
            await self.thread.idle()
            archived = [table for table in self.tables.values() if table.record_id is not None and table not in tried]
            waiting = [table for table in archived if not table.people.keys() <= table.choices.keys()]
            if not waiting:
                self._finished.clear()
                continue
            table = max(waiting, key=lambda table: (bool(table.streams), table.touched))
            tried.add(table)
            seats = [seat for seat in table.people if seat not in table.choices]
            try:
                table.choices |= await self.thread.find_mistakes(table.played.key, table.record(), seats)
            except Exception as error:  # the other games go on
                sys.stderr.write(f'game {table.game.id} cannot be reviewed: {describe(error):.200}\n')
            if table.id in self.tables:
                self.changed(table)

    # Agents

    def _drive(self, table: SharedTable) -> None:
        """Start the task that makes the automatic move of a table, unless it runs; end one whose move is not due."""
        due, name = table.due(), f'{table.game.ply} {table.due()}'
        driver = self._drivers.pop(table.id, None)
        if driver is not None and driver is not asyncio.current_task():
            if driver.get_name() == name and not driver.done() and table.id in self.tables:
                self._drivers[table.id] = driver
                return
            driver.cancel()
        if table.id in self.tables and (due is not None or table.seconds_left is not None):
            task = asyncio.get_running_loop().create_task(self._wait_and_play(table, due), name=name)
            self._drivers[table.id] = task

    async def _wait_and_play(self, table: SharedTable, due: str | None) -> None:
        """Make an automatic move, after a delay that hides the thinking time; if none is due, move for who is late."""
        is_late = due is None
        if due is None:
            await asyncio.sleep(table.seconds_left or 0)
            due = table.played.advisor
        start = monotonic()
        move = await self._choose(table, due) if due else table.game.legal[0]
        await asyncio.sleep(max(0.0, table.delay(self.limits) - (monotonic() - start)))
        if is_late:
            table.note(table.game.player, 'late')
        try:
            self.play(table, move, chosen=False)
        except RefusedError as refusal:
            sys.stderr.write(f'{refusal}\n')
            await asyncio.sleep(RETRY_SECONDS)
            self._drive(table)

    async def _choose(self, table: SharedTable, agent: str) -> str:
        """Return the move of an agent; the advisor stands in if the agent fails."""
        state, game, advisor = table.game.state, table.played.key, table.played.advisor
        try:
            move = await self.thread.choose(game, agent, state)
            if move in state['raw_legal_actions']:
                return move
            problem = f'it chose {move!r:.60}, which is not legal'
        except Exception as error:  # a user's agent may raise anything
            problem = describe(error)
        sys.stderr.write(f'agent {agent} failed, and {advisor} stands in: {problem:.200}\n')
        if agent == advisor:
            return str(state['raw_legal_actions'][0])
        table.replace(table.game.player, advisor)
        return await self.thread.choose(game, advisor, state)

    # Absence and cleanup

    async def _look_after_tables(self) -> None:
        """Mark absent players, and evict idle tables."""
        while True:
            await asyncio.sleep(min(1.0, self.limits.away / 4))
            for table in list(self.tables.values()):
                if monotonic() - table.touched > self.limits.idle and self._is_unused(table):
                    self._remove(table)
                else:
                    self._check_presence(table)

    def _check_presence(self, table: SharedTable) -> None:
        """Let agents stand in for absent people while others are present."""
        limits, people = self.limits, table.people.items()
        here = {seat: person.is_here(min(limits.absent, limits.away)) for seat, person in people}
        waited_for = any(here.values()) and not table.game.is_over
        gone = [seat for seat, person in people if not person.is_here(limits.away)]
        absent = [seat for seat in gone if waited_for and seat not in table.stand_ins]
        if not absent and here == table.here:
            return
        table.here = here
        for seat in absent:
            table.replace(seat, table.played.advisor)
        self._publish(table)


def _worth(table: SharedTable) -> tuple[bool, bool, float]:
    """Return a key by which tables give way: finished ones, then those without moves, the longest unused first."""
    return table.record_id is None, table.has_moves, table.touched
