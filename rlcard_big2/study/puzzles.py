"""Puzzles: positions with one clearly best move, taken from mistakes in recorded games.

A puzzle is a position as seen by the seat to move, with the extra keys 'best' and 'gap'; see docs/records.md.
"""

from base64 import urlsafe_b64encode
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from rlcard_big2 import records
from rlcard_big2.records import Record
from rlcard_big2.study.advice import CLOSE, Advice, Advisor
from rlcard_big2.study.review import ReviewedMove, open_position, review
from rlcard_kit.envs.seated_game import ID_BYTES
from rlcard_kit.errors import IllegalActionError, RecordError

SHIPPED = Path(__file__).with_name('puzzles.big2.jsonl')
CLEAR_MISTAKES = ('mistake', 'blunder')


def shipped() -> list[Record]:
    """Return the puzzles shipped with the package."""
    return records.read(SHIPPED)


def find_puzzles(games: Iterable[Record], advisor: Advisor) -> Iterator[Record]:
    """Yield a puzzle for each clear mistake in recorded games.

    Mistakes can be found only under rules for which the advisor's values are calibrated.
    """
    for game in games:
        for one in review(game, advisor):
            if one.chosen.mark in CLEAR_MISTAKES and has_one_answer(one.advice):
                yield puzzle_of(game, one, advisor)


def is_confirmed(puzzle: Record, advisor: Advisor) -> bool:
    """Return whether rollouts also find the answer clearly better than all other moves."""
    first, second, *_ = advisor.look(open_position(puzzle)).moves
    return first.move == puzzle.extra['best'] and second.behind > second.behind_margin


def has_one_answer(advice: Advice) -> bool:
    """Return whether one move, or one set of equal moves of the same ranks, is clearly the best."""
    return advice.moves[1].gap >= CLOSE


def puzzle_of(game: Record, mistake: ReviewedMove, advisor: Advisor) -> Record:
    """Make a puzzle from a mistake in a game."""
    position = game.at(mistake.ply).seen_by(mistake.seat)
    extra = {'best': mistake.best.move, 'gap': round(mistake.advice.moves[1].gap, 2), 'source': advisor.name}
    return replace(position, seats=None, extra=extra)


def puzzle_id(puzzle: Record) -> str:
    """Return the id of a puzzle: 22 characters, a checksum of its position."""
    text = records.to_json(replace(puzzle, extra={}, seats=None))
    return urlsafe_b64encode(sha256(text.encode()).digest()[:ID_BYTES]).decode().rstrip('=')


def is_right(puzzle: Record, move: str, advice: Advice) -> bool:
    """Return whether a legal move solves a puzzle: the answer, or a move too close to the best to call.

    Raises:
        RecordError: if the move is not legal.
    """
    try:
        return move == puzzle.extra['best'] or advice.of(move).gap < CLOSE
    except IllegalActionError:
        raise RecordError(f'{move!r} is not legal in this position') from None
