"""Reviews of recorded games, and grades: they hold if rollouts find a move worse by more than the margin."""

from typing import Any, NamedTuple

import pytest

from rlcard_big2.rules import Rules
from rlcard_kit.errors import RecordError
from rlcard_play.big2.advice import CLOSE, make_advisor
from rlcard_play.big2.review import costliest, open_position, review
from rlcard_play.catch5.review import open_position as open_hand
from rlcard_play.games import GAMES
from rlcard_play.study.protocols import Loss
from rlcard_play.study.puzzles import read_puzzles
from rlcard_play.study.review import check_grades, is_confirmed
from tests.support.played_hands import hands_of
from tests.support.random_games import random_games


@pytest.fixture(scope='module')
def advisor():
    return make_advisor('big2-dmc', Rules())


def test_every_decision_is_reviewed_and_the_costliest_come_first(advisor):
    game = random_games(Rules(), 1, seed=3)[0]
    reviewed = list(review(game, advisor))
    worst = costliest(reviewed)
    assert len(worst) == 3
    assert [one.chosen.lost for one in worst] == sorted((one.chosen.lost for one in reviewed), reverse=True)[:3]
    assert all(one.chosen.gap >= CLOSE for one in worst)
    assert costliest([one for one in reviewed if one.chosen.gap < CLOSE]) == []
    for one in reviewed:
        assert (one.seat, one.move) == game.trace[one.ply]
        assert one.move in (one.chosen.move, *one.chosen.alike)


def test_only_seats_with_known_hands_are_reviewed(advisor):
    game = random_games(Rules(), 1, seed=4)[0].at(20).seen_by(2)
    assert {one.seat for one in review(game, advisor)} == {2}


def test_positions_without_a_known_hand_to_move_are_refused():
    game = random_games(Rules(), 1, seed=4)[0]
    for record in (game, game.at(1).seen_by(game.at(0).player)):
        with pytest.raises(RecordError):
            open_position(record)


def test_a_review_of_a_hand_finds_moves_that_the_network_does_not_make():
    catch5 = GAMES['catch5']
    advisor = catch5.make_advisor('catch5-ppo', catch5.rules())
    own, random = (list(catch5.review(hands_of(name, 1, seed=3)[0], advisor)) for name in ('catch5-ppo', 'random'))
    assert all(one.chosen == one.best for one in own)
    assert not catch5.graded(own)
    worst = catch5.graded(random)
    assert len(worst) >= 3
    assert [one.chosen.share for one in worst] == sorted(one.chosen.share for one in worst)
    assert all(one.chosen.share < 0.1 and one.best.share > 0.5 for one in worst)


def test_a_hand_that_is_over_has_no_position():
    (record,) = hands_of('rule', 1, seed=3)
    assert open_hand(record.at(6))['raw_obs']['self'] == record.at(6).player
    with pytest.raises(RecordError, match='ply 0 to 28'):
        open_hand(record)


class Told:
    """An advisor whose comparisons are given."""

    def __init__(self, mean, margin):
        self.found = Loss(mean, margin)

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
        return Loss(state['ply'] % 2, 0.1)


def test_moves_are_checked_in_their_order_until_the_time_is_over():
    reviewed = [Reviewed(ply, 'pass', Reviewed(ply, '3d', None)) for ply in (7, 2, 5, 4)]
    shown = []
    checked = check_grades(ByPly(), Ending(), reviewed, Ending._asdict, show=shown.append)
    assert checked[:3] == (frozenset({7, 5}), frozenset({2, 4}), frozenset())
    assert shown == [0, 1, 2, 3]
    assert check_grades(ByPly(), Ending(), reviewed, Ending._asdict, seconds=0).unchecked == {7, 2, 5, 4}


@pytest.mark.parametrize(
    ('key', 'deals'),
    [
        ('big2', 'rlcard_play.big2.advice.COMPARED'),
        pytest.param('catch5', 'rlcard_play.catch5.advice.DEALS', marks=pytest.mark.slow),
    ],
)
def test_comparisons_turn_round_with_the_moves(key, deals, monkeypatch):
    monkeypatch.setattr(deals, 20)
    game = GAMES[key]
    advisor = game.make_advisor(game.advisor, game.rules.preset(game.default_rules))
    puzzle = max(read_puzzles(game.puzzles, game.records).values(), key=lambda one: (len(one.moves), one.extra['gap']))
    state = game.open_position(puzzle)
    best, worst = puzzle.extra['best'], advisor.advise(state).moves[-1].move
    worse = advisor.compare(state, best, worst)
    assert worse.mean > 0
    assert advisor.compare(state, worst, best)[:2] == pytest.approx((-worse.mean, worse.margin))
