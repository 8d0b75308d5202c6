"""The lobby: all tables, changes to them, and automatic moves."""

import asyncio
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from rlcard_big2 import records
from rlcard_big2.actions import PASS
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.records import Record
from rlcard_big2.rules import Rules
from rlcard_big2.study.advice import ADVISOR
from rlcard_big2.study.game import Seat, SeatedGame
from rlcard_big2.study.review import costliest, review
from rlcard_big2.web.advisor_thread import AdvisorThread
from rlcard_big2.web.archive import Archive, CachedJudge
from rlcard_big2.web.rate_limits import Limits, Rate, RefusedError, Slots
from rlcard_big2.web.store import Store
from rlcard_big2.web.tables import SharedTable
from rlcard_kit.errors import describe, text_of

ME, OPEN = 'me', 'open'
RETRY_SECONDS = 5.0  # after an agent's move that could not be saved
FULL = 'too many tables: finish one, or try again later'


class Lobby:
    """All tables of a server; it moves for agents and saves every change.

    Args:
        folder: of tables and games.
        agents: names of the agents that may be seated, besides the advisor.
        limits: of requests.
    """

    def __init__(self, folder: Path, agents: list[str], limits: Limits) -> None:
        self.limits = limits
        self.thread = AdvisorThread(agents, limits.looks)
        self.store = Store(folder)
        self.archive = Archive(folder)
        self.judge = CachedJudge(self.thread.study_advisor, self.archive)
        self.tables: dict[str, SharedTable] = {}
        self.streams = Slots(limits.streams, 'streams', 5, limits.streams_each)
        self.studies = Slots(limits.studies, 'analyses', 1)
        self.moves = Rate(limits.moves_per_second, 1, 'moves')
        self.new_tables = Rate(limits.tables_per_minute, 60, 'new tables')
        self.is_closing = False
        self._drivers: dict[str, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    # Start and shutdown

    async def open(self) -> None:
        """Load all saved tables, and start the background tasks."""
        for table in self.store.load():
            self.tables[table.id] = table
            if table.game.is_over:
                self._start(self._finish(table))
            self._drive(table)
        self._start(self._look_after_tables())

    def close_streams(self) -> None:
        """Close all streams."""
        self.is_closing = True
        for table in self.tables.values():
            for stream in table.streams:
                stream.changed.set()

    async def close(self) -> None:
        """Stop all tasks and threads."""
        for task in [*self._tasks, *self._drivers.values()]:
            task.cancel()
        self.thread.close()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # Tables

    def find(self, name: str) -> SharedTable:
        """Return a table by its id; RefusedError if there is none."""
        if name not in self.tables:
            raise RefusedError(404, 'there is no such table: unused tables are removed after a day')
        return self.tables[name]

    def create(
        self, seats: list[str], rules: Rules, person: str, practice: bool, position: Record | None
    ) -> tuple[SharedTable, int, str]:
        """Start a table.

        Args:
            seats: four of ME (once), OPEN and names of agents.
            rules: of the game.
            person: name of the first person.
            practice: whether advice and take-backs are allowed.
            position: to start from; None deals at random.

        Returns:
            The table, the seat of the person, and the token for the cookie.
        """
        self._make_room()
        game = SeatedGame([None if one in (ME, OPEN) else Seat(one, one) for one in seats], rules)
        if position is not None:
            game.deal(position)
        first_time = position is None or not (position.moves or self.archive.knows_deal(game.record()))
        table = SharedTable(game, practice=practice, first_time=first_time)
        seat = seats.index(ME)
        token = table.seat_person(seat, person)
        self._save(table)
        self.tables[table.id] = table
        self._drive(table)
        return table, seat, token

    def _make_room(self) -> None:
        """Evict finished, unwatched tables above the limit."""
        over = [table for table in self.tables.values() if table.record_id is not None and not table.streams]
        for table in sorted(over, key=lambda table: table.touched):
            if len(self.tables) < self.limits.tables:
                return
            self._remove(table)
        if len(self.tables) >= self.limits.tables:
            raise RefusedError(429, FULL, 60)

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
        """Archive a finished game, and find the costliest mistakes of its people."""
        record, seats = table.record(), [seat for seat in table.people if seat not in table.choices]
        while table.game.id not in self.archive.entries:
            try:
                await asyncio.to_thread(records.write, self.archive.file, record)  # it waits for the disk
                self.archive.refresh()
            except OSError as error:
                sys.stderr.write(f'game {table.game.id} cannot be saved yet: {text_of(error)}\n')
                await asyncio.sleep(RETRY_SECONDS)
        table.record_id = table.game.id
        self._publish(table)
        if seats:
            found = await self.thread.study(lambda: list(review(record, self.thread.study_advisor)))
            for seat in seats:
                table.choices[seat] = [one.to_json() for one in costliest(one for one in found if one.seat == seat)]
            if table.id in self.tables:
                self.changed(table)

    # Agents

    def _drive(self, table: SharedTable) -> None:
        """Restart the task that makes the automatic move of a table."""
        driver = self._drivers.pop(table.id, None)
        current = asyncio.current_task()
        if driver is not None and driver is not current:
            driver.cancel()
        if table.id in self.tables and table.due() is not None:
            self._drivers[table.id] = asyncio.get_running_loop().create_task(self._wait_and_play(table))

    async def _wait_and_play(self, table: SharedTable) -> None:
        """Make an automatic move, after a delay that hides the thinking time."""
        due = table.due()
        if due is None:
            return
        start = monotonic()
        move = await self._choose(table, due) if due else PASS
        await asyncio.sleep(max(0.0, self.limits.delay - (monotonic() - start)))
        try:
            self.play(table, move, chosen=False)
        except RefusedError as refusal:
            sys.stderr.write(f'{refusal}\n')
            await asyncio.sleep(RETRY_SECONDS)
            self._drive(table)

    async def _choose(self, table: SharedTable, agent: str) -> str:
        """Return the move of an agent; the advisor stands in if the agent fails."""
        state = table.game.state
        try:
            move = await self.thread.choose(agent, state)
            if move in state['raw_legal_actions']:
                return move
            problem = f'it chose {move!r:.60}, which is not legal'
        except Exception as error:  # a user's agent may raise anything
            problem = describe(error)
        sys.stderr.write(f'agent {agent} failed, and {ADVISOR} stands in: {problem:.200}\n')
        if agent == ADVISOR:
            return str(state['raw_legal_actions'][0])
        table.replace(table.game.player, ADVISOR)
        return await self.thread.choose(ADVISOR, state)

    # Absence and cleanup

    async def _look_after_tables(self) -> None:
        """Mark absent players, and evict idle tables."""
        while True:
            await asyncio.sleep(min(1.0, self.limits.away / 4))
            for table in list(self.tables.values()):
                if monotonic() - table.touched > self.limits.idle and not table.streams:
                    self._remove(table)
                else:
                    self._check_presence(table)

    def _check_presence(self, table: SharedTable) -> None:
        """Let agents stand in for absent people while others are present."""
        here = {seat: person.is_here(self.limits.away) for seat, person in table.people.items()}
        waited_for = any(here.values()) and not table.game.is_over
        absent = [seat for seat in here if not here[seat] and waited_for and seat not in table.stand_ins]
        if not absent and here == table.here:
            return
        table.here = here
        for seat in absent:
            table.replace(seat, ADVISOR)
        touched = table.touched
        self._publish(table)
        table.touched = touched  # this is no activity


def check_seats(seats: object, agents: list[str]) -> list[str]:
    """Return the four seats of a request; RefusedError if they are not valid."""
    if not isinstance(seats, list) or len(seats) != NUM_PLAYERS:
        raise RefusedError(422, 'seats must be a list of four: "me" once, "open", and names of agents')
    for one in seats:
        if one not in (ME, OPEN, *agents):
            raise RefusedError(422, f'{one!r:.60} cannot be seated: choose from {ME}, {OPEN}, {", ".join(agents)}')
    if seats.count(ME) != 1:
        raise RefusedError(422, f'seats have "me" {seats.count(ME)} times: expected once')
    return seats
