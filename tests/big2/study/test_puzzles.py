"""Puzzles: which positions make one, what solves it, and how they are asked in a terminal."""

from dataclasses import replace

import pytest

from rlcard_big2 import cli as commands
from rlcard_big2 import records
from rlcard_big2.rules import Rules
from rlcard_big2.study.advice import CLOSE, make_advisor
from rlcard_big2.study.analysis import open_position
from rlcard_big2.study.puzzles import find_puzzles, is_confirmed, is_right, puzzle_id, shipped
from rlcard_big2.study.review import decisions
from rlcard_big2.terminal.formatting import Style
from rlcard_big2.terminal.quiz import HELP, Quiz
from rlcard_kit.errors import RecordError
from tests.big2.terminal.test_human_agent import Terminal
from tests.support.random_games import random_games

OWN = replace(Rules.preset('taiwan'), penalty_thresholds=(9,))  # which no network was trained on


@pytest.fixture(scope='module')
def advisor():
    return make_advisor('big2-dmc', Rules())


@pytest.fixture(scope='module')
def game(advisor):
    """Return a recorded game with a mistake that makes a puzzle."""
    return next(one for one in random_games(Rules(), 100) if list(find_puzzles([one], advisor)))


def test_a_clear_mistake_makes_a_puzzle_that_shows_no_more_than_the_seat_saw(game, advisor):
    marked = {choice.ply: choice for choice in decisions(game, advisor) if choice.chosen.mark in ('mistake', 'blunder')}
    for puzzle in find_puzzles([game], advisor):
        choice = marked[len(puzzle.moves)]
        assert [hand is not None for hand in puzzle.hands] == [seat == choice.seat for seat in range(4)]
        assert puzzle.player == puzzle.view == choice.seat
        assert puzzle.extra['best'] == choice.best.move != choice.move
        assert puzzle.extra['gap'] >= CLOSE
        assert puzzle.extra['source'] == 'big2-dmc'
        assert puzzle.seats is None


def test_the_answer_is_right_and_the_mistake_wrong(game, advisor):
    (puzzle, *_) = find_puzzles([game], advisor)
    advice = advisor.advise(open_position(puzzle))
    (_, made) = game.trace[len(puzzle.moves)]
    assert is_right(puzzle, puzzle.extra['best'], advice)
    assert not is_right(puzzle, made, advice)
    with pytest.raises(RecordError, match="'3d 3d' is not legal in this position"):
        is_right(puzzle, '3d 3d', advice)


def test_puzzles_among_records_stay_as_they_are(game, advisor):
    puzzles = list(find_puzzles([game], advisor))
    assert list(find_puzzles(puzzles, advisor)) == puzzles
    names = [puzzle_id(puzzle) for puzzle in puzzles]
    assert len(set(names)) == len(puzzles)
    assert all(len(name) == 22 for name in names)


def test_rules_without_numbers_make_no_puzzles(advisor):
    assert list(find_puzzles(random_games(OWN, 5), advisor)) == []


def test_shipped_puzzles_have_one_answer_each(advisor):
    puzzles = shipped()
    assert len({puzzle_id(puzzle) for puzzle in puzzles}) == len(puzzles) >= 40
    for puzzle in puzzles:
        first, second, *_ = advisor.advise(open_position(puzzle)).moves
        assert puzzle.extra['best'] == first.move
        assert second.gap >= CLOSE
    assert is_confirmed(puzzles[0], advisor)


def quiz(*entries, advisor):
    terminal = Terminal(*entries)
    made = Quiz(shipped()[:3], advisor, Style(), read=terminal.read, write=terminal.write)
    made.run()
    return made, '\n'.join(terminal.shown)


def test_a_quiz_counts_what_was_solved(advisor):
    first, second, third = shipped()[:3]
    (_, wrong) = [one.move for one in advisor.advise(open_position(second)).moves[:2]]
    made, shown = quiz(first.extra['best'], 'y', wrong, '', third.extra['best'], advisor=advisor)
    assert (made.solved, made.asked) == (2, 3)
    assert shown.count(' Right.') == 2
    assert f'Not the best: {second.extra["best"]} is.' in shown
    assert 'There are no more puzzles.' in shown
    assert '2 of 3 solved.' in shown


def test_a_quiz_hides_the_answer_until_one_has_chosen(advisor):
    _, shown = quiz('?', 'more', '5z', 'q', advisor=advisor)
    assert '%' not in shown
    assert "'5z' is not a card" in shown
    assert all(meaning.split()[0] in shown for meaning in HELP.values())
    assert '0 of 0 solved.' in shown


@pytest.fixture
def run(in_process):
    """Run `big2 puzzle` in this process; return its exit status and all that it prints."""

    def run(*words, typed=''):
        return in_process(lambda: commands.main(['puzzle', *map(str, words)]), typed=typed)

    return run


@pytest.mark.slow
def test_the_command_asks_in_an_order_of_its_seed_and_writes_what_is_confirmed(run, game, tmp_path):
    status, shown = run('--seed', '3', typed='q\n')
    assert status == 0
    assert '0 of 0 solved.' in shown
    assert run('--seed', '3', typed='q\n') == (0, shown)
    file, found = tmp_path / 'games.big2.jsonl', tmp_path / 'puzzles.big2.jsonl'
    records.write(file, game)
    status, shown = run(file, '--write', found)
    assert status == 0, shown
    assert 'puzzles confirmed and appended to' in shown
    assert all('best' in puzzle.extra for puzzle in records.read(found))


def test_mistakes_are_said_in_a_line(run, tmp_path):
    records.write(tmp_path / 'none', random_games(OWN, 1))
    for words, message in (
        ((tmp_path / 'missing',), 'No such file'),
        ((tmp_path / 'none',), 'no clear mistake was made in'),
        (('--write', '/nowhere/puzzles'), '/nowhere/puzzles'),
    ):
        status, said = run(*words)
        assert status == 1
        assert message in said
