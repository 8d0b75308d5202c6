"""The application: routes of tables, and handlers of errors."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from io import BytesIO
from secrets import token_urlsafe
from typing import Any

import segno
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from rlcard_kit.errors import KitError
from rlcard_kit.rules import Rulebook
from rlcard_kit.version import __version__
from rlcard_play.study.played import PlayedGame
from rlcard_play.study.protocols import GameRecord, Json
from rlcard_play.study.seated_game import ID_BYTES, Seat
from rlcard_play.web.analysis import AnalysisApi
from rlcard_play.web.bundle import STATIC, page_script, sources_of, style_sheet
from rlcard_play.web.lobby import Lobby
from rlcard_play.web.middleware import KEY, Public, SecurityMiddleware, is_same
from rlcard_play.web.rate_limits import RefusedError
from rlcard_play.web.requests import (
    BROWSER,
    BROWSER_SECONDS,
    REQUIRED,
    EventStream,
    JsonResponse,
    browser_key,
    cookies,
    failed,
    read_body,
    read_fields,
)
from rlcard_play.web.tables import PHRASES, SharedTable, Terms, hash_of

COOKIE = 'seat'
ME, OPEN = 'me', 'open'
COOKIE_SECONDS = 30 * 86_400


class TableApi:
    """Handles the routes of tables.

    Args:
        lobby: of the tables.
        cookie: settings of a cookie by its path.
        public: the address at which a proxy shows the page, if one does.
    """

    def __init__(self, lobby: Lobby, cookie: Callable[[str], Json], public: Public | None) -> None:
        self.lobby = lobby
        self._public = public
        self._default = next(iter(lobby.games.values()))
        self.limits = lobby.limits
        self._cookie = cookie

    async def options(self, request: Request) -> Response:
        """Return the options of new tables."""
        games = [game.options() for game in self.lobby.games.values()]
        preparing = self.lobby.thread.is_preparing
        return JsonResponse({**games[0], 'games': games, 'version': __version__, 'preparing': preparing})

    async def new_table(self, request: Request) -> Response:
        """Start a table, and seat the client."""
        self.lobby.new_tables.take(request['client'][0])
        body = await read_body(request, self.limits.record, self.limits.body_seconds)
        kind, seats, given, deal, practice, name, *terms = read_fields(
            body, game=self._default.key, seats=None, rules=None, deal=None, practice=True, name=None,
            wait=False, clock=0, deals=0, points=0,
        )  # fmt: skip
        game = self.lobby.game(kind)
        rules = game.rules.from_json(game.default_rules if given is None else given)
        position = self._position(game, deal, rules, given is None)
        if position is not None and not practice:
            raise RefusedError(422, 'tables with a given deal are for practice: omit deal, or set practice to true')
        rules = rules if position is None else position.rules
        seats = _check_seats(seats, game.agents_for(rules), rules.players)
        seated = game.seated([None if agent in (ME, OPEN) else Seat(agent, agent) for agent in seats], rules)
        if position is not None:
            seated.deal(position)
        is_new = position is None or not (position.moves or self.lobby.archive.knows_deal(game, seated.record()))
        table = SharedTable(game, seated, practice=practice, first_time=is_new)
        table.terms, table.address = Terms(*terms), request['client'][0]
        table.waiting = table.terms.wait and OPEN in seats
        seat, key = seats.index(ME), browser_key(request) or token_urlsafe(ID_BYTES)
        token = table.seat_person(seat, name or '', hash_of(key))
        self.lobby.add(table)
        return self._seated(table, seat, token, 201, key)

    def _position(self, game: PlayedGame, deal: object, rules: Rulebook, free: bool) -> GameRecord | None:
        """Return the deal or position to start from; `free` if the rules of a record apply."""
        if deal is None:
            return None
        if isinstance(deal, str):
            record = game.find_deal(deal.strip(), rules)
            if record is None:
                raise RefusedError(422, f'{deal[:60]!r} is not a deal: expected seed/number or a deal code')
            return record
        if not isinstance(deal, dict) or not isinstance(deal.get('record'), dict):
            raise RefusedError(422, 'deal must be seed/number, a deal code, or {"record": {...}, "ply": n}')
        given, ply = read_fields(deal, record=None, ply=None)
        record = game.records.parse(given)
        position = record if ply is None else record.at(ply)
        if position.payoffs is not None:
            raise RefusedError(422, f'the game is over: choose a ply from 0 to {len(record.moves) - 1}')
        if not free and position.rules != rules:
            raise RefusedError(422, f'the record has the rules {position.rules.title}, not {rules.title}: omit rules')
        return position

    def _seated(self, table: SharedTable, seat: int, token: str, status: int, key: str | None = None) -> Response:
        """Return the view of a seat with its cookie, and that of the browser if its key is given."""
        text = f'{{"table":"{table.id}","seat":{seat},"view":{table.view(seat, self.limits)}}}'
        answer = Response(text, status, media_type='application/json')
        answer.set_cookie(COOKIE, token, COOKIE_SECONDS, samesite='strict', **self._cookie(f'/api/tables/{table.id}'))
        if key is not None:
            answer.set_cookie(BROWSER, key, BROWSER_SECONDS, samesite='strict', **self._cookie('/api'))
        return answer

    async def next_deal(self, request: Request) -> Response:
        """Seat the client at the table of the next deal, where the same players go on."""
        table, seat, _ = await self._asked(request)
        if not table.game.is_over:
            raise RefusedError(409, 'the game is not over')
        if table.next not in self.lobby.tables:
            self.lobby.new_tables.take(request['client'][0])
        following = self.lobby.next_table(table)
        tokens = cookies(request.headers, COOKIE)
        token = next((token for token in tokens if following.seat_of([token]) == seat), None)
        if token is None:
            raise RefusedError(409, 'you have left the table of the next deal')
        self.lobby.mark_present(following, seat)
        return self._seated(following, seat, token, 201)

    async def view(self, request: Request) -> Response:
        """Return the view of the client."""
        table, seat = self._at(request)
        return self._view(table, seat)

    async def events(self, request: Request) -> Response:
        """Stream views as the table changes."""
        table, seat = self._at(request)
        return EventStream(self.lobby, table, seat)

    async def sit(self, request: Request) -> Response:
        """Take an open seat."""
        body = await self._body(request)
        table, seat = self._at(request)
        wanted, name = read_fields(body, seat=None, name=None)
        if seat is not None:
            raise RefusedError(409, f'you already sit at this table, in seat {seat}')
        free = table.open_seats()
        if not free:
            raise RefusedError(409, 'this table has no open seat')
        seat = free[0] if wanted is None else wanted
        if seat not in free:
            raise RefusedError(409, f'seat {seat} is not open; open: {", ".join(map(str, free))}')
        key = browser_key(request) or token_urlsafe(ID_BYTES)
        token = table.seat_person(seat, name or '', hash_of(key))
        self.lobby.changed(table)
        return self._seated(table, seat, token, 200, key)

    async def by_code(self, request: Request) -> Response:
        """Return the table that a code of six letters names."""
        self.lobby.codes.take(request['client'][0])
        return JsonResponse({'table': self.lobby.find_open(request.path_params['code']).id})

    async def qr(self, request: Request) -> Response:
        """Draw the address of a table as a QR code."""
        table, _ = self._at(request)
        home, drawn = request.base_url if self._public is None else self._public.home, BytesIO()
        segno.make(f'{home}?table={table.id}', micro=False).save(drawn, 'svg', light='#fff')
        return Response(drawn.getvalue(), media_type='image/svg+xml')

    async def start(self, request: Request) -> Response:
        """Start the game of a table whose seats are taken; `fill` gives open ones to the advisor."""
        table, seat, (fill,) = await self._asked(request, fill=False)
        free = table.open_seats()
        if not table.waiting:
            raise RefusedError(409, 'the game has begun')
        if seat != table.host:
            raise RefusedError(403, 'only the host starts the game')
        if free and not fill:
            raise RefusedError(409, f'open seats: {", ".join(map(str, free))}; wait for others, or set fill to true')
        table.start()
        self.lobby.changed(table)
        return self._view(table, seat)

    async def say(self, request: Request) -> Response:
        """Say one of PHRASES to the others."""
        table, seat, (phrase,) = await self._asked(request, limited=True, phrase=REQUIRED)
        if phrase not in PHRASES:
            raise RefusedError(422, f'phrase is {phrase!r:.60}: choose from {", ".join(PHRASES)}')
        table.said[seat] = (table.game.ply, phrase)
        self.lobby.changed(table)
        return self._view(table, seat)

    async def move(self, request: Request) -> Response:
        """Make a move."""
        table, seat, (ply, move) = await self._asked(request, limited=True, ply=REQUIRED, move=REQUIRED)
        self._check_ply(table, ply)
        self._check_turn(table, seat)
        self.lobby.play(table, move)
        return self._view(table, seat)

    async def take_back(self, request: Request) -> Response:
        """Undo moves back to the person's previous choice."""
        table, seat, (ply,) = await self._asked(request, limited=True, ply=REQUIRED)
        self._check_practice(table)
        if len(table.people) > 1 or table.open_seats():
            raise RefusedError(403, 'no take-backs at a table for several people')
        if table.game.is_over:
            raise RefusedError(409, 'the game is over')
        self._check_ply(table, ply)
        if not table.game.take_back(seat):
            raise RefusedError(409, 'nothing to take back')
        self.lobby.changed(table)
        return self._view(table, seat)

    async def leave(self, request: Request) -> Response:
        """Give the client's seat to the advisor."""
        table, seat, _ = await self._asked(request)
        if not table.game.is_over:
            table.leave(seat)
            self.lobby.changed(table)
        answer = self._view(table, None)
        answer.delete_cookie(COOKIE, samesite='strict', **self._cookie(f'/api/tables/{table.id}'))
        return answer

    async def settings(self, request: Request) -> Response:
        """Set whether the person makes forced moves, and is ready to start."""
        body = await self._body(request)
        table, seat = self._seat(request, limited=True)
        person = table.people[seat]
        body = {'press': person.press, 'ready': person.ready, **body}
        person.press, person.ready = read_fields(body, press=False, ready=False)
        self.lobby.changed(table)
        return self._view(table, seat)

    async def advice(self, request: Request) -> Response:
        """Return the values of the client's legal moves, and a deep analysis of the best and of a selected one."""
        table, seat = self._seat(request, limited=True)
        self._check_practice(table)
        self._check_turn(table, seat)
        state, ply = table.game.state, table.game.ply
        played = table.played
        advice = await self.lobby.thread.advise(played.key, state)
        if table.game.ply == ply and ply not in table.game.help['advice']:
            table.game.note_advice()
            self.lobby.changed(table)
        deep, selected = None, request.query_params.get('move')
        if request.query_params.get('deep') == '1':
            deep = await self.lobby.thread.look(played.key, state, selected)
        values = played.advice_json(self.lobby.thread.games[played.key].advisor, advice, table.game.rules)
        return JsonResponse({'ply': ply, 'agent': played.advisor, **values, 'deep': deep})

    async def why(self, request: Request) -> Response:
        """Return why a move is not legal: in English, and as the code and the values of a sentence of the page."""
        table, seat = self._seat(request)
        self._check_turn(table, seat)
        move = request.query_params.get('move', '')
        try:
            table.game.env.legal_index(move, raw_action=True)
        except KitError as error:
            return JsonResponse({'why': str(error), **table.played.refusal(table.game.state, move)._asdict()})
        return JsonResponse({'why': ''})

    async def record(self, request: Request) -> Response:
        """Return the record of a finished game."""
        table, _ = self._at(request)
        return JsonResponse(table.played.records.to_dict(table.record()))

    # Shared by the routes

    async def _body(self, request: Request) -> Json:
        """Return the body of a request, to be read first: while it arrives, seats may change."""
        return await read_body(request, self.limits.body, self.limits.body_seconds)

    async def _asked(
        self, request: Request, limited: bool = False, **fields: Any
    ) -> tuple[SharedTable, int, list[Any]]:
        """Return the table, the seat and the fields of a request; see `_seat` and `read_fields`."""
        body = await self._body(request)
        return *self._seat(request, limited), read_fields(body, **fields)

    def _at(self, request: Request) -> tuple[SharedTable, int | None]:
        """Return the table of a request, and the seat of its cookie."""
        table = self.lobby.find(request.path_params['table'])
        seat = table.seat_of(cookies(request.headers, COOKIE))
        self.lobby.mark_present(table, seat)
        return table, seat

    def _seat(self, request: Request, limited: bool = False) -> tuple[SharedTable, int]:
        """Return the table and the seat of a request; RefusedError for spectators, or at too high a rate if limited."""
        table, seat = self._at(request)
        if seat is None:
            raise RefusedError(403, 'you do not sit at this table')
        if limited:
            self.lobby.moves.take(table.people[seat].token)
        return table, seat

    def _view(self, table: SharedTable, seat: int | None) -> Response:
        return Response(table.view(seat, self.limits), media_type='application/json')

    @staticmethod
    def _check_practice(table: SharedTable) -> None:
        if not table.practice:
            raise RefusedError(403, 'this table is strict: no advice, no take-backs')

    @staticmethod
    def _check_ply(table: SharedTable, ply: int) -> None:
        if ply != table.game.ply:
            raise RefusedError(409, f'ply is {ply}: the game is at ply {table.game.ply}')

    @staticmethod
    def _check_turn(table: SharedTable, seat: int) -> None:
        if table.game.is_over or table.waiting:
            raise RefusedError(409, 'the game is over' if table.game.is_over else 'the game has not begun')
        if table.game.player != seat:
            raise RefusedError(409, f'seat {table.game.player} is to move, not seat {seat}')


