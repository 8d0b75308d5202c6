"""Advice of networks."""

import pytest
import rlcard

from rlcard_catch5.registry import make_agent
from rlcard_catch5.rules import Rules
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.agents import ValueAgent
from rlcard_play.catch5.advice import Advisor, make_advisor


class Lengths:
    """A function of moves that prefers the highest action ids."""

    def values(self, positions):
        return positions.moves.astype('float32')


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
