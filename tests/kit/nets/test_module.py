"""Networks as torch modules of tensors: the values and probabilities of the agents that play by them."""

import numpy as np
import pytest
import torch

import dmc.config
import ppo.config
import rlcard_big2
import rlcard_catch5
from rlcard_big2.engine.big2 import big2_for
from rlcard_big2.rules import PRESETS
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets import checkpoint
from tests.support.positions import random_positions
from tests.support.training import save_network

CATCH5_SETTINGS = {'game': 'catch5', 'rules': 'paper', 'hidden_size': 16}
TRAINED = {
    'cards': (dmc.config.Config, {'hidden_size': 16, 'lstm_size': 8, 'inputs': 'cards'}),
    'told': (dmc.config.Config, {'hidden_size': 16, 'lstm_size': 8, 'inputs': 'tables'}),
    'suits-value': (dmc.config.Config, {**CATCH5_SETTINGS, 'network': 'suits'}),
    'actions': (ppo.config.Config, {'hidden_size': 16, 'inputs': 'tables', 'rules': 'hong-kong'}),
    'charlesworth': (ppo.config.Config, {'network': 'charlesworth'}),
    'suits': (ppo.config.Config, {**CATCH5_SETTINGS, 'network': 'suits'}),
    'vonyork': (ppo.config.Config, {**CATCH5_SETTINGS, 'network': 'vonyork'}),
    'vonyork-leaky': (ppo.config.Config, {**CATCH5_SETTINGS, 'network': 'vonyork-leaky'}),
}


def check(agent, rules, card):
    """Check a module against its agent, for one game and several; return what it returns last."""
    module = agent.torch_module()
    for count in (1, 6):
        for positions in random_positions(count, rules, 14, card):
            inputs = module.inputs(positions)
            with torch.inference_mode():
                made = module(**inputs)
            outputs = dict(zip(module.outputs, made if isinstance(made, tuple) else (made,), strict=True))
            if 'log_probabilities' in outputs:
                probabilities, values = agent.network.probabilities(positions)
                np.testing.assert_allclose(outputs['log_probabilities'].exp(), probabilities, rtol=0, atol=1e-5)
            else:
                values = agent.network.values(positions)
            np.testing.assert_allclose(outputs['values'], values, rtol=0, atol=1e-4)
            for name, columns in module.columns.items():
                is_described = isinstance(columns, str) and inputs[name].ndim == 1
                assert is_described or sum(columns.values()) == inputs[name].shape[1]
    return outputs


def test_an_agent_that_plays_in_numpy_has_the_module_too():
    agent = rlcard_big2.make_agent('big2-dmc,numpy', 'taiwan')
    check(agent, 'taiwan', big2_for(PRESETS['taiwan']))
    agent.prepare(PRESETS['charlesworth'])
    check(agent, 'charlesworth', big2_for(PRESETS['charlesworth']))
    check(rlcard_catch5.make_agent('catch5-ppo'), 'paper', CATCH5)


@pytest.mark.parametrize('name', TRAINED)
def test_modules_of_trained_networks_have_their_values(name, tmp_path):
    kind, settings = TRAINED[name]
    config = kind.of(**settings)
    game = config.find_game()
    torch.manual_seed(3)
    network = game.make_network(config.spec)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(3)  # at its start, its outputs hardly depend on its inputs
    save_network(tmp_path, config, network, 7)
    agent = game.load_agent(config.agent, tmp_path)
    rules = game.find_rules(config.game.rules)
    agent.prepare(rules)
    outputs = check(agent, rules, game.card.for_rules(rules))
    assert min(np.ptp(output.numpy()) for output in outputs.values()) > 1e-3


def test_an_agent_without_a_folder_or_without_torch_says_so(monkeypatch):
    agent = rlcard_big2.make_agent('big2-dmc,numpy', 'charlesworth')
    with pytest.raises(ConfigError, match='DMCAgent was made from a network'):
        rlcard_big2.nets.agents.DMCAgent(agent.network).torch_module()
    monkeypatch.setattr(checkpoint, 'has_torch', lambda: False)
    with pytest.raises(checkpoint.MissingTorchError, match='a torch module needs torch'):
        agent.torch_module()
