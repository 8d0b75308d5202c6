"""The search agent plays what rollouts find, repeats itself, and names what it needs."""

import numpy as np
import pytest
import rlcard

from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.registry import make_agent
from rlcard_catch5.search.agent import estimate
from rlcard_kit.errors import ConfigError
from rlcard_kit.registry import AgentNameError
from rlcard_kit.rng import new_streams
from rlcard_kit.vector_env import VectorEnv


def test_estimates_follow_the_rollouts_with_many_worlds_and_the_policy_with_few():
    probabilities, better = np.array([0.6, 0.3, 0.1]), np.array([[0], [3], [-3]])
    many = estimate(probabilities, better + np.zeros((3, 400), np.int64))
    assert many.argmax() == 1
    assert many[1] == pytest.approx(3, abs=0.3)
    assert estimate(probabilities, np.array([[0], [1], [0]])).argmax() == 0


def test_a_game_is_repeated_and_one_candidate_is_played_at_once():
    env = rlcard.make('catch5', config={'seed': 2})
    records = []
    for _ in range(2):
        agents = [make_agent('search:catch5-ppo,worlds=2'), make_agent('catch5-ppo')] * 2
        env.seed(2)
        env.set_agents(agents)
        env.run()
        records.append(env.to_record().moves)
    assert records[0] == records[1]


def test_a_choice_is_legal_and_told_with_the_shares_of_the_policy():
    agent = make_agent('search:catch5-ppo,worlds=4')
    state, _ = rlcard.make('catch5', config={'seed': 1}).reset()
    action, told = agent.eval_step(state)
    assert action in state['legal_actions']
    assert told == make_agent('catch5-ppo').eval_step(state)[1]


def test_equal_moves_are_one_candidate(monkeypatch):
    env, searched = VectorEnv(CATCH5, 'paper', new_streams(3, 40)), []
    for _ in range(12):
        positions = env.positions()
        env.step(positions.moves[positions.offsets[1:] - 1], env.new_payoffs(), np.zeros(40, np.bool_))
    agent, positions = make_agent('search:catch5-ppo,worlds=1'), env.positions()
    outcomes = agent._outcomes
    monkeypatch.setattr(agent, '_outcomes', lambda *given: searched.extend(given[2]) or outcomes(*given))
    agent.choose(positions, new_streams(4, 40))
    probabilities = agent.base.probabilities(positions)
    chosen = agent.base.fold(positions, probabilities)[1]
    assert len(searched) > 10
    for _, moves in searched:
        assert (chosen[moves] == moves).all()
    hidden = chosen != np.arange(len(chosen))
    assert probabilities[hidden].max() > 0.1  # a candidate, did it not equal another


@pytest.mark.parametrize(
    ('name', 'datum'), [('search:rule', 'probabilities'), ('search:catch5-ppo,worlds=0', 'worlds=0')]
)
def test_what_search_needs_is_named(name, datum):
    with pytest.raises((AgentNameError, ConfigError), match=datum):
        make_agent(name)
