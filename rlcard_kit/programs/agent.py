"""Programs as agents of RLCard's protocol: a move that a program fails to make is replaced."""

import json
import shlex
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from rlcard_kit.bounds import PositiveFloat, check_settings
from rlcard_kit.errors import ConfigError, FileError
from rlcard_kit.files import checksum, parse_json
from rlcard_kit.programs.process import ERROR, ILLEGAL, NONSENSE, TIME_OUT, FaultError, ProgramProcess

START_SECONDS = 60.0  # for the first answer of a process, at least
PATIENCE = 60.0  # seconds lost with processes that fail, without a legal move in between, after which none is started
PASS = 'pass'


@dataclass(frozen=True)
class Limits:
    """Limits of a program; seconds are by the clock."""

    seconds: PositiveFloat = 10.0
    """For a move."""
    game_seconds: PositiveFloat = 60.0
    """For all moves of a game."""
    megabytes: PositiveFloat = 2048.0
    """Of memory, on Linux."""

    def __post_init__(self) -> None:
        check_settings(self)


@dataclass
class _Game:
    """A game that the program plays in one seat."""

    number: int
    seconds: float  # left for it
    trace: Sequence[Any] = ()  # of the last question
    process: ProgramProcess | None = None  # the process that was told of it


class ProgramAgent:
    """A program that plays a game, one process for all seats and games.

    The process starts with the first question. If it ends, exceeds a limit or writes too much, it is killed, and the
    next question starts another.

    Args:
        command: the program and its arguments, as a list or as text with the quotes of a shell.
        limits: fields of `Limits`.

    Raises:
        ConfigError: if there is no command, or a limit is out of bounds.
        FileError: if a file that the command names cannot be read.
        ValueError: if a quote of the command is not closed.
    """

    use_raw = True
    game: ClassVar[str]
    """The name of the game's environment in RLCard."""
    default_rules: ClassVar[Any] = None
    """Rules of the game, whose class tells it from others."""
    at_table: int | None = None
    """Number of the game in progress at a table of several."""
    _process: ProgramProcess | None = None

    def __init__(self, command: str | Sequence[str], **limits: float) -> None:
        self.command = shlex.split(command) if isinstance(command, str) else list(command)
        if not self.command:
            raise ConfigError('the command is empty: write a program and its arguments')
        self.limits = Limits(**limits)
        self._files = {path: checksum(path) for path in map(Path, self.command) if path.is_file()}
        self._games: dict[tuple[int | None, int], _Game] = {}
        self._count = 0  # of games
        self._lost = 0.0  # seconds, since the last legal move
        self._last: FaultError | None = None  # that ended a process
        self._faults: list[tuple[int, int, str]] = []
        self._warned: set[str] = set()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Kill the process; the next question starts another."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()

    def check_files(self) -> None:
        """Raise FileError if a file that the command names is no longer as it was when the agent was made."""
        for path, digest in self._files.items():
            if checksum(path) != digest:
                raise FileError(f'{path} changed while {shlex.join(self.command)} played: it is now another program')

    def step(self, state: dict[str, Any]) -> str:
        """Return the text of a legal move, to collect training data."""
        return self.eval_step(state)[0]

    def eval_step(self, state: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return the text of the program's move, or that of its replacement with the `FaultError` as information."""
        seen = state['raw_obs']
        legal: list[str] = seen['actions']
        try:
            move = _legal_move(self._ask(self._game_of(seen), seen), legal)
            self._lost = 0.0
            return move, {}
        except FaultError as fault:
            self._note(fault, seen['self'])
            return PASS if PASS in legal else legal[0], {'fault': fault}

    def take_faults(self) -> list[tuple[int, int, str]]:
        """Return the game at the table, the seat and the kind of each fault since the last call."""
        taken, self._faults = self._faults, []
        return taken

    def _note(self, fault: FaultError, seat: int) -> None:
        if self.at_table is not None:
            self._faults.append((self.at_table, seat, fault.kind))
        if fault.kind not in self._warned:
            self._warned.add(fault.kind)
            warnings.warn(f'{shlex.join(self.command)}: {fault.kind}: {fault}', stacklevel=3)

    def _game_of(self, seen: Mapping[str, Any]) -> _Game:
        """Return the game of a question: a new one unless it continues the last one with that number and seat."""
        key, trace = (self.at_table, seen['self']), seen['trace']
        game = self._games.get(key)
        if game is None or trace[: len(game.trace)] != game.trace:
            self._count += 1
            game = self._games[key] = _Game(self._count, self.limits.game_seconds)
        game.trace = trace
        return game

    def _ask(self, game: _Game, seen: Mapping[str, Any]) -> bytes:
        if self._last is not None and self._lost > PATIENCE:
            raise self._last
        if game.seconds <= 0:
            raise FaultError(TIME_OUT, f'the {self.limits.game_seconds:g} s of its game are over')
        process = self._process
        if process is None and self.at_table is not None:
            self.check_files()
        try:
            self._process = process = process or ProgramProcess(self.command, self.limits.megabytes)
            return self._answer(process, game, seen)
        except FaultError as fault:
            self.close()
            self._last, self._lost = fault, self._lost + (process.waited if process else 0.0)
            raise

    def _answer(self, process: ProgramProcess, game: _Game, seen: Mapping[str, Any]) -> bytes:
        is_first = not process.answered
        seconds = max(START_SECONDS, self.limits.seconds) if is_first else min(self.limits.seconds, game.seconds)
        lines = [question_of(game.number, seen)]
        if game.process is not process:
            about = {'game': self.game, 'rules': lines[0]['rules'], 'seat': seen['self'], 'id': game.number}
            lines.insert(0, {**about, **asdict(self.limits)})
            game.process = process
        try:
            return process.ask(''.join(f'{json.dumps(line)}\n' for line in lines).encode(), seconds)
        finally:
            game.seconds -= 0 if is_first else process.waited


def question_of(number: int, seen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the question to a program: the number of its game, and a raw observation of RLCard as JSON can hold it."""
    values = {name: value for name, value in seen.items() if name != 'packed'}
    return {'id': number, **values, 'rules': seen['rules'].to_json()}


def _legal_move(answer: bytes, legal: Sequence[str]) -> str:
    """Return the legal move that an answer names, its words in any order and case; FaultError if it names none."""
    try:
        reply = parse_json('its answer', answer)
    except FileError as error:
        raise FaultError(NONSENSE, f'{error}: {answer[:60]!r}') from error
    if isinstance(reply, dict) and 'error' in reply:
        raise FaultError(ERROR, f'{reply["error"]!s:.200}')
    move = reply.get('move') if isinstance(reply, dict) else None
    if not isinstance(move, str):
        raise FaultError(NONSENSE, f'its answer {answer[:60]!r} is not {{"move": TEXT}}')
    words = sorted(move.lower().split())
    same = move if move in legal else next((text for text in legal if sorted(text.lower().split()) == words), None)
    if same is None:
        raise FaultError(ILLEGAL, f'{move!r:.60} is not legal: choose from {", ".join(legal):.200}')
    return same
