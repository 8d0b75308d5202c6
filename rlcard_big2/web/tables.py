"""One table: who sits there, what each of them sees, and what is kept of it."""

from asyncio import Event
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from secrets import compare_digest, token_urlsafe
from time import monotonic
from typing import Any, NamedTuple

from rlcard_big2 import records
from rlcard_big2.actions import PASS
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.records import Record, deal_code
from rlcard_big2.study.advice import ADVISOR
from rlcard_big2.study.game import ID_BYTES, Seat, Table
from rlcard_big2.study.views import table_view
from rlcard_big2.web.requests import as_json


@dataclass
class Person:
    """A person in a seat.

    Args:
        token: SHA-256 of what the person's cookie holds.
        press: whether forced passes are left to the person.
    """

    token: str
    press: bool = False
    streams: int = 0
    seen: float = field(default_factory=monotonic)  # the last request, or the end of the last stream

    def is_here(self, away: float) -> bool:
        """Tell whether there was a sign of the person."""
        return self.streams > 0 or monotonic() - self.seen < away


class Due(NamedTuple):
    """What happens next without a person: a move of an agent, or a pass if it is None."""

    agent: str | None


class Stream:
    """A client that is told when the table has changed.

    Args:
        seat: of the client; None for a spectator.
    """

    def __init__(self, seat: int | None) -> None:
        self.seat = seat
        self.changed = Event()
        self.is_over = False  # nothing more is to be sent


