"""The server's routes: who may ask for what, and the answers."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from secrets import compare_digest
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from rlcard_big2 import records
from rlcard_big2.records import Record
from rlcard_big2.rules import PRESETS, Rules
from rlcard_big2.study.advice import ADVISOR
from rlcard_big2.web.analysis import find_deal
from rlcard_big2.web.games import GamesApi
from rlcard_big2.web.lobby import Hall, check_seats
from rlcard_big2.web.middleware import KEY, Guard
from rlcard_big2.web.puzzles import PuzzlesApi
from rlcard_big2.web.rate_limits import RefusedError, retry_header
from rlcard_big2.web.requests import (
    ID,
    JsonResponse,
    check_keys,
    flag,
    name_in,
    needed,
    read_body,
    seat_in,
    text_in,
    whole,
)
from rlcard_big2.web.sse import EventStream
from rlcard_big2.web.tables import SharedTable
from rlcard_kit.errors import KitError
from rlcard_kit.version import __version__

STATIC = Path(__file__).with_name('static')
COOKIE = 'seat'
COOKIE_SECONDS = 30 * 86_400
STRICT = 'this table is strict: there is no advice, and no move is taken back'


class Api:
    """Answers the routes under /api.

    Args:
        hall: of the tables.
    """

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self.limits = hall.limits

    # Tables

    async def options(self, request: Request) -> Response:
        """Say what tables can be started."""
        rules = [{'name': name, 'title': rules.title, 'fields': rules.fields()} for name, rules in PRESETS.items()]
        return JsonResponse(
            {'rules': rules, 'agents': self.hall.thinker.names, 'advisor': ADVISOR, 'version': __version__}
        )

    async def new_table(self, request: Request) -> Response:
        """Begin a table, and seat whoever asks."""
        self.hall.new_tables.take(_address(request))
        body = await read_body(request, self.limits.record, self.limits.body_seconds)
        check_keys(body, 'rules', 'seats', 'practice', 'name', 'deal')
        seats = check_seats(body.get('seats'), self.hall.thinker.names)
        given = body.get('rules')
        rules = Rules.from_json('charlesworth' if given is None else given)
        position = self._position(body.get('deal'), rules, given is None)
        practice = flag(body, 'practice', default=True)
        if position is not None and not practice:
            raise RefusedError(422, 'a deal that is given makes a practice table: leave the deal out, or practice')
        rules = rules if position is None else position.rules
        table, seat, token = self.hall.create(seats, rules, name_in(body), practice, position)
        return self._seated(table, seat, token, 201)

    def _position(self, deal: object, rules: Rules, free: bool) -> Record | None:
        """Return the deal or position that a table is to begin from; `free` if the rules are those of a record."""
        if deal is None:
            return None
        if isinstance(deal, str):
            found = find_deal(deal.strip(), rules)
            if found is None:
                raise RefusedError(422, f'{deal[:60]!r} is not a deal: give seed/number, or the 18 letters of its code')
            return found
        if not isinstance(deal, dict) or not isinstance(deal.get('record'), dict):
            raise RefusedError(422, 'deal must be seed/number, the code of a deal, or {"record": {...}, "ply": n}')
        check_keys(deal, 'record', 'ply')
        record = records.parse(deal['record'])
        ply = whole(deal, 'ply')
        position = record if ply is None else record.at(ply)
        if position.winner is not None:
            raise RefusedError(422, f'the game has ended: give a ply from 0 to {len(record.moves) - 1}')
        if not free and position.rules != rules:
            raise RefusedError(
                422, f'the record is of the rules {position.rules.title}, not {rules.title}: leave rules out'
            )
        return position

    def _seated(self, table: SharedTable, seat: int, token: str, status: int) -> Response:
        text = self.hall.view(table, seat)
        beside = f'"table":"{table.id}","seat":{seat}'
        answer = Response(f'{{{beside},"view":{text}}}', status, media_type='application/json')
        path = f'/api/tables/{table.id}'
        answer.set_cookie(COOKIE, token, COOKIE_SECONDS, path=path, httponly=True, samesite='strict')
        return answer

    async def view(self, request: Request) -> Response:
        """Say what a seat sees, or a spectator."""
        table, seat = self._at(request)
        return self._view(table, seat)

    async def events(self, request: Request) -> Response:
        """Send a view whenever the table has changed."""
        table, seat = self._at(request)
        return EventStream(self.hall, table, seat)

    async def sit(self, request: Request) -> Response:
        """Take an open seat."""
        table, seat = self._at(request)
        body = await self._body(request)
        check_keys(body, 'seat', 'name')
        if seat is not None:
            raise RefusedError(409, f'you sit at this table already, in seat {seat}')
        seat, token = self.hall.sit(table, seat_in(body), name_in(body))
        return self._seated(table, seat, token, 200)

    async def move(self, request: Request) -> Response:
        """Make a move, once."""
        table, seat = self._seat(request)
        self.hall.moves.take(table.people[seat].token)
        body = await self._body(request)
        check_keys(body, 'ply', 'move')
        self._check_ply(table, needed(body, 'ply'))
        self._check_turn(table, seat)
        self.hall.move(table, text_in(body, 'move'))
        return self._view(table, seat)

    async def take_back(self, request: Request) -> Response:
        """Go back to the person's previous choice."""
        table, seat = self._seat(request)
        self.hall.moves.take(table.people[seat].token)
        body = await self._body(request)
        check_keys(body, 'ply')
        if not table.practice:
            raise RefusedError(403, STRICT)
        if len(table.people) > 1 or table.open_seats():
            raise RefusedError(403, 'several people sit at this table, so no move is taken back')
        if table.game.is_over:
            raise RefusedError(409, 'the game is over: begin again from one of its positions')
        self._check_ply(table, needed(body, 'ply'))
        self.hall.take_back(table, seat)
        return self._view(table, seat)

    async def leave(self, request: Request) -> Response:
        """Give the seat to an agent for good."""
        table, seat = self._seat(request)
        check_keys(await self._body(request))
        if not table.game.is_over:
            self.hall.leave(table, seat)
        answer = self._view(table, None)
        answer.delete_cookie(COOKIE, path=f'/api/tables/{table.id}', httponly=True, samesite='strict')
        return answer

    async def settings(self, request: Request) -> Response:
        """Leave forced passes to the person, or not."""
        table, seat = self._seat(request)
        self.hall.moves.take(table.people[seat].token)
        body = await self._body(request)
        check_keys(body, 'press')
        self.hall.set_press(table, seat, flag(body, 'press', default=False))
        return self._view(table, seat)

    async def advice(self, request: Request) -> Response:
        """Say what the moves of the seat to move are worth to it."""
        table, seat = self._seat(request)
        if not table.practice:
            raise RefusedError(403, STRICT)
        self.hall.moves.take(table.people[seat].token)
        self._check_turn(table, seat)
        state = table.game.state
        ply, advice = await self.hall.advise(table)
        deep = await self.hall.look(state) if request.query_params.get('deep') == '1' else None
        calibrated = self.hall.thinker.advisor.calibration(table.game.rules) is not None
        moves = [move.to_json() for move in advice.moves]
        return JsonResponse({'ply': ply, 'agent': ADVISOR, 'calibrated': calibrated, 'moves': moves, 'deep': deep})

    async def why(self, request: Request) -> Response:
        """Say why a move is not legal."""
        table, seat = self._seat(request)
        self._check_turn(table, seat)
        try:
            table.game.env.legal_index(request.query_params.get('move', ''), raw_action=True)
        except KitError as error:
            return JsonResponse({'why': str(error)})
        return JsonResponse({'why': ''})

    async def record(self, request: Request) -> Response:
        """Return the record of a game that has ended."""
        table, _ = self._at(request)
        if not table.game.is_over:
            raise RefusedError(404, 'there is no record before the end of the game')
        return JsonResponse(records.to_dict(table.record()))

    # What requests have in common

    async def _body(self, request: Request) -> dict[str, Any]:
        return await read_body(request, self.limits.body, self.limits.body_seconds)

    def _at(self, request: Request) -> tuple[SharedTable, int | None]:
        """Return the table that a request names, and the seat that its cookie proves."""
        name = request.path_params['table']
        if not ID.fullmatch(name):
            raise RefusedError(404, 'there is no such table')
        table = self.hall.find(name)
        seat = next((seat for token in _tokens(request) if (seat := table.seat_of(token)) is not None), None)
        self.hall.greet(table, seat)
        return table, seat

    def _seat(self, request: Request) -> tuple[SharedTable, int]:
        """Return the same for a request of which only people in their seats are allowed."""
        table, seat = self._at(request)
        if seat is None:
            raise RefusedError(403, 'you do not sit at this table')
        return table, seat

    def _view(self, table: SharedTable, seat: int | None) -> Response:
        return Response(self.hall.view(table, seat), media_type='application/json')

    @staticmethod
    def _check_ply(table: SharedTable, ply: int) -> None:
        if ply != table.game.ply:
            passed = 'has passed' if ply < table.game.ply else 'has not come yet'
            raise RefusedError(409, f'ply {ply} {passed}: the game is at ply {table.game.ply}')

    @staticmethod
    def _check_turn(table: SharedTable, seat: int) -> None:
        if table.game.is_over:
            raise RefusedError(409, 'the game is over')
        if table.game.player != seat:
            raise RefusedError(409, f'seat {table.game.player} is to move, not seat {seat}')


