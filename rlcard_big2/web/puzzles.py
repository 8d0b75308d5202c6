"""The routes of puzzles."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from rlcard_big2 import records
from rlcard_big2.records import Record
from rlcard_big2.study.advice import Advice
from rlcard_big2.study.puzzles import is_right, puzzle_id, shipped
from rlcard_big2.study.review import open_position
from rlcard_big2.study.views import position_view
from rlcard_big2.web.lobby import Lobby
from rlcard_big2.web.rate_limits import RefusedError
from rlcard_big2.web.requests import JsonResponse, read_body, read_cursor, read_fields, text

PAGE = 50  # puzzles


class PuzzlesApi:
    """Handles the routes of the shipped puzzles.

    Args:
        lobby: of the advisor.
    """

    def __init__(self, lobby: Lobby) -> None:
        self.lobby = lobby
        self.puzzles = {puzzle_id(puzzle): puzzle for puzzle in shipped()}

    async def index(self, request: Request) -> Response:
        """List the puzzles."""
        start = read_cursor(request) or 0
        found = [{'id': name, 'rules': puzzle.rules.to_json()} for name, puzzle in self.puzzles.items()]
        end = start + PAGE
        return JsonResponse({'puzzles': found[start:end], 'cursor': str(end) if end < len(found) else None})

    async def show(self, request: Request) -> Response:
        """Return a puzzle without its answer."""
        name, puzzle = self._find(request)
        position = position_view(puzzle)
        return JsonResponse({'id': name, 'position': position, 'legal': position['legal'], 'kinds': position['kinds']})

    async def solve(self, request: Request) -> Response:
        """Return whether a move solves a puzzle, and the values of all moves."""
        _, puzzle = self._find(request)
        limits = self.lobby.limits
        (move,) = read_fields(await read_body(request, limits.body, limits.body_seconds), move=text)
        with self.lobby.studies.taken():
            right, advice = await self.lobby.thread.study(self._judge, puzzle, move)
        moves = [one.to_json() for one in advice.moves]
        answer: dict[str, Any] = {'right': right, 'best': puzzle.extra['best'], 'moves': moves}
        return JsonResponse({**answer, 'record': records.to_dict(puzzle)})

    def _judge(self, puzzle: Record, move: str) -> tuple[bool, Advice]:
        advice = self.lobby.thread.study_advisor.advise(open_position(puzzle))
        return is_right(puzzle, move, advice), advice

    def _find(self, request: Request) -> tuple[str, Record]:
        name = request.path_params['puzzle']
        if name not in self.puzzles:
            raise RefusedError(404, 'there is no such puzzle')
        return name, self.puzzles[name]
