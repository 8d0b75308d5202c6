"""All tables: how they begin, what changes them, and what happens at them without anybody asking."""

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
from rlcard_big2.study.advice import ADVISOR, Advice
from rlcard_big2.study.game import Seat, Table
from rlcard_big2.study.review import dearest, decisions
from rlcard_big2.web.advisor_thread import Thinker
from rlcard_big2.web.archive import Archive, KeptJudge
from rlcard_big2.web.rate_limits import Limits, Rate, RefusedError, Slots
from rlcard_big2.web.store import Store
from rlcard_big2.web.tables import Due, SharedTable, Stream
from rlcard_kit.errors import describe, text_of

ME, OPEN = 'me', 'open'
RETRY_SECONDS = 5.0  # after a move of an agent that could not be kept
FULL = 'there are too many tables: finish one, or try again later'


class Hall:
    """Keeps all tables, has agents move, and keeps what changed.

    Args:
        folder: for tables and games.
        agents: names of those that may be seated, beside the advisor.
        limits: of what clients may ask for.
    """

    def __init__(self, folder: Path, agents: list[str], limits: Limits) -> None:
        self.limits = limits
        self.thinker = Thinker(agents, limits.looks)
        self.store = Store(folder)
        self.archive = Archive(folder)
        self.judge = KeptJudge(self.thinker.analyst, self._opponent, self.archive)
        self.tables: dict[str, SharedTable] = {}
        self.streams = Slots(limits.streams, 'streams', 5)
        self.studies = Slots(limits.studies, 'analyses', 1)
        self.looks = Slots(limits.looks, 'deep looks', 2)
        self.moves = Rate(limits.moves_per_second, 1, 'moves')
        self.new_tables = Rate(limits.tables_per_minute, 60, 'new tables')
        self._drivers: dict[str, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    # Beginning and end of the server

    async def open(self) -> None:
        """Take up all tables where they were left, and begin to look after them."""
        for table in self.store.load():
            self.tables[table.id] = table
            if table.game.is_over:
                self._start(self._finish(table))
            self._drive(table)
        self._start(self._keep_house())

    def hang_up(self) -> None:
        """End all streams."""
        for table in self.tables.values():
            for stream in table.streams:
                stream.is_over = True
                stream.changed.set()

    async def close(self) -> None:
        """End everything that runs; the tables are on disk."""
        for task in [*self._tasks, *self._drivers.values()]:
            task.cancel()
        self.thinker.close()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # Tables

    def find(self, name: str) -> SharedTable:
        """Return a table by its id; RefusedError if there is none."""
        if name not in self.tables:
            raise RefusedError(404, 'there is no such table: it may have been idle for a day')
        return self.tables[name]

    def create(
        self, seats: list[str], rules: Rules, person: str, practice: bool, position: Record | None
    ) -> tuple[SharedTable, int, str]:
        """Begin a table.

        Args:
            seats: four of ME, once; OPEN; and names of agents.
            rules: to play by.
            person: the name of whoever asks.
            practice: whether advice is given.
            position: to begin from; None deals at random.

        Returns:
            The table, the seat of the person and the token that proves it.
        """
        self._make_room()
        known = [Seat(person) if one == ME else None if one == OPEN else Seat(one, one) for one in seats]
        game = Table(known, rules)
        if position is not None:
            game.deal(position)
        first_time = position is None or not (position.moves or self.archive.knows_deal(game.record()))
        table = SharedTable(game, practice=practice, first_time=first_time)
        seat = seats.index(ME)
        token = table.seat_person(seat, person)
        with _kept():
            self.store.save(table)
        self.tables[table.id] = table
        self._drive(table)
        return table, seat, token

    def _make_room(self) -> None:
        """Let the games that ended and that nobody looks at go if there are too many tables."""
        over = [table for table in self.tables.values() if table.record_id is not None and not table.streams]
        for table in sorted(over, key=lambda table: table.touched):
            if len(self.tables) < self.limits.tables:
                return
            self._drop(table)
        if len(self.tables) >= self.limits.tables:
            raise RefusedError(429, FULL, 60)

    def _drop(self, table: SharedTable) -> None:
        del self.tables[table.id]
        driver = self._drivers.pop(table.id, None)
        if driver is not None:
            driver.cancel()
        with suppress(OSError):  # it goes at the next start
            self.store.forget(table)

    # What people do

    def sit(self, table: SharedTable, seat: int | None, name: str) -> tuple[int, str]:
        """Give an open seat to a person; return the seat and the token that proves it."""
        free = table.open_seats()
        if not free:
            raise RefusedError(409, 'no seat is open at this table')
        if seat is not None and seat not in free:
            raise RefusedError(409, f'seat {seat} is taken: {", ".join(map(str, free))} is open')
        seat = free[0] if seat is None else seat
        token = table.seat_person(seat, name)
        self._changed(table)
        return seat, token

    def move(self, table: SharedTable, move: str) -> None:
        """Make a move of the seat to move, and keep it; one that cannot be kept is not made."""
        self._play(table, move, chosen=True)

    def _play(self, table: SharedTable, move: str, chosen: bool) -> None:
        table.game.play(move, chosen)
        with _kept(table.game.step_back):
            self.store.save(table)
        self._told(table)
        if table.game.is_over:
            self._start(self._finish(table))

    def take_back(self, table: SharedTable, seat: int) -> None:
        """Go back to the previous choice of a person."""
        if not table.game.take_back(seat):
            raise RefusedError(409, 'there is nothing to take back')
        self._changed(table)

    def leave(self, table: SharedTable, seat: int) -> None:
        """Give the seat of a person to the advisor for good."""
        table.leave(seat)
        self._changed(table)

    def set_press(self, table: SharedTable, seat: int, press: bool) -> None:
        """Leave forced passes to a person, or not."""
        table.people[seat].press = press
        self._changed(table)

    async def advise(self, table: SharedTable) -> tuple[int, Advice]:
        """Return advice for the seat to move, and the ply that it is for; it is noted in the record."""
        ply = table.game.ply
        advice = await self.thinker.advise(table.game.state)
        if table.game.ply == ply and ply not in table.game.help['advice']:
            table.game.note_advice()
            self._changed(table)
        return ply, advice

    async def look(self, state: dict[str, Any]) -> dict[str, Any]:
        """Return a deep look at a state of a seat; RefusedError if too many are going on."""
        with self.looks.taken():
            return await self.thinker.look(state)

    def greet(self, table: SharedTable, seat: int | None) -> None:
        """Note a sign of a person, who takes the seat back if an agent stands in."""
        if seat is None:
            return
        table.people[seat].seen = monotonic()
        table.touched = monotonic()
        if table.stand_ins.pop(seat, None) is not None or not table.here.get(seat):
            table.here[seat] = True
            self._told(table)

    def view(self, table: SharedTable, seat: int | None) -> str:
        """Return what a seat or a spectator sees, as JSON."""
        return table.view_text(seat, self.limits.away, self.limits.delay)

    # What follows

    def _changed(self, table: SharedTable) -> None:
        """Keep a table that was changed by something other than a move, and tell everybody."""
        try:
            self.store.save(table)
        except OSError as error:
            sys.stderr.write(f'table {table.id} cannot be kept until its next move: {text_of(error)}\n')
        self._told(table)

    def _told(self, table: SharedTable) -> None:
        table.publish()
        self._drive(table)

    async def _finish(self, table: SharedTable) -> None:
        """Add a game that has ended to the games, once, and find the dearest choices of the people at its table."""
        record, seats = table.record(), [seat for seat in table.people if seat not in table.choices]
        while table.game.id not in self.archive:
            try:
                await asyncio.to_thread(self.archive.write, record)  # which waits for the disk
                self.archive.refresh()
            except OSError as error:
                sys.stderr.write(f'game {table.game.id} cannot be kept yet: {text_of(error)}\n')
                await asyncio.sleep(RETRY_SECONDS)
        table.record_id = table.game.id
        self._told(table)
        if seats:
            found = await self.thinker.study(lambda: list(decisions(record, self.thinker.analyst)))
            for seat in seats:
                table.choices[seat] = [one.to_json() for one in dearest(one for one in found if one.seat == seat)]
            if table.id in self.tables:
                self._changed(table)

    # Agents

    def _drive(self, table: SharedTable) -> None:
        """Begin anew to wait for what happens at a table without a person."""
        driver = self._drivers.pop(table.id, None)
        current = asyncio.current_task()
        if driver is not None and driver is not current:
            driver.cancel()
        if table.id in self.tables and table.due() is not None:
            self._drivers[table.id] = asyncio.get_running_loop().create_task(self._wait_and_play(table))

    async def _wait_and_play(self, table: SharedTable) -> None:
        """Make one move, after a time that does not tell how long was thought."""
        due = table.due()
        if due is None:
            return
        start = monotonic()
        move = PASS if due.agent is None else await self._think(table, due)
        await asyncio.sleep(max(0.0, self.limits.delay - (monotonic() - start)))
        try:
            self._play(table, move, chosen=False)
        except RefusedError as refusal:
            sys.stderr.write(f'{refusal}\n')
            await asyncio.sleep(RETRY_SECONDS)
            self._drive(table)

    async def _think(self, table: SharedTable, due: Due) -> str:
        """Return the move of an agent; the advisor stands in for one that fails."""
        state = table.game.state
        try:
            move = await self.thinker.choose(str(due.agent), state)
            if move in state['raw_legal_actions']:
                return move
            problem = f'it chose {move!r:.60}, which is not legal'
        except Exception as error:  # an agent of the user may raise anything
            problem = describe(error)
        sys.stderr.write(f'agent {due.agent} failed, and {ADVISOR} stands in: {problem:.200}\n')
        if due.agent == ADVISOR:
            return str(state['raw_legal_actions'][0])
        table.stand_ins[table.game.player] = ADVISOR
        return await self.thinker.choose(ADVISOR, state)

    def _opponent(self, name: str, rules: Rules) -> Any:
        """Return an agent for the thread of analyses, of those that may be seated."""
        if name not in self.thinker.names:
            raise RefusedError(422, f'{name} is not seated by this server')
        return self.thinker.make(name, rules)

    # Every second

    async def _keep_house(self) -> None:
        """Note who is away, and let idle tables go."""
        while True:
            await asyncio.sleep(min(1.0, self.limits.away / 4))
            for table in list(self.tables.values()):
                if monotonic() - table.touched > self.limits.idle and not table.streams:
                    self._drop(table)
                else:
                    self._look_round(table)

    def _look_round(self, table: SharedTable) -> None:
        """Have agents stand in for people who are away while others are here."""
        here = {seat: person.is_here(self.limits.away) for seat, person in table.people.items()}
        waited_for = any(here.values()) and not table.game.is_over
        absent = [seat for seat in here if not here[seat] and waited_for and seat not in table.stand_ins]
        if not absent and here == table.here:
            return
        table.here = here
        table.stand_ins.update(dict.fromkeys(absent, ADVISOR))
        touched = table.touched
        self._told(table)
        table.touched = touched  # nobody did anything

    @contextmanager
    def listening(self, table: SharedTable, seat: int | None) -> Iterator[Stream]:
        """Tell a client of the changes of a table for a while."""
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
def _kept(undo: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Refuse what cannot be kept, after undoing it."""
    try:
        yield
    except OSError as error:
        undo()
        raise RefusedError(
            503, f'the game cannot be kept, so nothing was changed: {error.strerror or error}', 5
        ) from error


def check_seats(seats: object, agents: list[str]) -> list[str]:
    """Return who is to sit in the four seats; RefusedError says what is wrong."""
    if not isinstance(seats, list) or len(seats) != NUM_PLAYERS:
        raise RefusedError(422, 'seats must be a list of four: "me" once, "open", and names of agents')
    for one in seats:
        if one not in (ME, OPEN, *agents):
            raise RefusedError(422, f'{one!r:.60} may not be seated: choose of {ME}, {OPEN}, {", ".join(agents)}')
    if seats.count(ME) != 1:
        raise RefusedError(422, f'seats hold "me" {seats.count(ME)} times: it must be there once')
    return seats
