"""The published method: its networks, its optimiser, its settings."""

from typing import get_args

import numpy as np
import pytest
import torch

from dmc.config import Config, OptimizerName
from dmc.learner import Learner
from dmc.workers.base import replay_row
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.observation import OBSERVATION, OBSERVATION_SIZE, STATE_SIZE
from rlcard_big2.nets.features import WIDTHS
from rlcard_big2.nets.spec import NETWORKS, ValueSpec
from rlcard_big2.nets.value import ValueNetwork
from rlcard_kit.dtypes import words_of
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.weights import dump_weights, load_weights
from training.learner import num_weights

HIDDEN, SUMMARY = 8, 6

every_network = pytest.mark.parametrize('name', NETWORKS)


pytestmark = pytest.mark.usefixtures('one_thread')


def inputs(count, kind='cards', seed=0):
    """Return random observations and actions, float32 [count, WIDTHS[kind].observation] and [count, .action]."""
    generator = torch.Generator().manual_seed(seed)
    return tuple((torch.rand(count, width, generator=generator) < 0.15).float() for width in WIDTHS[kind])


def weights_of(network):
    return {name: tensor.detach().numpy() for name, tensor in network.state_dict().items()}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_by_hand(w, moves):
    """Return the last output over four rows of 208, [N, SUMMARY]; gates as torch orders them: i, f, g, o."""
    hidden = cell = np.zeros((len(moves), SUMMARY))
    for row in moves.reshape(-1, 4, 208).swapaxes(0, 1):
        gates = row @ w['lstm.weight_ih_l0'].T + w['lstm.bias_ih_l0']
        gates = gates + hidden @ w['lstm.weight_hh_l0'].T + w['lstm.bias_hh_l0']
        i, f, g, o = np.split(gates, 4, axis=1)
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        hidden = sigmoid(o) * np.tanh(cell)
    return hidden


def layer_by_hand(w, moves):
    return np.maximum(moves @ w['history.weight'].T + w['history.bias'], 0)


def nothing(w, moves):
    return moves[:, :0]


BY_HAND = {'lstm': lstm_by_hand, 'layer': layer_by_hand, 'none': nothing}


def values_by_hand(network, observations, actions):
    w = weights_of(network)
    sum_up = BY_HAND[network.spec.design.history]
    state, moves, more = np.split(observations, (STATE_SIZE, OBSERVATION_SIZE), axis=1)
    state = np.concatenate((state, more, sum_up(w, moves)), axis=1)
    x = np.maximum(state @ w['state.weight'].T + w['state.bias'] + actions @ w['action.weight'].T, 0)
    for layer in range(4):
        out = x @ w[f'layers.{layer}.weight'].T + w[f'layers.{layer}.bias']
        x = np.maximum(x + out if network.spec.design.residual else out, 0)
    return (x @ w['value.weight'].T + w['value.bias'])[:, 0]


@pytest.mark.parametrize('kind', WIDTHS)
@every_network
def test_values_are_those_computed_by_hand(name, kind):
    torch.manual_seed(1)
    network = ValueNetwork(ValueSpec(name, HIDDEN, SUMMARY, kind))
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(2)  # at their start the plain network's values hardly depend on its input
    observations, actions = inputs(20, kind)
    by_hand = values_by_hand(network, observations.numpy(), actions.numpy())
    values = network(observations, actions).detach().numpy()
    assert np.ptp(by_hand) > 0.01
    assert np.allclose(values, by_hand, rtol=1e-3, atol=1e-5)


@every_network
def test_sharing_a_state_changes_no_value(name):
    network = ValueNetwork(ValueSpec(name, HIDDEN, SUMMARY, 'cards'))
    observations, actions = inputs(12)
    owners = torch.tensor([0, 0, 0, 1, 1, 2, 2, 2, 2, 2, 2, 2])
    shared = network(observations[:3], actions, owners)
    alone = network(observations[:3][owners], actions)
    assert shared.shape == (12,)
    assert torch.allclose(shared, alone, atol=1e-6)


@every_network
def test_gradients_reach_every_parameter(name):
    torch.manual_seed(2)
    network = ValueNetwork(ValueSpec(name, 32, 16, 'cards'))
    network(*inputs(64)).square().mean().backward()
    assert [key for key, parameter in network.named_parameters() if not parameter.grad.any()] == []


@every_network
def test_bfloat16_stays_close_to_float32(name):
    torch.manual_seed(3)
    network = ValueNetwork(ValueSpec(name, 64, 16, 'cards'))
    observations, actions = inputs(32)
    exact = network(observations, actions)
    rough = network.to(torch.bfloat16)(observations.bfloat16(), actions.bfloat16())
    assert rough.dtype == exact.dtype == torch.float32
    assert torch.allclose(rough, exact, atol=0.03)


FIRST = {
    'lstm': ['lstm.weight_ih_l0', 'lstm.weight_hh_l0', 'lstm.bias_ih_l0', 'lstm.bias_hh_l0'],
    'layer': ['history.weight', 'history.bias'],
    'none': [],
}
LAYERS = [f'layers.{number}.{kind}' for number in range(4) for kind in ('weight', 'bias')]
REST = ['state.weight', 'state.bias', 'action.weight', *LAYERS, 'value.weight', 'value.bias']


@every_network
def test_parameters_keep_the_names_that_checkpoints_have(name):
    names = list(ValueNetwork(ValueSpec(name, HIDDEN, SUMMARY, 'cards')).state_dict())
    assert names == FIRST[NETWORKS[name].history] + REST


