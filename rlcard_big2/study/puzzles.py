"""Puzzles: positions of recorded games in which one move is clearly the best, and another was made.

A puzzle is a position as the seat to move sees it, with 'best' and 'gap' among its keys; see docs/records.md.
"""

from base64 import urlsafe_b64encode
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from rlcard_big2 import records
from rlcard_big2.records import Record
from rlcard_big2.study.advice import CLOSE, Advice, Advisor
from rlcard_big2.study.analysis import open_position
from rlcard_big2.study.review import Decision, decisions
from rlcard_kit.errors import IllegalActionError, RecordError

SHIPPED = Path(__file__).with_name('puzzles.big2.jsonl')
ID_BYTES = 16  # of a checksum; 22 characters
WORTH_ASKING = ('mistake', 'blunder')


def shipped() -> list[Record]:
    """Return the puzzles that come with the package."""
    return records.read(SHIPPED)


def is_puzzle(record: Record) -> bool:
    """Return whether a record is a puzzle already."""
    return 'best' in record.extra


def find_puzzles(games: Iterable[Record], advisor: Advisor) -> Iterator[Record]:
    """Yield the puzzles among records, and those that the mistakes of games make.

    Mistakes are known under the rules alone that the advisor's values are calibrated for.
    """
    for game in games:
        if is_puzzle(game):
            yield game
        else:
            for choice in decisions(game, advisor):
                if choice.chosen.mark in WORTH_ASKING and has_one_answer(choice.advice):
                    yield puzzle_of(game, choice, advisor)


def is_confirmed(puzzle: Record, advisor: Advisor) -> bool:
    """Return whether a deep look finds the answer clearly better than all other moves."""
    first, second, *_ = advisor.look(open_position(puzzle)).moves
    return first.move == puzzle.extra['best'] and second.behind > second.behind_margin


def has_one_answer(advice: Advice) -> bool:
    """Return whether one move, with those of the same ranks that are worth the same, is clearly better than others."""
    return advice.moves[1].gap >= CLOSE


def puzzle_of(game: Record, choice: Decision, advisor: Advisor) -> Record:
    """Make the puzzle of a choice in a game."""
    position = game.at(choice.ply).seen_by(choice.seat)
    extra = {'best': choice.best.move, 'gap': round(choice.advice.moves[1].gap, 2), 'source': advisor.name}
    return replace(position, seats=None, extra=extra)


def puzzle_id(puzzle: Record) -> str:
    """Return 22 characters that name a puzzle: a checksum of its position."""
    text = records.to_json(replace(puzzle, extra={}, seats=None))
    return urlsafe_b64encode(sha256(text.encode()).digest()[:ID_BYTES]).decode().rstrip('=')


def is_right(puzzle: Record, move: str, advice: Advice) -> bool:
    """Return whether a legal move solves a puzzle: its answer, or one that cannot be told from the best.

    Raises:
        RecordError: if the move is not legal.
    """
    try:
        return move == puzzle.extra['best'] or advice.of(move).gap < CLOSE
    except IllegalActionError:
        raise RecordError(f'{move!r} is not legal in this position') from None