def _address(request: Request) -> str:
    return request.client.host if request.client is not None else ''


def _tokens(request: Request) -> list[str]:
    """Return what the cookies of the seat hold; paths may give a browser several of that name."""
    found = []
    for part in request.headers.get('cookie', '').split(';'):
        name, _, value = part.strip().partition('=')
        if name == COOKIE:
            found.append(value.strip('"'))
    return found[:4]


def _routes(hall: Hall) -> list[Route | Mount]:
    api, games, puzzles = Api(hall), GamesApi(hall), PuzzlesApi(hall)
    table = '/api/tables/{table}'
    return [
        Route('/api/options', api.options),
        Route('/api/tables', api.new_table, methods=['POST']),
        Route(f'{table}/view', api.view),
        Route(f'{table}/events', api.events),
        Route(f'{table}/seat', api.sit, methods=['POST']),
        Route(f'{table}/moves', api.move, methods=['POST']),
        Route(f'{table}/takeback', api.take_back, methods=['POST']),
        Route(f'{table}/leave', api.leave, methods=['POST']),
        Route(f'{table}/settings', api.settings, methods=['POST']),
        Route(f'{table}/advice', api.advice),
        Route(f'{table}/why', api.why),
        Route(f'{table}/record', api.record),
        Route('/api/analyse', games.analyse, methods=['POST']),
        Route('/api/score', games.score),
        Route('/api/records', games.list_records),
        Route('/api/records/{record}', games.one_record),
        Route('/api/puzzles', puzzles.index),
        Route('/api/puzzles/{puzzle}', puzzles.show),
        Route('/api/puzzles/{puzzle}', puzzles.solve, methods=['POST']),
        Mount('/static', static_files(STATIC)),
    ]


