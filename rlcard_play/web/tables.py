"""A table on the server: its people, and their views."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from secrets import compare_digest, token_urlsafe
from time import monotonic
from typing import Any

from rlcard_play.study.played import PlayedGame
from rlcard_play.study.protocols import GameRecord, Json
from rlcard_play.study.seated_game import ID_BYTES, Seat, SeatedGame
from rlcard_play.web.archive import mark_of
from rlcard_play.web.rate_limits import Limits, RefusedError

MAX_NAME = 40  # characters of a person's name
LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ'  # of codes to join by
CODE_LETTERS = 6
EARLY = 0.25  # of the delay, until a person has chosen a move
PHRASES = 'hello', 'luck', 'well', 'oops', 'thanks', 'again'  # that people say to each other


@dataclass
class Person:
    """A person in a seat."""

    token: str  # SHA-256 of the person's cookie
    press: bool  # whether the person makes forced moves
    browser: str  # SHA-256 of the key of the person's browser
    ready: bool = False  # to start
    streams: int = 0
    seen: float = field(default_factory=monotonic)  # the last request, or the end of the last stream

    def is_here(self, away: float) -> bool:
        """Return whether the person has an open stream or a recent request."""
        return self.streams > 0 or monotonic() - self.seen < away


@dataclass(frozen=True)
class Session:
    """Deals that the same players have played one after the other."""

    deals: int  # number of finished ones
    totals: Sequence[int]  # sums of the seats' payoffs in them

    def after(self, payoffs: Iterable[int]) -> 'Session':
        """Return the session with one more deal."""
        return Session(self.deals + 1, tuple(map(sum, zip(self.totals, payoffs, strict=True))))


@dataclass(frozen=True)
class Terms:
    """Limits and conditions of a table, set before the game; 0 means no limit."""

    wait: bool = False  # whether the host starts the game, if there are open seats
    clock: int = 0  # seconds for a move of a person, after which the advisor makes it
    deals: int = 0  # number after which a session ends
    points: int = 0  # total of a seat with which it ends

    def end(self, session: Session) -> bool:
        """Return whether a session is over."""
        return 0 < self.deals <= session.deals or 0 < self.points <= max(session.totals)


class SharedTable:
    """A table with people, agents and spectators.

    Args:
        played: the kind of game.
        game: with the players.
        practice: whether advice and take-backs are allowed.
        first_time: whether the deal is played for the first time.
        name: id of the table; '' makes a new one.
        nonce: hides the deal in the commitment; '' makes a new one.
    """

    def __init__(
        self, played: PlayedGame, game: SeatedGame, *, practice: bool, first_time: bool, name: str = '', nonce: str = ''
    ) -> None:
        self.played = played
        self.game = game
        self.practice = practice
        self.first_time = first_time
        self.id = name or token_urlsafe(ID_BYTES)
        self.nonce = nonce or token_urlsafe(ID_BYTES)
        self.code = played.deal_code(game.record())
        self.commitment = sha256((self.code + self.nonce).encode()).hexdigest()
        self.begun = game.ply  # moves made before the people joined
        self.version = 1
        self.people: dict[int, Person] = {}
        self.stand_ins: dict[int, str] = {}  # seat to agent
        self.choices: dict[int, list[Json]] = {}  # costliest mistakes of people, after the end
        self.record_id: str | None = None  # once the game is in the archive
        self.streams: set[Any] = set()  # of `EventStream`, each with a `seat` and the event `changed`
        self.touched = monotonic()  # by a person, or the end of a stream
        self.address = ''  # of the client that began it; not saved
        self.here: dict[int, bool] = {}  # as last published
        self.earlier = Session(0, (0,) * len(game.seats))
        self.next: str | None = None  # the table of the next deal
        self.terms = Terms()
        self.said: dict[int, tuple[int, str]] = {}  # by seat: the ply, and one of PHRASES
        self._turn = (game.ply, monotonic())  # and since when
        self.waiting = False  # for its host to start; until then, nobody sees a hand
        letters = sha256(f'join {self.id}'.encode()).digest()[:CODE_LETTERS]
        self.join_code = ''.join(LETTERS[byte % len(LETTERS)] for byte in letters)  # while it waits
        self._texts: dict[int | None, str] = {}
        if practice:
            game.help['practice'] = True

    # Seats

    def seat_person(self, seat: int, name: str, browser: str) -> str:
        """Give a seat to a person; return the token for the cookie. Control characters leave the name."""
        token = token_urlsafe(ID_BYTES)
        shown = ''.join(letter for letter in name if letter.isprintable()).strip()
        self.game.seats[seat] = Seat(shown[:MAX_NAME] or 'Player')
        if self.people or 'seats' in self.game.help:
            self.note(seat, 'joined')
        self.people[seat] = Person(hash_of(token), False, browser)
        self.touched = monotonic()
        self.here[seat] = True
        return token

    def note(self, seat: int, event: str) -> None:
        """Note a change of who plays in a seat: 'joined', 'left', 'replaced' by an agent for a while, or 'returned'.

        A person may have seen several hands, so the game counts as one with help. Before the start nobody has.
        """
        if self.waiting:
            return
        self.game.help.setdefault('seats', []).append({'ply': self.game.ply, 'seat': seat, 'event': event})

    def replace(self, seat: int, agent: str) -> None:
        """Let an agent stand in for the player of a seat."""
        self.stand_ins[seat] = agent
        self.note(seat, 'replaced')

    def seat_of(self, tokens: Iterable[str]) -> int | None:
        """Return the seat of one of the tokens, or None."""
        given = [hash_of(token) for token in tokens]
        known = self.people.items()
        return next(
            (seat for seat, person in known if any(compare_digest(person.token, token) for token in given)), None
        )

    def open_seats(self) -> list[int]:
        """Return the open seats."""
        return [seat for seat, known in enumerate(self.game.seats) if known is None]

    def leave(self, seat: int) -> None:
        """Give the seat of a person to the advisor."""
        self.note(seat, 'left')
        del self.people[seat]
        self.stand_ins.pop(seat, None)
        self.here.pop(seat, None)
        self.game.seats[seat] = None if self.waiting else Seat(self.played.advisor, self.played.advisor)
        for stream in self.streams:
            if stream.seat == seat:
                stream.seat = None

    @property
    def has_moves(self) -> bool:
        """Whether a person's seat has moved."""
        return any(seat in self.people for seat, _ in self.game.trace[self.begun :])

    @property
    def host(self) -> int | None:
        """The seat of the first person, who starts the game."""
        return next(iter(self.people), None)

    def start(self) -> None:
        """Start the game; the advisor takes open seats."""
        for seat in self.open_seats():
            self.game.seats[seat] = Seat(self.played.advisor, self.played.advisor)
        self.waiting, self._turn = False, (self.game.ply, monotonic())

    def following(self) -> 'SharedTable':
        """Return a new table, for the next deal of the same players."""
        is_new = self.terms.end(self.session)
        table = SharedTable(self.played, self.game.following(is_new), practice=self.practice, first_time=True)
        table.people = {
            seat: Person(person.token, person.press, person.browser) for seat, person in self.people.items()
        }
        table.here = dict.fromkeys(table.people, True)
        for seat in list(table.people)[1:]:
            table.note(seat, 'joined')
        table.terms, table.address = self.terms, self.address
        if not is_new:
            table.earlier = self.session
        return table

    @property
    def session(self) -> Session:
        """The session up to this deal, which counts when it is over."""
        return self.earlier.after(self.game.env.get_payoffs().tolist()) if self.game.is_over else self.earlier

    # Automatic moves

    def due(self) -> str | None:
        """Return the agent to move, '' if a forced move is due, or None if a person is to move or the game is over."""
        game = self.game
        if game.is_over or self.waiting:
            return None
        seat = game.seats[game.player]
        agent = self.stand_ins.get(game.player, None if seat is None else seat.agent)
        person = self.people.get(game.player)
        is_forced = person is not None and game.is_forced and not person.press
        return '' if agent is None and is_forced else agent

    def delay(self, limits: Limits) -> float:
        """Return the seconds before an automatic move: fewer until a person has chosen one, so that this comes soon."""
        return limits.delay * (EARLY if self.people and not self.game.has_choices else 1)

    @property
    def seconds_left(self) -> float | None:
        """The time that the person to move has left; None without a clock, or if no person is to move."""
        is_timed = self.terms.clock and not self.waiting and not self.game.is_over and self.due() is None
        left = self._turn[1] + self.terms.clock - monotonic()
        return max(0.0, left) if is_timed and self.game.player in self.people else None

    # Views

    def view(self, seat: int | None, limits: Limits) -> str:
        """Return the view of a seat, or of a spectator if it is None, as JSON, cached until the next version."""
        if seat not in self._texts or self.seconds_left is not None:
            self._texts[seat] = as_json(self._view(seat, limits))
        return self._texts[seat]

    def _view(self, seat: int | None, limits: Limits) -> Json:
        game, person = self.game, self.people.get(-1 if seat is None else seat)
        is_forced = person is not None and game.player == seat and self.due() == ''
        return {
            'version': self.version,
            'table': self.id,
            'game': self.played.key,
            'you': seat,
            **self.played.seat_view(game, None if self.waiting else seat),
            **(self._waiting_view(seat) if self.waiting else {}),
            'terms': asdict(self.terms),
            'clock': self.seconds_left,
            'said': {i: phrase for i, (ply, phrase) in self.said.items() if ply == game.ply},
            'seats': [self._seat_view(i, min(limits.absent, limits.away)) for i in range(len(game.seats))],
            'practice': self.practice,
            'deal': {'commitment': self.commitment},
            'auto': self.delay(limits) if is_forced else None,
            'press': person is not None and person.press,
            'advice_at': list(game.help['advice']),
            'first_time': self.first_time,
            'over': self._over_view(seat) if game.is_over else None,
        }

    def _seat_view(self, seat: int, away: float) -> Json:
        known, person = self.game.seats[seat], self.people.get(seat)
        return {
            'name': '' if known is None else known.name,
            'agent': None if known is None else known.agent,
            'here': person.is_here(away) if person is not None else known is not None,
            'open': known is None,
            'stand_in': self.stand_ins.get(seat),
        }

    def _waiting_view(self, seat: int | None) -> Json:
        code = None if seat is None or not self.open_seats() else self.join_code
        ready = [seat for seat, person in self.people.items() if person.ready]
        return {'to_move': None, 'waiting': {'host': self.host, 'code': code, 'ready': ready}}

    def _over_view(self, seat: int | None) -> Json:
        payoffs: list[int] = self.game.env.get_payoffs().tolist()
        return {
            'payoffs': payoffs,
            'winner': self.game.rules.winner_of(payoffs),
            **self.played.end_view(self.game),
            'deal': {'code': self.code, 'nonce': self.nonce, 'commitment': self.commitment},
            'record': self.record_id,
            'session': {**asdict(self.session), 'ended': self.terms.end(self.session)},
            'next': self.next,
            'choices': self.choices.get(-1 if seat is None else seat),  # None until they are computed
        }

    def publish(self) -> None:
        """Start a new version, and wake all streams."""
        self.version += 1
        self._texts.clear()
        if self.game.ply != self._turn[0]:
            self._turn = (self.game.ply, monotonic())
        for stream in self.streams:
            stream.changed.set()

    def record(self) -> GameRecord:
        """Return the record of the finished game; RefusedError before its end."""
        if not self.game.is_over:
            raise RefusedError(404, 'the record is available after the game')
        record = self.game.record()
        record.extra['first_time'] = self.first_time
        for seat, person in self.people.items():
            record.seats[seat]['mark'] = mark_of(person.browser, self.game.id)
        if self.begun:
            record.extra['begun'] = self.begun
        return record


def hash_of(token: str) -> str:
    """Return the SHA-256 of a secret."""
    return sha256(token.encode('utf-8', 'replace')).hexdigest()


def as_json(content: Any) -> str:
    """Write JSON without spaces."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(',', ':'))
