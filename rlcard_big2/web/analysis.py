"""The routes of finished games, pasted positions and puzzles: analysis, score, records."""

import json
import re
from functools import lru_cache
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from rlcard_big2 import records
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.records import Record
from rlcard_big2.records.codes import CODE
from rlcard_big2.rules import Rules
from rlcard_big2.study.advice import ADVISOR, Advisor
from rlcard_big2.study.puzzles import is_right, puzzle_id, shipped
from rlcard_big2.study.review import ReviewedMove, open_position, review
from rlcard_big2.study.score import results, summaries
from rlcard_big2.study.views import position_view
from rlcard_big2.web.lobby import Lobby
from rlcard_big2.web.rate_limits import RefusedError
from rlcard_big2.web.requests import PAGE, REQUIRED, JsonResponse, read_body, read_cursor, read_fields
from rlcard_kit.errors import RecordError

SEEDED = re.compile(r'([0-9]{1,10})/([0-9]{1,5})')  # seed/number
MAX_SEED = (1 << 32) - 1
ADDRESS = re.compile(r'(?:[?&]|/api/)(table|record)s?[=/]([A-Za-z0-9_-]{1,64})')
MAX_GAMES = 10_000  # of an upload
CACHED = 32  # reviewed games


def find_deal(text: str, rules: Rules) -> Record | None:
    """Return the deal named by `seed/number` or by a deal code, or None if the text is neither."""
    seeded = SEEDED.fullmatch(text)
    if seeded is not None:
        seed, number = map(int, seeded.groups())
        if seed > MAX_SEED:
            raise RecordError(f'the seed {seed} is too large: the maximum is {MAX_SEED}')
        return records.from_deals(deals_from_seed(seed, number + 1)[number:], rules)[0]
    return Record(records.hands_of_code(text), rules=rules) if CODE.fullmatch(text) else None


def _choose_line(text: str, number: int | None) -> str:
    """Return one line of several, by its number from 1; a record may also span lines."""
    lines = [line for line in text.split('\n') if line.strip()]
    if len(lines) > MAX_GAMES:
        raise RecordError(f'there are {len(lines):,} lines: the maximum is {MAX_GAMES:,}')
    if len(lines) == 1 or not _is_json(lines[0]):
        lines = [text]
    elif number is None:
        raise RecordError(f'there are {len(lines):,} games: choose one by its number, "game": 1')
    number = 1 if number is None else number
    if not 1 <= number <= len(lines):
        raise RecordError(f'there is no game {number}: choose one from 1 to {len(lines):,}')
    return lines[number - 1]


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


