"""The models that come with the package, as RLCard and `make_agent` load them."""

import sys
import warnings
from dataclasses import replace

import pytest
import rlcard

from rlcard_big2.agents.base import GreedyAgent
from rlcard_big2.duplicate import play_match
from rlcard_big2.models import WEIGHTS, load_ppo
from rlcard_big2.registry import AgentNameError, make_agent, weights_file
from rlcard_big2.rules import Rules, find_rules
from rlcard_kit.nets.checkpoint import MissingTorchError


def test_a_model_that_needs_torch_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, 'torch', None)
    with pytest.raises(MissingTorchError, match=r"^a PPO network needs torch: pip install 'rlcard-big2\[torch\]'"):
        load_ppo()
    with pytest.raises(AgentNameError, match=r"'big2-ppo' cannot be made: a PPO network needs torch: pip install"):
        make_agent('big2-ppo')


OWN = replace(Rules.preset('hong-kong'), penalty_thresholds=(10,))


@pytest.mark.parametrize('rules', [*Rules.presets(), OWN], ids=str)
def test_dmc_has_a_network_for_one_preset_and_one_that_is_told_the_others(rules):
    found, is_told = find_rules(rules), rules != 'charlesworth'
    name = 'dmc-tables' if is_told else 'dmc'
    agent = make_agent('big2-dmc,numpy', rules)
    assert agent.trained_on == (None if is_told else found)
    assert agent.calibration(found) is not None
    assert weights_file('big2-dmc', rules).parent == WEIGHTS / name
    others = replace(found, unplayed_bombs=not found.unplayed_bombs)
    alone = make_agent(f'dmc:{WEIGHTS / name},numpy', rules)
    assert (alone.calibration(others) is None) == (not is_told)
    assert agent.calibration(others) is not None
    opening = rlcard.make('big2', config={'seed': 4, 'game_rules': rules}).reset()[0]
    assert agent.eval_step(opening) == alone.eval_step(opening)
    assert play_match(agent, GreedyAgent(), 2, rules).notes == ()


def test_one_agent_plays_two_games_of_different_rules_in_turn():
    agent, rules = make_agent('big2-dmc,numpy'), ('charlesworth', 'hkust', 'taiwan', 'two')
    states = {name: rlcard.make('big2', config={'seed': 4, 'game_rules': name}).reset()[0] for name in rules}
    for name, state in [*states.items()] * 2:
        assert agent.eval_step(state) == make_agent('big2-dmc,numpy', name).eval_step(state)


def test_agents_around_an_agent_know_what_it_was_trained_on():
    for name in ('search:big2-dmc,worlds=1', 'big2-dmc,numpy,epsilon=0.1'):
        agent = make_agent(name, 'hkust')
        assert agent.trained_on is None, 'it is told the rules'
        agent.prepare(Rules())
        assert agent.trained_on == Rules()


def test_a_match_and_a_game_say_that_an_agent_knows_other_rules():
    agent = make_agent(f'dmc:{WEIGHTS / "dmc"},numpy', 'taiwan')
    note = 'the agent was not trained on these rules: it knows charlesworth'
    assert play_match(agent, GreedyAgent(), 2, 'taiwan').notes == (note,)
    assert note in str(play_match(agent, GreedyAgent(), 2, 'taiwan'))
    assert play_match(agent, GreedyAgent(), 2).notes == ()
    with pytest.warns(UserWarning, match=r'^The agent in seat [13] was not trained on these rules: it knows'):
        rlcard.make('big2', config={'game_rules': 'taiwan'}).set_agents([GreedyAgent(), agent, GreedyAgent(), agent])
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        rlcard.make('big2').set_agents([agent] * 4)