class SharedTable:
    """A table with people, agents and spectators.

    Args:
        game: that is played there.
        practice: whether advice is given and moves are taken back.
        first_time: whether nobody has played this deal before.
        name: of the table; a new one if it is None.
        nonce: what hides the deal in the commitment; likewise.
    """

    def __init__(
        self, game: Table, *, practice: bool, first_time: bool, name: str | None = None, nonce: str | None = None
    ) -> None:
        self.game = game
        self.practice = practice
        self.first_time = first_time
        self.id = name or token_urlsafe(ID_BYTES)
        self.nonce = nonce or token_urlsafe(ID_BYTES)
        self.code = _code_of(game.record())
        self.commitment = sha256((self.code + self.nonce).encode()).hexdigest()
        self.begun = game.ply  # moves that were made before people sat down
        self._start = records.to_dict(game.record())
        self.version = 1
        self.people: dict[int, Person] = {}
        self.stand_ins: dict[int, str] = {}  # seat to agent
        self.choices: dict[int, list[dict[str, Any]]] = {}  # of people, after the end: the dearest
        self.record_id: str | None = None  # once the game is kept
        self.streams: set[Stream] = set()
        self.touched = monotonic()
        self.here: dict[int, bool] = {}  # as it was told last
        self._texts: dict[int | None, str] = {}
        if practice:
            game.help['practice'] = True

    # Who sits there

    def seat_person(self, seat: int, name: str) -> str:
        """Give a seat to a person; return the token that proves it."""
        token = token_urlsafe(ID_BYTES)
        self.game.seats[seat] = Seat(name)
        self.people[seat] = Person(_hash(token))
        self.here[seat] = True
        return token

    def seat_of(self, token: str | None) -> int | None:
        """Return the seat that a token proves, or None."""
        if token is None:
            return None
        given = _hash(token)
        found = [seat for seat, person in self.people.items() if compare_digest(person.token, given)]
        return found[0] if found else None

    def open_seats(self) -> list[int]:
        """Return the seats in which nobody sits."""
        return [seat for seat, known in enumerate(self.game.seats) if known is None]

    def leave(self, seat: int) -> None:
        """Give the seat of a person to an agent for good."""
        del self.people[seat]
        self.stand_ins.pop(seat, None)
        self.here.pop(seat, None)
        self.game.seats[seat] = Seat(ADVISOR, ADVISOR)
        for stream in self.streams:
            if stream.seat == seat:
                stream.seat = None

    # What happens next

    def due(self) -> Due | None:
        """Return what happens next without a person, or None if a person is to move or the game is over."""
        game = self.game
        if game.is_over:
            return None
        seat = game.seats[game.player]
        agent = self.stand_ins.get(game.player, None if seat is None else seat.agent)
        if agent is not None:
            return Due(agent)
        person = self.people.get(game.player)
        return Due(None) if person is not None and game.must_pass and not person.press else None

    # What is seen

    def view(self, seat: int | None, away: float, delay: float) -> dict[str, Any]:
        """Return what a seat sees, or a spectator if it is None.

        Args:
            seat: of the viewer.
            away: seconds after which a person is no longer here.
            delay: seconds before a forced pass is made.
        """
        game, person = self.game, self.people.get(-1 if seat is None else seat)
        view = table_view(game, seat)
        passes = person is not None and not person.press and game.player == seat and view['legal'] == [PASS]
        return {
            'version': self.version,
            'table': self.id,
            'you': seat,
            **view,
            'seats': [self._seat_view(i, away) for i in range(NUM_PLAYERS)],
            'practice': self.practice,
            'deal': {'commitment': self.commitment},
            'auto': delay if passes else None,
            'press': person is not None and person.press,
            'advice_at': list(game.help['advice']),
            'first_time': self.first_time,
            'over': self._over_view(seat) if game.is_over else None,
        }

    def view_text(self, seat: int | None, away: float, delay: float) -> str:
        """Return the same as JSON, made once for each version."""
        if seat not in self._texts:
            self._texts[seat] = as_json(self.view(seat, away, delay))
        return self._texts[seat]

    def _seat_view(self, seat: int, away: float) -> dict[str, Any]:
        known, person = self.game.seats[seat], self.people.get(seat)
        return {
            'name': '' if known is None else known.name,
            'agent': None if known is None else known.agent,
            'here': person.is_here(away) if person is not None else known is not None,
            'open': known is None,
            'stand_in': self.stand_ins.get(seat),
        }

    def _over_view(self, seat: int | None) -> dict[str, Any]:
        payoffs: list[int] = self.game.env.get_payoffs().tolist()
        return {
            'payoffs': payoffs,
            'winner': payoffs.index(max(payoffs)),
            'hands': [player.current_hand for player in self.game.env.game.players],
            'deal': {'code': self.code, 'nonce': self.nonce, 'commitment': self.commitment},
            'record': self.record_id,
            'choices': self.choices.get(-1 if seat is None else seat),  # None until they are known
        }

    def publish(self) -> None:
        """Tell all streams of a new version; each takes the newest when it is ready."""
        self.version += 1
        self.touched = monotonic()
        self._texts.clear()
        for stream in self.streams:
            stream.changed.set()

    # What is kept

    def record(self) -> Record:
        """Return the record of the game so far."""
        record = self.game.record()
        record.extra['first_time'] = self.first_time
        if self.begun:
            record.extra['begun'] = self.begun
        return record

    def to_json(self) -> dict[str, Any]:
        """Return all that has to be kept of the table."""
        return {
            'table': self.id,
            'version': self.version,
            'practice': self.practice,
            'first_time': self.first_time,
            'nonce': self.nonce,
            'people': {str(seat): [person.token, person.press] for seat, person in self.people.items()},
            'seats': [None if seat is None else [seat.name, seat.agent] for seat in self.game.seats],
            'help': self.game.help,
            'choices': {str(seat): choices for seat, choices in self.choices.items()},
            'start': self._start,
            'moves': [text for _, text in self.game.trace[self.begun :]],
        }

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> 'SharedTable':
        """Return the table that `to_json` described; ValueError, KeyError or TypeError if it is damaged."""
        start = records.parse(kept['start'])
        seats = [None if seat is None else Seat(*seat) for seat in kept['seats']]
        game = Table(seats, start.rules)
        game.deal(start)
        game.id, game.started = start.extra['id'], start.extra['started']
        table = cls(
            game,
            practice=kept['practice'],
            first_time=kept['first_time'],
            name=str(kept['table']),
            nonce=str(kept['nonce']),
        )
        for move in kept['moves']:
            known = seats[game.player]
            game.play(move, chosen=known is not None and known.agent is None)
        game.help = kept['help']
        table.version = int(kept['version'])
        table.people = {int(seat): Person(*person) for seat, person in kept['people'].items()}
        table.choices = {int(seat): choices for seat, choices in kept['choices'].items()}
        table.here = dict.fromkeys(table.people, True)
        return table


def _hash(token: str) -> str:
    return sha256(token.encode('utf-8', 'replace')).hexdigest()


def _code_of(record: Record) -> str:
    """Return the code of the deal of a game whose hands are all known."""
    before = record.before
    played = (0,) * NUM_PLAYERS if before is None else before.played
    return deal_code([int(hand or 0) | gone for hand, gone in zip(record.hands, played, strict=True)])
