"""Reviews of recorded games."""

import pytest

from rlcard_big2.rules import Rules
from rlcard_kit.errors import RecordError
from rlcard_play.big2.advice import CLOSE, make_advisor
from rlcard_play.big2.review import costliest, open_position, review
from rlcard_play.catch5.review import open_position as open_hand
from rlcard_play.games import GAMES
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
