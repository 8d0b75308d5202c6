"""The routes of games that have ended: analysis, score, records."""

import re
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from rlcard_big2 import records
from rlcard_big2.records import Record
from rlcard_big2.study.advice import ADVISOR
from rlcard_big2.study.analysis import open_position
from rlcard_big2.study.score import results, summaries
from rlcard_big2.web.analysis import Analyst, find_game
from rlcard_big2.web.lobby import Hall
from rlcard_big2.web.rate_limits import RefusedError
from rlcard_big2.web.requests import JsonResponse, check_keys, cursor_in, flag, read_body, seat_in, text_in, whole

RECORD_ID = re.compile(r'[A-Za-z0-9_-]{1,64}')


class GamesApi:
    """Answers the routes of games that have ended.

    Args:
        hall: of the tables and games.
    """

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self.limits = hall.limits
        self.analyst = Analyst(hall.thinker.analyst)

    async def analyse(self, request: Request) -> Response:
        """Say what the moves of a game or position were worth."""
        body = await read_body(request, self.limits.upload, self.limits.body_seconds)
        with self.hall.studies.taken():
            answer, state = await self.hall.thinker.study(self._analyse, body)
        deep = None if state is None else await self.hall.look(state)
        return JsonResponse({**answer, 'deep': deep})

    def _analyse(self, body: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """Return the answer, and the state of the seat to move if a deep look at it is asked for."""
        if 'big2' in body:
            return self.analyst.analyse(records.parse(body), None, None), None
        check_keys(body, 'text', 'record', 'position', 'game', 'ply', 'seat', 'deep')
        given = [body[key] for key in ('record', 'position') if body.get(key) is not None]
        if len(given) + (body.get('text') is not None) != 1:
            raise RefusedError(422, 'give one of text, record and position')
        ply, text = whole(body, 'ply'), ''
        if given:
            if not isinstance(given[0], dict):
                raise RefusedError(422, 'record and position must be objects of JSON')
            record = records.parse(given[0])
        else:
            text = text_in(body, 'text')
            record = find_game(text, whole(body, 'game'), self._named)
        answer = self.analyst.analyse(record, ply, seat_in(body))
        if not flag(body, 'deep', default=False):
            return answer, None
        if not answer['moves']:
            raise RefusedError(422, 'a deep look needs a position in which the hand of the seat to move is shown')
        return answer, open_position(record if ply is None else record.at(ply))

    def _named(self, kind: str, name: str) -> Record:
        """Return the game of a table that has ended, or of a record."""
        if kind == 'table':
            table = self.hall.find(name)
            if not table.game.is_over:
                raise RefusedError(404, 'the game at this table has not ended')
            return table.record()
        return self._recorded(name)

    def _recorded(self, name: str) -> Record:
        found = self.hall.archive.read(name) if RECORD_ID.fullmatch(name) else None
        if found is None:
            raise RefusedError(404, 'there is no such game')
        return found

    async def score(self, request: Request) -> Response:
        """Say how people did, beside the advisor."""
        with self.hall.studies.taken():
            self.hall.archive.refresh()
            groups = await self.hall.thinker.study(self._score)
        return JsonResponse({'groups': groups, 'agent': ADVISOR})

    def _score(self) -> list[dict[str, Any]]:
        names = set(self.hall.thinker.names)
        games = [game for game in self.hall.archive.games_of_one() if _opponents(game) <= names]
        return [group.to_json() for group in summaries(results(games, self.hall.judge))]

    async def list_records(self, request: Request) -> Response:
        """List the games, the newest first."""
        return JsonResponse(self.hall.archive.page(cursor_in(request)))

    async def one_record(self, request: Request) -> Response:
        """Return a game."""
        return JsonResponse(records.to_dict(self._recorded(request.path_params['record'])))


def _opponents(game: Record) -> set[str]:
    return {str(seat.get('name')) for seat in game.seats or () if seat.get('kind') != 'person'}
