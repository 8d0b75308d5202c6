"""Shipped puzzles: one answer each, which rollouts confirm."""

import pytest

from rlcard_big2.records import FORMAT
from rlcard_big2.rules import PRESETS, Rules
from rlcard_play.big2.advice import CLOSE, make_advisor
from rlcard_play.big2.played import GAME, is_right
from rlcard_play.big2.review import open_position
from rlcard_play.study.puzzles import DIFFICULTIES, puzzle_id, read_puzzles


@pytest.fixture(scope='module')
def advisor():
    return make_advisor('big2-dmc', Rules())


@pytest.fixture(scope='module')
def shipped():
    return read_puzzles(GAME.puzzles, FORMAT)


def test_shipped_puzzles_have_one_answer_each(advisor, shipped):
    assert len(shipped) == len(GAME.puzzles.read_text().splitlines()) >= 1000
    for name, puzzle in list(shipped.items())[::40]:
        assert len(name) == 22
        assert puzzle_id(puzzle, FORMAT) == name
        assert [hand is not None for hand in puzzle.hands] == [seat == puzzle.player for seat in range(4)]
        advice = advisor.advise(open_position(puzzle))
        first, *others = advice.moves
        assert puzzle.extra['best'] == first.move
        assert others[0].gap >= CLOSE
        assert [is_right(puzzle, one.move, advice) for one in advice.moves] == [True, *[False] * len(others)]


@pytest.mark.parametrize(('rules', 'least'), [('charlesworth', 100), ('hong-kong', 15)])
def test_each_theme_and_difficulty_has_puzzles(shipped, rules, least):
    chosen = [puzzle for puzzle in shipped.values() if puzzle.rules == PRESETS[rules]]
    themes = [name for puzzle in chosen for name in puzzle.extra['themes']]
    assert set(themes) == {'break', 'control', 'endgame', 'pass', 'win'}
    assert min(map(themes.count, set(themes))) >= least
    found = {name: [one.extra['found'] for one in chosen if one.extra['difficulty'] == name] for name in DIFFICULTIES}
    assert min(found['easy']) >= max(found['medium']) >= min(found['medium']) >= max(found['hard'])
    assert max(map(len, found.values())) - min(map(len, found.values())) <= 1