def _check_seats(seats: object, agents: Sequence[str], count: int) -> list[str]:
    """Return the seats of a request, `count` of them; RefusedError if they are not valid."""
    if not isinstance(seats, list) or len(seats) != count:
        raise RefusedError(422, f'seats must be a list of {count}: "me" once, "open", and names of agents')
    for name in seats:
        if name not in (ME, OPEN, *agents):
            raise RefusedError(422, f'{name!r:.60} cannot be seated: choose from {ME}, {OPEN}, {", ".join(agents)}')
    if seats.count(ME) != 1:
        raise RefusedError(422, f'seats have "me" {seats.count(ME)} times: expected once')
    return seats


def _routes(api: TableApi, games: AnalysisApi) -> list[Route | Mount]:
    table = '/api/tables/{table}'
    return [
        Route('/api/options', api.options),
        Route('/api/rules', games.rules),
        Route('/api/tables', api.new_table, methods=['POST']),
        Route(f'{table}/view', api.view),
        Route(f'{table}/events', api.events),
        Route(f'{table}/seat', api.sit, methods=['POST']),
        Route('/api/codes/{code}', api.by_code),
        Route(f'{table}/qr', api.qr),
        Route(f'{table}/start', api.start, methods=['POST']),
        Route(f'{table}/next', api.next_deal, methods=['POST']),
        Route(f'{table}/say', api.say, methods=['POST']),
        Route(f'{table}/moves', api.move, methods=['POST']),
        Route(f'{table}/takeback', api.take_back, methods=['POST']),
        Route(f'{table}/leave', api.leave, methods=['POST']),
        Route(f'{table}/settings', api.settings, methods=['POST']),
        Route(f'{table}/advice', api.advice),
        Route(f'{table}/why', api.why),
        Route(f'{table}/record', api.record),
        Route('/api/analyse', games.analyse, methods=['POST']),
        Route('/api/score', games.score),
        Route('/api/result', games.result),
        Route('/api/records', games.list_records),
        Route('/api/records', games.add_records, methods=['POST']),
        Route('/api/records/{record}', games.one_record),
        Route('/api/puzzles', games.list_puzzles),
        Route('/api/puzzles/{puzzle}', games.puzzle),
        Route('/api/puzzles/{puzzle}', games.solve, methods=['POST']),
        Mount('/static', routes=_static(api.lobby.games), middleware=[Middleware(GZipMiddleware)]),
    ]


