"""Reviews of recorded games."""

import pytest

from rlcard_big2.rules import Rules
from rlcard_kit.errors import RecordError
from rlcard_play.big2.advice import CLOSE, make_advisor
from rlcard_play.big2.review import costliest, open_position, review
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
