"""The routes of finished games, pasted positions and puzzles: analysis, score, records."""

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import lru_cache
from secrets import token_urlsafe
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from rlcard_kit.errors import KitError, RecordError
from rlcard_kit.files import parse_json
from rlcard_play.study.played import PlayedGame
from rlcard_play.study.protocols import Advisor, GameRecord, Json
from rlcard_play.study.puzzles import about_puzzle, read_puzzles
from rlcard_play.study.review import Reviewed
from rlcard_play.study.score import others_of
from rlcard_play.study.seated_game import ID_BYTES
from rlcard_play.web.advisor_thread import Result
from rlcard_play.web.lobby import Lobby
from rlcard_play.web.rate_limits import RefusedError
from rlcard_play.web.requests import (
    BROWSER,
    BROWSER_SECONDS,
    REQUIRED,
    JsonResponse,
    browser_key,
    read_body,
    read_cursor,
    read_fields,
    until_gone,
)
from rlcard_play.web.tables import hash_of

ADDRESS = re.compile(r'(?:[?&]|/api/)(table|record)s?[=/]([A-Za-z0-9_-]{1,64})')
MAX_GAMES = 10_000  # of an upload
CACHED = 32  # reviewed games
CONFIRMED = 8  # games that wait for rollouts of their grades, at most: those of further requests stay as they are
PUZZLES = 500  # of a list


class Recorded(NamedTuple):
    """A record, and the game that it is of."""

    played: PlayedGame
    record: GameRecord


def _choose_line(text: str, number: int | None) -> str:
    """Return one line of several, by its number from 1; a record may also span lines."""
    lines = [line for line in text.split('\n') if line.strip()]
    if len(lines) > MAX_GAMES:
        raise RecordError(f'there are {len(lines):,} lines: the maximum is {MAX_GAMES:,}')
    if len(lines) == 1 or _json_of(lines[0]) is None:
        lines = [text]
    elif number is None:
        raise RecordError(f'there are {len(lines):,} games: choose one by its number, "game": 1')
    number = 1 if number is None else number
    if not 1 <= number <= len(lines):
        raise RecordError(f'there is no game {number}: choose one from 1 to {len(lines):,}')
    return lines[number - 1]