def _static(games: Mapping[str, PlayedGame]) -> list[Route | Mount]:
    sources = sources_of({key: game.static for key, game in games.items()})
    return [
        Route('/page.js', _file(page_script(sources, games), 'text/javascript')),
        Route('/page.css', _file(style_sheet(sources, games), 'text/css')),
        *(Mount(f'/{key}', StaticFiles(directory=game.static)) for key, game in games.items()),
        Mount('', StaticFiles(directory=STATIC)),
    ]


def _file(text: str, media_type: str) -> Callable[[Request], Response]:
    """Return a route that answers a text, unless the browser has it."""
    headers = {'ETag': f'"{sha256(text.encode()).hexdigest()[:16]}"'}

    def answer(request: Request) -> Response:
        is_kept = request.headers.get('if-none-match') == headers['ETag']
        return Response('' if is_kept else text, 304 if is_kept else 200, headers, media_type)

    return answer


def new_app(lobby: Lobby, hosts: Iterable[str] = (), key: str | None = None, public: Public | None = None) -> ASGIApp:
    """Make the application.

    Args:
        lobby: opened and closed with the application.
        hosts: host names of the server, besides those of the loopback interface.
        key: required to start tables; None if only this machine can reach the server.
        public: the address at which a proxy shows the page, if one does.
    """

    def cookie(path: str) -> Json:
        prefix, scheme = ('', 'http') if public is None else (public.path, public.scheme)
        return {'path': prefix + path, 'secure': scheme == 'https', 'httponly': True}

    games = AnalysisApi(lobby, key is None, cookie)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await lobby.open()
        reading = asyncio.create_task(games.puzzles())
        yield
        reading.cancel()
        await lobby.close()

    async def index(request: Request) -> Response:
        given = request.query_params.get(KEY)
        if given is None:
            return FileResponse(STATIC / 'index.html')
        answer = RedirectResponse('.', 303)  # without the key, so that it can be copied
        if key is not None and is_same(given, key):
            answer.set_cookie(KEY, key, COOKIE_SECONDS, samesite='lax', **cookie('/'))
        return answer

    app = Starlette(
        routes=[Route('/', index), *_routes(TableApi(lobby, cookie, public), games)],
        exception_handlers=dict.fromkeys((RefusedError, KitError, HTTPException, Exception), failed),
        lifespan=lifespan,
    )
    return SecurityMiddleware(app, hosts, key, public)