def static_files(folder: Path) -> ASGIApp:
    """Serve the files of a folder; links out of it are not followed."""
    return StaticFiles(directory=folder, check_dir=False)


def new_app(hall: Hall, hosts: Iterable[str] = (), key: str | None = None) -> ASGIApp:
    """Make the application.

    Args:
        hall: of the tables; it is opened and closed with the application.
        hosts: names of the server beside those of this machine.
        key: that starting tables takes; None if only this machine can reach the server.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await hall.open()
        yield
        await hall.close()

    async def index(request: Request) -> Response:
        given = request.query_params.get(KEY)
        if given is None:
            return FileResponse(STATIC / 'index.html')
        answer = RedirectResponse('/', 303)  # an address that may be copied
        if key is not None and compare_digest(given.encode('utf-8', 'replace'), key.encode()):
            answer.set_cookie(KEY, key, COOKIE_SECONDS, httponly=True, samesite='lax')
        return answer

    app = Starlette(
        routes=[Route('/', index), *_routes(hall)],
        exception_handlers={RefusedError: _refused, KitError: _wrong, HTTPException: _missing, Exception: _failed},
        lifespan=lifespan,
    )
    return Guard(app, hosts, key)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, RefusedError)
    return JsonResponse({'error': str(error)}, error.status, retry_header(error))


async def _wrong(request: Request, error: Exception) -> Response:
    return JsonResponse({'error': str(error)}, 422)


async def _missing(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    known = {404: 'there is nothing at this address', 405: 'this address is not asked in this way'}
    return JsonResponse({'error': known.get(error.status_code, error.detail)}, error.status_code)


async def _failed(request: Request, error: Exception) -> Response:
    return JsonResponse({'error': 'the server failed; games are kept'}, 500)
