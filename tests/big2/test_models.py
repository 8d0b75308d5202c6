"""The models that come with the package, as RLCard and `make_agent` load them."""

import sys
import warnings
from dataclasses import replace

import pytest
import rlcard

import rlcard_big2  # noqa: F401  # registers 'big2' and the models
from rlcard_big2.agents.greedy import GreedyAgent
from rlcard_big2.duplicate import play_match
from rlcard_big2.models import WEIGHTS, load_ppo
from rlcard_big2.registry import AgentNameError, make_agent, weights_file
from rlcard_big2.rules import FOUR_PLAYERS, Rules
from rlcard_kit.files import checksum
from rlcard_kit.nets.checkpoint import MissingTorchError

pytestmark = pytest.mark.usefixtures('one_thread')


def test_a_model_that_needs_torch_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, 'torch', None)
    with pytest.raises(MissingTorchError, match=r"^a PPO network needs torch: pip install '\.\[torch\]'$"):
        load_ppo()
    with pytest.raises(AgentNameError, match=r"'big2-ppo' cannot be made: a PPO network needs torch: pip install"):
        make_agent('big2-ppo')


def test_shipped_weights_are_what_they_were():
    sums = {kind: checksum(WEIGHTS / kind / 'network.safetensors')[:16] for kind in ('dmc', 'ppo')}
    assert sums == {'dmc': 'b6af7f9a7a741898', 'ppo': '58e3f4caa31173f6'}


TRAINED = ('charlesworth', 'hkust', 'hong-kong', 'taiwan')


@pytest.mark.parametrize('rules', TRAINED)
def test_dmc_has_a_network_for_each_of_these_presets(rules):
    preset = Rules.preset(rules)
    agent = make_agent('big2-dmc,numpy', rules)
    assert agent.trained_on == preset
    assert agent.calibration(preset) is not None
    weights = weights_file('big2-dmc', rules)
    alone = make_agent(f'dmc:{weights.parent},numpy', rules)
    opening = rlcard.make('big2', config={'seed': 4, 'game_rules': rules}).reset()[0]
    assert agent.eval_step(opening) == alone.eval_step(opening)


def test_rules_that_no_network_knows_are_played_by_the_nearest():
    agent = make_agent('big2-dmc,numpy', replace(Rules.preset('hong-kong'), penalty_thresholds=(10,)))
    assert agent.trained_on == Rules.preset('hong-kong')
    assert agent.calibration(agent.rules) is None
    assert play_match(agent, GreedyAgent(), 2, agent.rules).notes[0].endswith('it knows hong-kong')
    nearest = {
        rules: make_agent('big2-dmc,numpy', rules).trained_on.name for rules in FOUR_PLAYERS if rules not in TRAINED
    }
    assert nearest == {
        'game-sofa': 'taiwan', 'pusoy-dos': 'hkust', 'coders-for-causes': 'hkust', 'bluo42': 'hkust',
    }  # fmt: skip


def test_one_agent_plays_two_games_of_different_rules_in_turn():
    agent = make_agent('big2-dmc,numpy')
    states = {rules: rlcard.make('big2', config={'seed': 4, 'game_rules': rules}).reset()[0] for rules in TRAINED}
    for rules, state in [*states.items()] * 2:
        assert agent.eval_step(state) == make_agent('big2-dmc,numpy', rules).eval_step(state)
        assert agent.trained_on.name == rules


def test_agents_around_an_agent_know_what_it_was_trained_on():
    for name in ('search:big2-dmc,worlds=1', 'big2-dmc,numpy,epsilon=0.1'):
        agent = make_agent(name, 'taiwan')
        assert agent.trained_on == Rules.preset('taiwan')
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
