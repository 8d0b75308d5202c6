"""Puzzles: positions with one clearly best move, taken from recorded games.

A puzzle is a position of a record, with the extra keys 'best', 'gap', 'source', 'themes', 'found' and 'difficulty'; see
docs/records.md.
"""

from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from rlcard_kit.errors import ConfigError
from rlcard_kit.records import Format
from rlcard_play.study.protocols import GameRecord, Json
from rlcard_play.study.seated_game import ID_BYTES

DIFFICULTIES = ('easy', 'medium', 'hard')  # a third of the puzzles each, by how often agents find the answer


def puzzle_of(position: Any, best: str, gap: float, source: str, **more: object) -> Any:
    """Make a puzzle.

    Args:
        position: a record that ends in it.
        best: the best move.
        gap: its lead over the best wrong move.
        source: name of the agent that found it.
        more: other keys of the puzzle.
    """
    return replace(position, seats=None, extra={'best': best, 'gap': round(gap, 2), 'source': source, **more})


def puzzle_id(puzzle: Any, records: Format[Any]) -> str:
    """Return the id of a puzzle: 22 characters, a checksum of its position."""
    text = records.to_json(replace(puzzle, extra={}, seats=None))
    return urlsafe_b64encode(sha256(text.encode()).digest()[:ID_BYTES]).decode().rstrip('=')


@cache
def read_puzzles(file: Path, records: Format[Any]) -> Mapping[str, Any]:
    """Read a file of puzzles, by id."""
    return {puzzle_id(puzzle, records): puzzle for puzzle in records.iterate(file)}


def about_puzzle(puzzle: GameRecord) -> Json:
    """Return the rules, themes and difficulty of a puzzle as JSON; they do not give the answer."""
    return {'rules': puzzle.rules.to_json(), **{key: puzzle.extra[key] for key in ('themes', 'difficulty')}}


def choose_puzzles(puzzles: Iterable[GameRecord], theme: str | None, difficulty: str | None) -> list[GameRecord]:
    """Return the puzzles of a theme and a difficulty; None stands for all. ConfigError if there are none."""
    all_puzzles = list(puzzles)
    themes = sorted({name for puzzle in all_puzzles for name in puzzle.extra['themes']})
    for name, value, known in (('theme', theme, themes), ('difficulty', difficulty, DIFFICULTIES)):
        if value is not None and value not in known:
            raise ConfigError(f'there is no {name} {value!r:.60}: choose from {", ".join(known)}')
    chosen = [
        puzzle
        for puzzle in all_puzzles
        if theme in (None, *puzzle.extra['themes']) and difficulty in (None, puzzle.extra['difficulty'])
    ]
    if not chosen:
        raise ConfigError(f'there are no {difficulty} puzzles of the theme {theme}')
    return chosen
