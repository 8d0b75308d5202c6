"""Puzzles: positions with one clearly best move, taken from recorded games.

A puzzle is a position of a record, with the extra keys 'best', 'gap' and 'source'; see docs/records.md.
"""

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from rlcard_kit.envs.seated_game import ID_BYTES
from rlcard_kit.records import Format


def puzzle_of(position: Any, best: str, gap: float, source: str, **more: Any) -> Any:
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
