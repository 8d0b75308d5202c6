"""Advice of networks, and reviews of recorded hands."""

import numpy as np
import pytest
import rlcard

from rlcard_catch5.registry import make_agent
from rlcard_catch5.rules import Rules
from rlcard_kit.errors import ConfigError, RecordError
from rlcard_kit.nets.agents import ValueAgent
from rlcard_play.catch5.advice import Advisor, make_advisor, oddest, open_position, review


class Lengths:
    """A function of moves that prefers the highest action ids."""

    def values(self, positions):
        return positions.moves.astype('float32')


def played(name, seed=3):
    """Return the record of a hand that four agents of a name played."""
    env = rlcard.make('catch5', config={'seed': seed})
    np.random.seed(seed)  # random agents seed themselves from it
    env.set_agents([make_agent(name)] * 4)
    env.run()
    return env.to_record()


def test_a_policy_gives_shares_and_a_value_for_the_position():
    state = rlcard.make('catch5', config={'seed': 1}).reset()[0]
    advice = make_advisor('catch5-ppo', Rules()).advise(state)
    assert {one.move for one in advice.moves} == set(state['raw_legal_actions'])
    assert sum(one.share for one in advice.moves) == pytest.approx(1)
    assert [one.share for one in advice.moves] == sorted((one.share for one in advice.moves), reverse=True)
    assert advice.points == make_agent('catch5-ppo').eval_step(state)[1]['value']


def test_a_function_of_values_gives_points_for_each_move():
    state = rlcard.make('catch5', config={'seed': 1}).reset()[0]
    advice = Advisor(ValueAgent(Lengths()), 'lengths').advise(state)
    assert [one.move for one in advice.moves] == state['raw_legal_actions'][::-1]
    assert advice.points == advice.moves[0].points == list(state['legal_actions'])[-1]


def test_agents_that_judge_no_moves_are_refused():
    with pytest.raises(ConfigError, match="'rule'"):
        make_advisor('rule', Rules())


def test_a_review_has_every_choice_and_finds_moves_that_the_network_does_not_make():
    advisor = make_advisor('catch5-ppo', Rules())
    own, random = (list(review(played(name), advisor)) for name in ('catch5-ppo', 'random'))
    assert all(one.chosen == one.best for one in own)
    assert not oddest(own)
    found = oddest(random)
    assert len(found) == 3
    assert all(one.chosen.share < 0.1 and one.best.share > 0.5 for one in found)


def test_a_hand_that_is_over_has_no_position():
    record = played('rule')
    assert open_position(record.at(6))['raw_obs']['self'] == record.at(6).player
    with pytest.raises(RecordError, match='ply 0 to 28'):
        open_position(record)
