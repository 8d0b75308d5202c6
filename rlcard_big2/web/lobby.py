"""The lobby: all tables, changes to them, and automatic moves."""

import asyncio
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any

from rlcard_big2.actions import PASS
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.records import Record
from rlcard_big2.rules import Rules
from rlcard_big2.study.advice import ADVISOR, Advice, make_player
from rlcard_big2.study.game import Seat, SeatedGame
from rlcard_big2.study.review import costliest, review
from rlcard_big2.web.advisor_thread import AdvisorThread
from rlcard_big2.web.archive import Archive, CachedJudge
from rlcard_big2.web.rate_limits import Limits, Rate, RefusedError, Slots
from rlcard_big2.web.store import Store
from rlcard_big2.web.tables import Due, SharedTable, Stream
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
        self.judge = CachedJudge(self.thread.study_advisor, self._opponent, self.archive)
        self.tables: dict[str, SharedTable] = {}
        self.streams = Slots(limits.streams, 'streams', 5)
        self.studies = Slots(limits.studies, 'analyses', 1)
        self.looks = Slots(limits.looks, 'deep analyses', 2)
        self.moves = Rate(limits.moves_per_second, 1, 'moves')
        self.new_tables = Rate(limits.tables_per_minute, 60, 'new tables')
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
        for table in self.tables.values():
            for stream in table.streams:
                stream.is_over = True
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
        known = [Seat(person) if one == ME else None if one == OPEN else Seat(one, one) for one in seats]
        game = SeatedGame(known, rules)
        if position is not None:
            game.deal(position)
        first_time = position is None or not (position.moves or self.archive.knows_deal(game.record()))
        table = SharedTable(game, practice=practice, first_time=first_time)
        seat = seats.index(ME)
        token = table.seat_person(seat, person)
        with _saving():
            self.store.save(table)
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

    # Actions of people

    def sit(self, table: SharedTable, seat: int | None, name: str) -> tuple[int, str]:
        """Give an open seat to a person; return the seat and the token for the cookie."""
        free = table.open_seats()
        if not free:
            raise RefusedError(409, 'this table has no open seat')
        if seat is not None and seat not in free:
            raise RefusedError(409, f'seat {seat} is taken; open: {", ".join(map(str, free))}')
        seat = free[0] if seat is None else seat
        token = table.seat_person(seat, name)
        self._changed(table)
        return seat, token

    def move(self, table: SharedTable, move: str) -> None:
        """Make and save a move of the seat to move; it is not made if it cannot be saved."""
        self._play(table, move, chosen=True)

    def _play(self, table: SharedTable, move: str, chosen: bool) -> None:
        table.game.play(move, chosen)
        with _saving(table.game.step_back):
            self.store.save(table)
        self._publish(table)
        if table.game.is_over:
            self._start(self._finish(table))

    def take_back(self, table: SharedTable, seat: int) -> None:
        """Undo moves back to a person's previous choice."""
        if not table.game.take_back(seat):
            raise RefusedError(409, 'nothing to take back')
        self._changed(table)

    def leave(self, table: SharedTable, seat: int) -> None:
        """Give the seat of a person to the advisor."""
        table.leave(seat)
        self._changed(table)

    def set_press(self, table: SharedTable, seat: int, press: bool) -> None:
        """Set whether a person makes forced passes."""
        table.people[seat].press = press
        self._changed(table)

    async def advise(self, table: SharedTable) -> tuple[int, Advice]:
        """Return advice for the seat to move, with its ply, and note it in the record."""
        ply = table.game.ply
        advice = await self.thread.advise(table.game.state)
        if table.game.ply == ply and ply not in table.game.help['advice']:
            table.game.note_advice()
            self._changed(table)
        return ply, advice

    async def look(self, state: dict[str, Any]) -> dict[str, Any]:
        """Return a rollout analysis of a state; RefusedError if too many are running."""
        with self.looks.taken():
            return await self.thread.look(state)

    def mark_present(self, table: SharedTable, seat: int | None) -> None:
        """Mark a person as present, which ends an agent's standing in."""
        if seat is None:
            return
        table.people[seat].seen = monotonic()
        table.touched = monotonic()
        if table.stand_ins.pop(seat, None) is not None or not table.here.get(seat):
            table.here[seat] = True
            self._publish(table)

    def view(self, table: SharedTable, seat: int | None) -> str:
        """Return the view of a seat or a spectator as JSON."""
        return table.view_text(seat, self.limits.away, self.limits.delay)

    # After changes

    def _changed(self, table: SharedTable) -> None:
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
        while table.game.id not in self.archive:
            try:
                await asyncio.to_thread(self.archive.write, record)  # it waits for the disk
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
                self._changed(table)

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
        move = PASS if due.agent is None else await self._choose(table, due)
        await asyncio.sleep(max(0.0, self.limits.delay - (monotonic() - start)))
        try:
            self._play(table, move, chosen=False)
        except RefusedError as refusal:
            sys.stderr.write(f'{refusal}\n')
            await asyncio.sleep(RETRY_SECONDS)
            self._drive(table)

    async def _choose(self, table: SharedTable, due: Due) -> str:
        """Return the move of an agent; the advisor stands in if the agent fails."""
        state = table.game.state
        try:
            move = await self.thread.choose(str(due.agent), state)
            if move in state['raw_legal_actions']:
                return move
            problem = f'it chose {move!r:.60}, which is not legal'
        except Exception as error:  # a user's agent may raise anything
            problem = describe(error)
        sys.stderr.write(f'agent {due.agent} failed, and {ADVISOR} stands in: {problem:.200}\n')
        if due.agent == ADVISOR:
            return str(state['raw_legal_actions'][0])
        table.stand_ins[table.game.player] = ADVISOR
        return await self.thread.choose(ADVISOR, state)

    def _opponent(self, name: str, rules: Rules) -> Any:
        """Make an agent for scores, if it may be seated."""
        if name not in self.thread.names:
            raise RefusedError(422, f'agent {name} is not available on this server')
        return make_player(name, rules)

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
        table.stand_ins.update(dict.fromkeys(absent, ADVISOR))
        touched = table.touched
        self._publish(table)
        table.touched = touched  # this is no activity

    @contextmanager
    def listening(self, table: SharedTable, seat: int | None) -> Iterator[Stream]:
        """Register a stream of a client for the duration."""
        stream, person = Stream(seat), table.people.get(-1 if seat is None else seat)
        with self.streams.taken():
            table.streams.add(stream)
            if person is not None:
                person.streams += 1
            try:
                yield stream
            finally:
                table.streams.discard(stream)
                if person is not None:
                    person.streams -= 1
                    person.seen = monotonic()


@contextmanager
def _saving(undo: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Turn a failure to save into a refusal, after undoing the change."""
    try:
        yield
    except OSError as error:
        undo()
        raise RefusedError(
            503, f'the game cannot be saved, so nothing was changed: {error.strerror or error}', 5
        ) from error


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