def _json_of(line: str) -> object:
    """Return the value of a line of JSON; None if it is none."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


class AnalysisApi:
    """Handles the routes of finished games, pasted positions and puzzles.

    Args:
        lobby: of the tables and finished games.
        is_private: whether only this machine can reach the server: unmarked games are then everybody's.
        cookie: settings of a cookie by its path.
    """

    def __init__(self, lobby: Lobby, is_private: bool, cookie: Callable[[str], Json]) -> None:
        self.lobby = lobby
        self._cookie = cookie
        self._is_private = is_private
        self.limits = lobby.limits
        self._confirming = 0  # games
        self._refuted: dict[str, frozenset[int]] = {}  # plies of refuted marks, by game
        self._puzzles: Mapping[str, Recorded] = {}
        self._reviews = lru_cache(maxsize=CACHED)(self._review)
        self._results = lru_cache(maxsize=CACHED)(self._result)

    async def _study(self, request: Request, function: Callable[..., Result], *arguments: Any) -> Result:
        """Run a longer computation for a request whose body is read; who leaves makes room."""
        with self.lobby.studies.taken():
            return await until_gone(request, self.lobby.thread.study(function, *arguments))

    async def puzzles(self) -> Mapping[str, Recorded]:
        """Return all puzzles by id; the first call reads them, in the thread."""
        if not self._puzzles:
            self._puzzles = await self.lobby.thread.study(self._read_puzzles)
        return self._puzzles

    def _read_puzzles(self) -> Mapping[str, Recorded]:
        return {
            name: Recorded(game, puzzle)
            for game in self.lobby.games.values()
            for name, puzzle in read_puzzles(game.puzzles, game.records).items()
        }

    def _advisor(self, played: PlayedGame) -> Advisor:
        return self.lobby.thread.games[played.key].study_advisor

    def _parse(self, record: str | Json) -> Recorded:
        """Read a record of the game that a key of it names, or of the default one."""
        data, games = _json_of(record) if isinstance(record, str) else record, self.lobby.games
        named = [game for key, game in games.items() if isinstance(data, dict) and key in data]
        played = (named or list(games.values()))[0]
        return Recorded(played, played.records.parse(record))

    def _review(self, game: str) -> tuple[Reviewed[Any], ...]:
        played, record = self._parse(game)
        return tuple(played.review(record, self._advisor(played)))

    async def analyse(self, request: Request) -> Response:
        """Return the values of the moves of a game or position."""
        body = await read_body(request, self.limits.upload, self.limits.body_seconds)
        answer, state = await self._study(request, self._analyse_body, body)
        played = self.lobby.games[answer['game']]
        made = next((choice['move'] for choice in answer['choices'] if choice['ply'] == answer['ply']), None)
        deep = None if state is None else await self.lobby.thread.look(played.key, state, body.get('move') or made)
        if body.get('confirm') is True and self._confirming < CONFIRMED:
            await self._confirm(played, answer)
        return JsonResponse({**answer, 'deep': deep})

    async def _confirm(self, played: PlayedGame, answer: Json) -> None:
        """Withdraw the marks that rollouts refute, in an answer and in all later ones on the game."""
        record = played.records.parse(answer['record'])
        text = played.records.to_json(record)
        if text not in self._refuted:
            self._confirming += 1
            try:
                refuted = await self.lobby.thread.confirm(played.key, record)
            finally:
                self._confirming -= 1
            self._refuted = {**dict(list(self._refuted.items())[1 - CACHED :]), text: refuted}
        self._withdraw(answer, text)

    def _withdraw(self, answer: Json, text: str) -> None:
        refuted = [choice for choice in answer['choices'] if choice['ply'] in self._refuted.get(text, ())]
        for choice in refuted:
            choice['mark'] = ''
        played = {choice['move'] for choice in refuted if choice['ply'] == answer['ply']}
        for advice in answer['moves']:
            if played & {advice['move'], *advice['alike']}:
                advice['mark'] = ''

    def _analyse_body(self, body: Json) -> tuple[Json, Json | None]:
        """Return the answer, and the state of the seat to move if rollouts are requested."""
        if any(key in body for key in self.lobby.games):
            return self._analyse(self._parse(body), None, None), None
        pasted, record, position, number, ply, seat, deep, *_ = read_fields(
            body,
            text=None,
            record=None,
            position=None,
            game=None,
            ply=None,
            seat=None,
            deep=False,
            confirm=False,
            move=None,
        )
        given = [value for value in (record, position) if value is not None]
        if len(given) + (pasted is not None) != 1:
            raise RefusedError(422, 'give one of text, record and position')
        if given and not isinstance(given[0], dict):
            raise RefusedError(422, 'record and position must be JSON objects')
        game = self._parse(given[0]) if given else self._find_game(pasted.strip(), number)
        answer = self._analyse(game, ply, seat)
        if not deep:
            return answer, None
        if not answer['moves']:
            raise RefusedError(422, 'deep needs a position in which the hand of the seat to move is shown')
        return answer, game.played.open_position(game.record if ply is None else game.record.at(ply))

    def _find_game(self, text: str, number: int | None) -> Recorded:
        """Return the game or position of a text.

        Args:
            text: JSON, several lines of it, `seed/number`, a deal code, or the address of a table or record.
            number: of the game, from 1, if there are several lines.
        """
        if text.startswith('{'):
            return self._parse(_choose_line(text, number))
        address = ADDRESS.search(text)
        if address:
            kind, name = address.groups()
            if kind == 'record':
                return self._recorded(name)
            table = self.lobby.find(name)
            return Recorded(table.played, table.record())
        for played in self.lobby.games.values():
            deal = played.find_deal(text, played.rules.preset(played.default_rules))
            if deal is not None:
                return Recorded(played, deal)
        raise RecordError(
            f'{text[:60]!r} is not a game: paste a record or position as JSON, '
            'seed/number, a deal code, or the address of a table or game'
        )

    def _recorded(self, name: str) -> Recorded:
        if name not in self.lobby.archive.entries:
            raise RefusedError(404, 'there is no such game')
        return Recorded(*self.lobby.archive.read(name))

    def _analyse(self, game: Recorded, ply: int | None, seat: int | None) -> Json:
        """Return a position of a game and the values of its moves.

        Args:
            game: whole.
            ply: number of moves before the position; None for all of them.
            seat: of the viewer; None shows all known hands.
        """
        played, record = game
        if seat is not None and seat >= record.rules.players:
            raise RefusedError(422, f'seat is {seat}: the game has the seats 0 to {record.rules.players - 1}')
        position, advisor = record if ply is None else record.at(ply), self._advisor(played)
        view = played.position_view(position, seat)
        text = played.records.to_json(record)
        reviewed = self._reviews(text)
        values: Json = {'moves': []}
        if view['legal']:
            known = next((choice.advice for choice in reviewed if choice.ply == len(position.moves)), None)
            advice = known or advisor.advise(played.open_position(position))
            values = played.advice_json(advisor, advice, record.rules)
        answer = {
            'game': played.key,
            'record': played.records.to_dict(record),
            'plies': len(record.moves),
            'ply': len(position.moves),
            'seat': seat,
            'to_move': view['to_move'],
            'position': view,
            **values,
            'agent': advisor.name,
            'choices': [choice.to_json() for choice in reviewed],
        }
        self._withdraw(answer, text)
        return answer

    async def score(self, request: Request) -> Response:
        """Return the scores of the browser's games against the advisors."""
        groups = await self._study(request, self._score, self._own(request))
        return JsonResponse({'groups': groups, 'agents': {key: game.advisor for key, game in self.lobby.games.items()}})

    def _own(self, request: Request) -> dict[str, int | None]:
        """Return the ids of the browser's finished games, and its seat in them."""
        return self.lobby.archive.own(hash_of(browser_key(request) or ''), self._is_private)

    def _score(self, own: dict[str, int | None]) -> list[Json]:
        groups = []
        for key, judge in self.lobby.judges.items():
            agents = set(self.lobby.games[key].agents)
            games = [game for game in self.lobby.archive.single_player_games(key, own) if others_of(game) <= agents]
            groups += [{'game': key, **group.to_json()} for group in judge.summaries(games)]
        return groups

    async def result(self, request: Request) -> Response:
        """Return what an agent wins in the first seat of a deal by the rules of a preset, among advisors."""
        key, name, deal, agent = (request.query_params.get(name, '') for name in ('game', 'rules', 'deal', 'agent'))
        played = self.lobby.game(key)
        known = played.agents_for(played.rules.preset(name))
        if agent not in known:
            raise RefusedError(422, f'agent is {agent!r:.60}: choose from {", ".join(known)}')
        return JsonResponse({'payoff': await self._study(request, self._results, key, name, deal, agent)})

    def _result(self, key: str, rules: str, deal: str, agent: str) -> int:
        played = self.lobby.games[key]
        record = played.find_deal(deal, played.rules.preset(rules))
        if record is None:
            raise RefusedError(422, f'{deal[:60]!r} is not a deal: expected seed/number or a deal code')
        return self.lobby.judges[key].payoff_of(agent, record)

    async def rules(self, request: Request) -> Response:
        """Return the facts of rules, a preset's name or JSON."""
        played = self.lobby.game(request.query_params.get('game', next(iter(self.lobby.games))))
        text = request.query_params.get('rules', played.default_rules)
        rules = played.rules.from_json(parse_json('rules', text) if text.startswith('{') else text)
        facts = await self._study(request, played.rule_facts, rules)
        about = {'game': played.key, 'rules': rules.to_json(), 'title': rules.title, 'fields': rules.fields()}
        return JsonResponse({**about, **facts})

    async def list_records(self, request: Request) -> Response:
        """List the browser's finished games, newest first."""
        return JsonResponse(self.lobby.archive.page(read_cursor(request), self._own(request)))

    async def add_records(self, request: Request) -> Response:
        """Keep the finished games of a text, a record a line, as the browser's own; report the lines refused."""
        self.lobby.new_tables.take(request['client'][0])
        body = await read_body(request, self.limits.upload, self.limits.body_seconds)
        (text,) = read_fields(body, text=REQUIRED)
        key, archive = browser_key(request) or token_urlsafe(ID_BYTES), self.lobby.archive
        archive.refresh()
        with self.lobby.studies.taken():
            new, answer = await self.lobby.thread.study(self._read_records, text, hash_of(key))
            for played, records in new.items():
                await asyncio.to_thread(played.records.write, archive.files[played.key], records.values())
        archive.refresh()
        response = JsonResponse(answer, 201)
        response.set_cookie(BROWSER, key, BROWSER_SECONDS, samesite='strict', **self._cookie('/api'))
        return response

    def _read_records(self, text: str, browser: str) -> tuple[dict[PlayedGame, dict[str, GameRecord]], Json]:
        """Return the games of a text that are to be kept, by kind and id, and the answer."""
        lines, refused = [line for line in text.split('\n') if line.strip()], []
        new = defaultdict[PlayedGame, Any](dict)
        for number, line in enumerate(lines, 1):
            try:
                played, record = self._parse(line)
                kept = self.lobby.archive.prepared(played, record, browser)
            except KitError as error:
                refused.append({'line': number, 'error': str(error)})
            else:
                new[played] |= {} if kept is None else {kept.extra['id']: kept}
        added = sum(map(len, new.values()))
        return new, {'added': added, 'known': len(lines) - len(refused) - added, 'refused': refused}

    async def one_record(self, request: Request) -> Response:
        """Return the record of a finished game, with the seat of the browser as 'you' if it is its own."""
        name = request.path_params['record']
        played, record = self._recorded(name)
        you = self._own(request).get(name)
        return JsonResponse(played.records.to_dict(record) | ({} if you is None else {'you': you}))

    async def list_puzzles(self, request: Request) -> Response:
        """List the shipped puzzles."""
        key = request.query_params.get('game')
        games = list(self.lobby.games.values()) if key is None else [self.lobby.game(key)]
        puzzles = [
            {'id': name, 'game': played.key, **about_puzzle(puzzle)}
            for name, (played, puzzle) in (await self.puzzles()).items()
            if played in games
        ]
        start = read_cursor(request) or 0
        end = start + PUZZLES
        return JsonResponse({'puzzles': puzzles[start:end], 'cursor': str(end) if end < len(puzzles) else None})

    async def puzzle(self, request: Request) -> Response:
        """Return a puzzle without its answer."""
        name, (played, puzzle) = await self._find_puzzle(request)
        position = played.position_view(puzzle, puzzle.player)
        return JsonResponse({'id': name, 'game': played.key, 'position': position})

    async def solve(self, request: Request) -> Response:
        """Return whether a move solves a puzzle, and the values of all moves."""
        _, (played, puzzle) = await self._find_puzzle(request)
        (move,) = read_fields(await read_body(request, self.limits.body, self.limits.body_seconds), move=REQUIRED)
        advisor = self._advisor(played)
        advice = await self._study(request, advisor.advise, played.open_position(puzzle))
        answer = {'right': played.is_right(puzzle, move, advice), 'best': puzzle.extra['best']}
        values = played.advice_json(advisor, advice, puzzle.rules)
        about = {'agent': advisor.name, 'deep': puzzle.extra.get('deep'), 'record': played.records.to_dict(puzzle)}
        return JsonResponse({**answer, **values, **about})

    async def _find_puzzle(self, request: Request) -> tuple[str, Recorded]:
        name, puzzles = request.path_params['puzzle'], await self.puzzles()
        if name not in puzzles:
            raise RefusedError(404, 'there is no such puzzle')
        return name, puzzles[name]
