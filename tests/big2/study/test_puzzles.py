"""Puzzles: made from clear mistakes, and solved by the best move."""

from dataclasses import replace

import pytest

from rlcard_big2.records import FORMAT
from rlcard_big2.rules import Rules
from rlcard_big2.study.advice import CLOSE, make_advisor
from rlcard_big2.study.puzzles import SHIPPED, find_puzzles, is_confirmed, is_right, themes_of
from rlcard_big2.study.review import open_position, review
from rlcard_big2.study.views import position_view
from rlcard_kit.errors import RecordError
from rlcard_kit.study.puzzles import puzzle_id, read_puzzles
from tests.support.random_games import random_games

OWN = replace(Rules.preset('taiwan'), penalty_thresholds=(9,))  # no network was trained on these


@pytest.fixture(scope='module')
def advisor():
    return make_advisor('big2-dmc', Rules())


@pytest.fixture(scope='module')
def game(advisor):
    """Return a recorded game with a mistake that makes a puzzle."""
    return next(one for one in random_games(Rules(), 100) if list(find_puzzles([one], advisor)))


def test_a_puzzle_shows_only_what_the_seat_saw(game, advisor):
    marked = {one.ply: one for one in review(game, advisor) if one.chosen.mark in ('mistake', 'blunder')}
    puzzles = list(find_puzzles([game], advisor))
    for puzzle in puzzles:
        mistake = marked[len(puzzle.moves)]
        assert [hand is not None for hand in puzzle.hands] == [seat == mistake.seat for seat in range(4)]
        assert puzzle.player == puzzle.view == mistake.seat
        assert puzzle.extra['best'] == mistake.best.move != mistake.move
        assert puzzle.extra['gap'] >= CLOSE
        assert puzzle.extra['source'] == 'big2-dmc'
        assert puzzle.seats is None
    names = {puzzle_id(puzzle, FORMAT) for puzzle in puzzles}
    assert len(names) == len(puzzles)
    assert {len(name) for name in names} == {22}


def test_the_best_move_is_right_and_the_mistake_is_wrong(game, advisor):
    (puzzle, *_) = find_puzzles([game], advisor)
    advice = advisor.advise(open_position(puzzle))
    (_, made) = game.trace[len(puzzle.moves)]
    assert is_right(puzzle, puzzle.extra['best'], advice)
    assert not is_right(puzzle, made, advice)
    with pytest.raises(RecordError, match="'3d 3d'"):
        is_right(puzzle, '3d 3d', advice)


def test_rules_without_calibration_make_no_puzzles(advisor):
    assert list(find_puzzles(random_games(OWN, 5), advisor)) == []


def test_shipped_puzzles_have_one_answer_each(advisor):
    puzzles = list(read_puzzles(SHIPPED, FORMAT).values())
    assert len(puzzles) == len(SHIPPED.read_text().splitlines()) >= 40
    for puzzle in puzzles:
        first, second, *_ = advisor.advise(open_position(puzzle)).moves
        assert puzzle.extra['best'] == first.move
        assert second.gap >= CLOSE
    assert is_confirmed(puzzles[0], advisor)


def test_themes_follow_from_what_the_seat_sees():
    for puzzle in read_puzzles(SHIPPED, FORMAT).values():
        view = position_view(puzzle, puzzle.player)
        wanted = {
            'endgame': min(view['left']) <= 3,
            'lead': view['table_hand'] is None,
            'pass': 'pass' in view['legal'],
        }
        assert themes_of(puzzle) == [name for name, fits in wanted.items() if fits]