def test_the_papers_network_has_its_sizes():
    network = ValueNetwork(ValueSpec('plain', 512, 128, 'cards'))
    assert num_weights(network) == 4 * 128 * (208 + 128 + 2) + (507 + 52 + 128 + 1) * 512 + 4 * 513 * 512 + 513


def test_the_layered_residual_network_on_afterstates_is_the_default():
    torch.manual_seed(4)
    network = ValueNetwork(ValueSpec('layered-residual', HIDDEN, SUMMARY, 'afterstates'))
    torch.manual_seed(4)
    default = ValueNetwork(ValueSpec(hidden_size=HIDDEN, lstm_size=SUMMARY))
    shown = inputs(5, 'afterstates')
    assert torch.equal(network(*shown), default(*shown))


@every_network
def test_weights_survive_flattening(name):
    network, other = (ValueNetwork(ValueSpec(name, HIDDEN, SUMMARY, 'cards')) for _ in range(2))
    load_weights(other, dump_weights(network).copy())
    assert torch.equal(network(*inputs(5)), other(*inputs(5)))


def test_an_unknown_network_is_refused():
    for make in (lambda: ValueSpec('transformer'), lambda: Config.of(network='transformer')):
        with pytest.raises(ConfigError, match=r'transformer.*memoryless-residual'):
            make()


def rows(count):
    """Return decisions of random hands, an action from each, and targets, [count]."""
    random = np.random.default_rng(5)
    out = np.zeros(count, replay_row(BIG2))
    hands = random.integers(1, 2**52, count)
    observations = np.zeros(count, OBSERVATION)
    observations['hand'] = hands
    out['observation'] = words_of(observations)
    out['action'] = hands & -hands
    out['target'] = random.integers(-13, 40, count)
    return out


SLOW = pytest.mark.slow  # one network with each optimiser, and each network with one, show that they go together
LEARNERS = [
    pytest.param(
        name, optimizer, marks=[] if (name, optimizer) in (('residual', 'adam'), ('plain', 'rmsprop')) else [SLOW]
    )
    for name in NETWORKS
    for optimizer in get_args(OptimizerName)
]


@pytest.mark.parametrize(('name', 'optimizer'), LEARNERS)
def test_every_network_learns_with_every_optimizer(name, optimizer):
    config = Config.of(network=name, optimizer=optimizer, hidden_size=32, lstm_size=8, learning_rate=1e-2)
    learner = Learner(config, torch.float32)
    losses = [learner.update(rows(32)) for _ in range(100)]
    assert min(losses) < 0.3 * losses[0]


def test_the_optimiser_is_made_as_the_settings_say():
    rmsprop = Learner(Config.preset('paper', hidden_size=8, lstm_size=8), torch.float32).optimizer
    assert isinstance(rmsprop, torch.optim.RMSprop)
    found = rmsprop.param_groups[0]
    assert [found[name] for name in ('lr', 'alpha', 'eps', 'momentum')] == [1e-4, 0.99, 1e-5, 0.0]
    adam = Learner(Config.of(optimizer='adam', hidden_size=8, lstm_size=8, learning_rate=0.1), torch.float32).optimizer
    assert isinstance(adam, torch.optim.Adam)
    assert adam.param_groups[0]['lr'] == 0.1


def test_unknown_optimizers_are_refused():
    with pytest.raises(ConfigError, match='optimizer'):
        Config.of(optimizer='sgd')


def test_named_settings_can_be_changed():
    assert Config.preset('default') == Config.of()
    assert Config.preset('paper', num_actors=2) == Config.of(**(Config.presets('big2')['paper'] | {'num_actors': 2}))
    with pytest.raises(ConfigError, match=r'newspaper.*default, paper'):
        Config.preset('newspaper')


@pytest.mark.parametrize('name', NETWORKS)
@pytest.mark.parametrize('kind', WIDTHS)
def test_sums_of_rows_give_the_values_and_gradients_of_products(name, kind):
    torch.manual_seed(5)
    network = ValueNetwork(ValueSpec(name, 24, 10, kind))
    observations, actions = inputs(40, kind)
    owners = torch.arange(40) // 3
    found = []
    for dtype in (torch.float32, torch.int8):
        network.zero_grad()
        values = network(observations.to(dtype), actions.to(dtype), owners)
        (values * torch.arange(40)).sum().backward()
        found.append((values, {key: parameter.grad for key, parameter in network.named_parameters()}))
    (products, gradients), (sums, others) = found
    assert torch.allclose(sums, products, atol=1e-6)
    for key, gradient in gradients.items():
        assert gradient.any(), key
        assert torch.allclose(others[key], gradient, rtol=1e-4, atol=1e-4), key


def test_the_learner_sums_rows_in_float32_alone():
    small = {'hidden_size': 16, 'lstm_size': 8}
    sums = Learner(Config.of(**small), torch.float32)
    assert sums.sums
    assert not Learner(Config.of(**small), torch.bfloat16).sums
    products = Learner(Config.of(**small), torch.float32)
    products.network.in_training = False
    for _ in range(5):
        assert sums.update(rows(32)) == pytest.approx(products.update(rows(32)), rel=1e-4)
    for name, weights in products.network.state_dict().items():
        assert torch.allclose(sums.network.state_dict()[name], weights, atol=1e-4), name
