"""Grades hold if rollouts find a move worse by more than the margin, and are withdrawn otherwise."""

from typing import Any, NamedTuple

import pytest

from rlcard_kit.statistics import Estimate
from rlcard_play.big2.played import GAME as BIG2
from rlcard_play.catch5.played import GAME as CATCH5
from rlcard_play.study.grades import check_grades, is_confirmed
from rlcard_play.study.puzzles import read_puzzles


class Told:
    """An advisor whose comparisons are given."""

    def __init__(self, mean, margin):
        self.found = Estimate(mean, margin)

    def compare(self, state, best, move):
        return self.found


@pytest.mark.parametrize(('mean', 'margin', 'holds'), [(3, 1, True), (1.7, 1, False), (-3, 1, False), (0.1, 0, True)])
def test_a_grade_needs_a_clear_loss(mean, margin, holds):
    assert is_confirmed(Told(mean, margin), {}, '3d', 'pass') is holds


class Reviewed(NamedTuple):
    """A reviewed move."""

    ply: int
    move: str
    best: Any


class Ending(NamedTuple):
    """A record, of which an advisor sees the ply alone."""

    ply: int = 0

    def at(self, ply):
        return Ending(ply)


class ByPly:
    """An advisor to whom odd plies are clear mistakes."""

    def compare(self, state, best, move):
        return Estimate(state['ply'] % 2, 0.1)


def test_moves_are_checked_in_their_order_until_the_time_is_over():
    reviewed = [Reviewed(ply, 'pass', Reviewed(ply, '3d', None)) for ply in (7, 2, 5, 4)]
    shown = []
    checked = check_grades(ByPly(), Ending(), reviewed, Ending._asdict, show=shown.append)
    assert checked == (frozenset({7, 5}), frozenset({2, 4}), frozenset())
    assert shown == [0, 1, 2, 3]
    assert check_grades(ByPly(), Ending(), reviewed, Ending._asdict, seconds=0).unchecked == {7, 2, 5, 4}


@pytest.mark.parametrize(
    ('game', 'deals'),
    [
        (BIG2, 'rlcard_play.big2.advice.COMPARED'),
        pytest.param(CATCH5, 'rlcard_play.catch5.advice.DEALS', marks=pytest.mark.slow),
    ],
    ids=['big2', 'catch5'],
)
def test_comparisons_turn_round_with_the_moves(game, deals, monkeypatch):
    monkeypatch.setattr(deals, 20)
    advisor = game.make_advisor(game.advisor, game.rules.preset(game.default_rules))
    puzzle = max(read_puzzles(game.puzzles, game.records).values(), key=lambda one: (len(one.moves), one.extra['gap']))
    state = game.open_position(puzzle)
    best, worst = puzzle.extra['best'], advisor.advise(state).moves[-1].move
    worse = advisor.compare(state, best, worst)
    assert worse.mean > 0
    assert advisor.compare(state, worst, best) == pytest.approx((-worse.mean, worse.margin))