class AnalysisApi:
    """Handles the routes of finished games, pasted positions and puzzles.

    Args:
        lobby: of the tables and finished games.
    """

    def __init__(self, lobby: Lobby) -> None:
        self.lobby = lobby
        self.limits = lobby.limits
        self.advisor: Advisor = lobby.thread.study_advisor
        self._puzzles = {puzzle_id(puzzle): puzzle for puzzle in shipped()}
        self._reviews = lru_cache(maxsize=CACHED)(self._review)

    def _review(self, game: str) -> tuple[ReviewedMove, ...]:
        return tuple(review(records.parse(game), self.advisor))

    async def analyse(self, request: Request) -> Response:
        """Return the values of the moves of a game or position."""
        body = await read_body(request, self.limits.upload, self.limits.body_seconds)
        with self.lobby.studies.taken():
            answer, state = await self.lobby.thread.study(self._analyse_body, body)
        deep = None if state is None else await self.lobby.thread.look(state)
        return JsonResponse({**answer, 'deep': deep})

    def _analyse_body(self, body: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """Return the answer, and the state of the seat to move if rollouts are requested."""
        if 'big2' in body:
            return self._analyse(records.parse(body), None, None), None
        pasted, record, position, number, ply, seat, deep = read_fields(
            body, text=None, record=None, position=None, game=None, ply=None, seat=None, deep=False
        )
        given = [one for one in (record, position) if one is not None]
        if len(given) + (pasted is not None) != 1:
            raise RefusedError(422, 'give one of text, record and position')
        if given and not isinstance(given[0], dict):
            raise RefusedError(422, 'record and position must be JSON objects')
        game = records.parse(given[0]) if given else self._find_game(pasted.strip(), number)
        answer = self._analyse(game, ply, seat)
        if not deep:
            return answer, None
        if not answer['moves']:
            raise RefusedError(422, 'deep needs a position in which the hand of the seat to move is shown')
        return answer, open_position(game if ply is None else game.at(ply))

    def _find_game(self, text: str, number: int | None) -> Record:
        """Return the game or position of a text.

        Args:
            text: JSON, several lines of it, `seed/number`, a deal code, or the address of a table or record.
            number: of the game, from 1, if there are several lines.
        """
        if text.startswith('{'):
            return records.parse(_choose_line(text, number))
        address = ADDRESS.search(text)
        if address:
            kind, name = address.groups()
            return self.lobby.find(name).record() if kind == 'table' else self._recorded(name)
        found = find_deal(text, Rules())
        if found is None:
            raise RecordError(
                f'{text[:60]!r} is not a game: paste a record or position as JSON, '
                'seed/number, a deal code, or the address of a table or game'
            )
        return found

    def _recorded(self, name: str) -> Record:
        if name not in self.lobby.archive.entries:
            raise RefusedError(404, 'there is no such game')
        return self.lobby.archive.read(name)

    def _analyse(self, record: Record, ply: int | None, seat: int | None) -> dict[str, Any]:
        """Return a position of a game and the values of its moves.

        Args:
            record: of the whole game.
            ply: number of moves before the position; None for all of them.
            seat: of the viewer; None shows all known hands.
        """
        if seat is not None and record.hands[seat] is None:
            raise RecordError(f'the hand of seat {seat} is unknown: choose another seat')
        position = record if ply is None else record.at(ply)
        reviewed = self._reviews(records.to_json(record))
        view = position_view(position, seat)
        advice = None
        if view['legal']:
            found = next((one.advice for one in reviewed if one.ply == len(position.moves)), None)
            advice = found or self.advisor.advise(open_position(position))
        return {
            'record': records.to_dict(record),
            'plies': len(record.moves),
            'ply': len(position.moves),
            'seat': seat,
            'to_move': view['to_move'],
            'position': view,
            'moves': [] if advice is None else [move.to_json() for move in advice.moves],
            'agent': self.advisor.name,
            'calibrated': self.advisor.calibration(record.rules) is not None,
            'choices': [one.to_json() for one in reviewed],
        }

    async def score(self, request: Request) -> Response:
        """Return people's scores against the advisor."""
        with self.lobby.studies.taken():
            self.lobby.archive.refresh()
            groups = await self.lobby.thread.study(self._score)
        return JsonResponse({'groups': groups, 'agent': ADVISOR})

    def _score(self) -> list[dict[str, Any]]:
        names = set(self.lobby.thread.names)
        games = [game for game in self.lobby.archive.single_player_games() if _opponents(game) <= names]
        return [group.to_json() for group in summaries(results(games, self.lobby.judge))]

    async def list_records(self, request: Request) -> Response:
        """List finished games, newest first."""
        return JsonResponse(self.lobby.archive.page(read_cursor(request)))

    async def one_record(self, request: Request) -> Response:
        """Return the record of a finished game."""
        return JsonResponse(records.to_dict(self._recorded(request.path_params['record'])))

    async def list_puzzles(self, request: Request) -> Response:
        """List the shipped puzzles."""
        found = [{'id': name, 'rules': puzzle.rules.to_json()} for name, puzzle in self._puzzles.items()]
        start = read_cursor(request) or 0
        end = start + PAGE
        return JsonResponse({'puzzles': found[start:end], 'cursor': str(end) if end < len(found) else None})

    async def puzzle(self, request: Request) -> Response:
        """Return a puzzle without its answer."""
        name, puzzle = self._find_puzzle(request)
        position = position_view(puzzle)
        return JsonResponse({'id': name, 'position': position, 'legal': position['legal'], 'kinds': position['kinds']})

    async def solve(self, request: Request) -> Response:
        """Return whether a move solves a puzzle, and the values of all moves."""
        _, puzzle = self._find_puzzle(request)
        (move,) = read_fields(await read_body(request, self.limits.body, self.limits.body_seconds), move=REQUIRED)
        with self.lobby.studies.taken():
            advice = await self.lobby.thread.study(self.advisor.advise, open_position(puzzle))
        answer = {'right': is_right(puzzle, move, advice), 'best': puzzle.extra['best']}
        return JsonResponse(
            {**answer, 'moves': [one.to_json() for one in advice.moves], 'record': records.to_dict(puzzle)}
        )

    def _find_puzzle(self, request: Request) -> tuple[str, Record]:
        name = request.path_params['puzzle']
        if name not in self._puzzles:
            raise RefusedError(404, 'there is no such puzzle')
        return name, self._puzzles[name]


def _opponents(game: Record) -> set[str]:
    return {str(seat.get('name')) for seat in game.seats or () if seat.get('kind') != 'person'}
