"""The models that come with the package, as RLCard and `make_agent` load them."""

import subprocess
import sys
import warnings
from dataclasses import replace

import numpy as np
import pytest
import rlcard
import torch
from safetensors.torch import load_file

import rlcard_big2  # noqa: F401  # registers 'big2' and the models
from eval.provenance import weights_checksum
from rlcard_big2.agents.greedy import GreedyAgent
from rlcard_big2.duplicate import play_match
from rlcard_big2.models import BELIEFS, MODELS, PRUNING, SHIPPED, WEIGHTS, describe_models, load_ppo
from rlcard_big2.registry import AgentNameError, make_agent, weights_file
from rlcard_big2.rules import PRESETS, Rules
from rlcard_kit.files import checksum
from rlcard_kit.nets.checkpoint import MissingTorchError

models = pytest.importorskip('rlcard.models')

OPINIONS = {'big2-dmc': 'values', 'big2-ppo': 'probs'}  # where each says what it thinks

pytestmark = pytest.mark.usefixtures('one_thread')

WITHOUT_TORCH = """
import sys
sys.modules['torch'] = None
import numpy, rlcard, rlcard_big2
from rlcard_big2.registry import make_agent
env = rlcard.make('big2', config={'seed': 4})
env.set_agents([make_agent(name) for name in ('big2-dmc', 'dmc:FOLDER', 'rule', 'random')])
_, payoffs = env.run(is_training=False)
assert payoffs.sum() == 0
assert sys.modules['torch'] is None and not any(name.startswith('torch.') for name in sys.modules)
""".replace('FOLDER', str(WEIGHTS / 'dmc'))


@pytest.mark.parametrize('name', MODELS)
def test_a_model_tells_what_it_thinks_of_each_raw_action(name):
    state, _ = rlcard.make('big2', config={'seed': 4}).reset()
    action, info = models.load(name).agents[0].eval_step(state)
    assert action in state['legal_actions']
    if name in OPINIONS:
        opinion = info[OPINIONS[name]]
        assert list(opinion) == list(state['raw_legal_actions'])
        assert list(state['legal_actions'])[int(np.argmax(list(opinion.values())))] == action


def test_the_dmc_model_plays_without_torch():
    result = subprocess.run([sys.executable, '-c', WITHOUT_TORCH], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr


def test_a_model_that_needs_torch_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, 'torch', None)
    with pytest.raises(MissingTorchError, match=r"^a PPO network needs torch: pip install 'rlcard-big2\[torch\]'$"):
        load_ppo()
    with pytest.raises(AgentNameError, match=r"'big2-ppo' cannot be made: a PPO network needs torch: pip install"):
        make_agent('big2-ppo')


def test_weights_are_small():
    assert sum(path.stat().st_size for path in WEIGHTS.rglob('*')) < 12e6


@pytest.mark.parametrize(
    'name', [name for shipped in (SHIPPED, BELIEFS, PRUNING) for names in shipped.names.values() for name in names]
)
def test_weights_are_halves_and_their_card_has_their_checksum(name):
    path = WEIGHTS / name / 'network.safetensors'
    assert {tensor.dtype for tensor in load_file(path).values()} == {torch.float16}
    assert checksum(path) in (WEIGHTS / name / 'MODEL_CARD.md').read_text()


@pytest.mark.parametrize('rules', PRESETS)
def test_dmc_has_a_network_for_each_preset(rules):
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


def test_one_agent_plays_two_games_of_different_rules_in_turn():
    agent = make_agent('big2-dmc,numpy')
    states = {rules: rlcard.make('big2', config={'seed': 4, 'game_rules': rules}).reset()[0] for rules in PRESETS}
    for rules, state in [*states.items()] * 2:
        assert agent.eval_step(state) == make_agent('big2-dmc,numpy', rules).eval_step(state)
        assert agent.trained_on.name == rules


def test_agents_around_an_agent_know_what_it_was_trained_on():
    for name in ('search:big2-dmc,worlds=1', 'big2-dmc,numpy,epsilon=0.1'):
        agent = make_agent(name, 'taiwan')
        assert agent.trained_on == Rules.preset('taiwan')
        agent.prepare(Rules())
        assert agent.trained_on == Rules()


def test_the_listing_says_what_there_is():
    dmc, *others, ppo, beliefs, playouts = describe_models()
    named = (dmc, ppo, beliefs, playouts)
    assert [one.name for one in named] == ['big2-dmc', 'big2-ppo', 'beliefs', 'playouts']
    assert {one.rules for one in named} == {Rules.preset('charlesworth')}
    assert [(model.name, model.rules.name) for model in others] == [('big2-dmc', name) for name in list(PRESETS)[1:]]
    assert dmc.frames == 96_999_168
    assert dmc.num_bytes == (WEIGHTS / 'dmc/network.safetensors').stat().st_size
    words = [sys.executable, '-m', 'rlcard_big2.models', '--rules', 'hkust']
    listing = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout
    for model in (*named, *others):
        assert all(word in listing for word in (model.name, f'{model.frames:,}', model.sha256))
    assert listing.count('was not trained on these rules: it knows') == len(named) + len(others) - 1


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


def test_reports_carry_the_checksums_of_shipped_weights():
    for model in SHIPPED.describe():
        assert weights_checksum(None, weights_file(f'{model.name},epsilon=0.1', model.rules)) == model.sha256


@pytest.mark.parametrize('rules', PRESETS)
def test_a_note_says_which_rules_a_model_was_not_trained_on(rules):
    for model in describe_models():
        assert bool(model.note(Rules.preset(rules))) == (rules != model.rules.name)
