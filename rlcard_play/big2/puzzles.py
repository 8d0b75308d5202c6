"""Puzzles: positions as the seat to move saw them; see `rlcard_play.study.puzzles`."""

from pathlib import Path

from rlcard_big2.records import Record
from rlcard_kit.errors import IllegalActionError, RecordError
from rlcard_play.big2.advice import CLOSE, Advice

SHIPPED = Path(__file__).with_name('puzzles.big2.jsonl')


def is_right(puzzle: Record, move: str, advice: Advice) -> bool:
    """Return whether a legal move solves a puzzle: the answer, or a move too close to the best to call.

    Raises:
        RecordError: if the move is not legal.
    """
    try:
        return move == puzzle.extra['best'] or advice.of(move).gap < CLOSE
    except IllegalActionError:
        raise RecordError(f'{move!r} is not legal in this position') from None
