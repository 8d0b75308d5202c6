"""The routes of puzzles: positions in which one move is clearly the best."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from rlcard_big2 import records
from rlcard_big2.records import Record
from rlcard_big2.study.advice import Advice
from rlcard_big2.study.analysis import open_position
from rlcard_big2.study.puzzles import is_right, puzzle_id, shipped
from rlcard_big2.study.views import position_view
from rlcard_big2.web.lobby import Hall
from rlcard_big2.web.rate_limits import RefusedError
from rlcard_big2.web.requests import JsonResponse, check_keys, cursor_in, read_body, text_in

PAGE = 50  # puzzles


class PuzzlesApi:
    """Answers the routes of puzzles: those that come with the package.

    Args:
        hall: that thinks.
    """

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self.puzzles = {puzzle_id(puzzle): puzzle for puzzle in shipped()}

    async def index(self, request: Request) -> Response:
        """List the puzzles."""
        start = cursor_in(request) or 0
        found = [{'id': name, 'rules': puzzle.rules.to_json()} for name, puzzle in self.puzzles.items()]
        end = start + PAGE
        return JsonResponse({'puzzles': found[start:end], 'cursor': str(end) if end < len(found) else None})

    async def show(self, request: Request) -> Response:
        """Show a puzzle, without its answer."""
        name, puzzle = self._find(request)
        position = position_view(puzzle)
        return JsonResponse({'id': name, 'position': position, 'legal': position['legal'], 'kinds': position['kinds']})

    async def solve(self, request: Request) -> Response:
        """Say whether a move solves a puzzle, and what all moves are worth."""
        _, puzzle = self._find(request)
        limits = self.hall.limits
        body = await read_body(request, limits.body, limits.body_seconds)
        check_keys(body, 'move')
        with self.hall.studies.taken():
            right, advice = await self.hall.thinker.study(self._judge, puzzle, text_in(body, 'move'))
        moves = [one.to_json() for one in advice.moves]
        answer: dict[str, Any] = {'right': right, 'best': puzzle.extra['best'], 'moves': moves}
        return JsonResponse({**answer, 'record': records.to_dict(puzzle)})

    def _judge(self, puzzle: Record, move: str) -> tuple[bool, Advice]:
        advice = self.hall.thinker.analyst.advise(open_position(puzzle))
        return is_right(puzzle, move, advice), advice

    def _find(self, request: Request) -> tuple[str, Record]:
        name = request.path_params['puzzle']
        if name not in self.puzzles:
            raise RefusedError(404, 'there is no such puzzle')
        return name, self.puzzles[name]
