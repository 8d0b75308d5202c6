"""Puzzles: positions as the seat to move saw them before a clear mistake; see `rlcard_kit.study.puzzles`."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from rlcard_big2.records import Record
from rlcard_big2.study.advice import CLOSE, Advice, Advisor
from rlcard_big2.study.review import open_position, review
from rlcard_kit.errors import IllegalActionError, RecordError
from rlcard_kit.study.puzzles import puzzle_of

SHIPPED = Path(__file__).with_name('puzzles.big2.jsonl')
CLEAR_MISTAKES = ('mistake', 'blunder')
FEW_CARDS = 3  # of a player, in the endgame


def find_puzzles(games: Iterable[Record], advisor: Advisor) -> Iterator[Record]:
    """Yield a puzzle for each clear mistake in recorded games.

    Mistakes can be found only under rules for which the advisor's values are calibrated.
    """
    for game in games:
        for one in review(game, advisor):
            if one.chosen.mark in CLEAR_MISTAKES and has_one_answer(one.advice):
                position = game.at(one.ply).seen_by(one.seat)
                yield puzzle_of(position, one.best.move, one.advice.moves[1].gap, advisor.name)


def is_confirmed(puzzle: Record, advisor: Advisor) -> bool:
    """Return whether rollouts also find the answer clearly better than all other moves."""
    first, second, *_ = advisor.look(open_position(puzzle)).moves
    return first.move == puzzle.extra['best'] and second.behind > second.behind_margin


def has_one_answer(advice: Advice) -> bool:
    """Return whether one move, or one set of equal moves of the same ranks, is clearly the best."""
    return advice.moves[1].gap >= CLOSE


def is_right(puzzle: Record, move: str, advice: Advice) -> bool:
    """Return whether a legal move solves a puzzle: the answer, or a move too close to the best to call.

    Raises:
        RecordError: if the move is not legal.
    """
    try:
        return move == puzzle.extra['best'] or advice.of(move).gap < CLOSE
    except IllegalActionError:
        raise RecordError(f'{move!r} is not legal in this position') from None


def themes_of(puzzle: Record) -> list[str]:
    """Return the themes of a puzzle, which say nothing of its answer."""
    scene = puzzle.scene()
    themes = {'endgame': min(scene.left) <= FEW_CARDS, 'lead': not scene.table, 'pass': bool(scene.table)}
    return [name for name, fits in themes.items() if fits]
