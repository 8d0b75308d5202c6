"""Value networks of Big 2: values by hand, sums of rows, and learning with each optimiser."""

import numpy as np
import pytest
import torch

from dmc.config import Config
from dmc.workers.base import replay_dtype
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.observation import OBSERVATION, OBSERVATION_SIZE, STATE_SIZE
from rlcard_big2.nets.features import WIDTHS
from rlcard_big2.nets.spec import NETWORKS, ValueSpec
from rlcard_big2.nets.value import ValueNetwork
from rlcard_kit.arrays import words_of
from tests.support.training import dmc_learner
from training.learner import num_weights

HIDDEN, SUMMARY = 8, 6

every_network = pytest.mark.parametrize('name', NETWORKS)
every_kind = pytest.mark.parametrize('kind', WIDTHS)


def inputs(count, kind='cards', seed=0):
    """Return random observations and actions, float32 [count, WIDTHS[kind].observation] and [count, .action]."""
    generator = torch.Generator().manual_seed(seed)
    return tuple((torch.rand(count, width, generator=generator) < 0.15).float() for width in WIDTHS[kind])


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


BY_HAND = {
    'lstm': lstm_by_hand,
    'layer': lambda w, moves: np.maximum(moves @ w['history.weight'].T + w['history.bias'], 0),
    'none': lambda w, moves: moves[:, :0],
}


def values_by_hand(network, observations, actions):
    w = {name: tensor.numpy() for name, tensor in network.state_dict().items()}
    sum_up = BY_HAND[network.spec.design.history]
    state, moves, more = np.split(observations, (STATE_SIZE, OBSERVATION_SIZE), axis=1)
    state = np.concatenate((state, more, sum_up(w, moves)), axis=1)
    x = np.maximum(state @ w['state.weight'].T + w['state.bias'] + actions @ w['action.weight'].T, 0)
    for layer in range(4):
        out = x @ w[f'layers.{layer}.weight'].T + w[f'layers.{layer}.bias']
        x = np.maximum(x + out if network.spec.design.residual else out, 0)
    return (x @ w['value.weight'].T + w['value.bias'])[:, 0]


@every_kind
@every_network
def test_values_are_those_computed_by_hand(name, kind):
    torch.manual_seed(1)
    network = ValueNetwork(ValueSpec(name, HIDDEN, SUMMARY, kind))
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(2)  # at their start the plain network's values hardly depend on its input
    (states, actions), owners = inputs(20, kind), torch.arange(20) // 3
    for observations, shared in ((states, None), (states[:7], owners)):
        each = observations if shared is None else observations[shared]
        by_hand = values_by_hand(network, each.numpy(), actions.numpy())
        assert np.ptp(by_hand) > 0.01
        values = network(observations, actions, shared).detach().numpy()
        assert np.allclose(values, by_hand, rtol=1e-3, atol=1e-5)


def test_the_papers_network_has_its_sizes():
    network = ValueNetwork(ValueSpec('plain', 512, 128, 'cards'))
    assert num_weights(network) == 4 * 128 * (208 + 128 + 2) + (507 + 52 + 128 + 1) * 512 + 4 * 513 * 512 + 513


def rows(count, seed=5):
    """Return decisions of random hands, an action from each, and targets, [count]."""
    random = np.random.default_rng(seed)
    out = np.zeros(count, replay_dtype(BIG2))
    hands = random.integers(1, 2**52, count)
    observations = np.zeros(count, OBSERVATION)
    observations['hand'] = hands
    out['observation'] = words_of(observations)
    out['action'] = hands & -hands
    out['target'] = random.integers(-13, 40, count)
    return out


@pytest.mark.parametrize(('name', 'optimizer'), [('residual', 'adam'), ('plain', 'rmsprop')])
def test_networks_learn_with_each_optimizer(name, optimizer):
    config = Config.of(network=name, optimizer=optimizer, hidden_size=32, lstm_size=8, learning_rate=1e-2)
    learner = dmc_learner(config, torch.float32)
    losses = [learner.update(rows(32)) for _ in range(50)]
    assert min(losses) < 0.3 * losses[0]


def test_the_papers_optimiser_is_rmsprop():
    optimizer = dmc_learner(Config.preset('paper', hidden_size=8, lstm_size=8), torch.float32).optimizer
    assert isinstance(optimizer, torch.optim.RMSprop)
    assert [optimizer.param_groups[0][name] for name in ('lr', 'alpha', 'eps', 'momentum')] == [1e-4, 0.99, 1e-5, 0.0]


@every_kind
@every_network
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
    sums = dmc_learner(Config.of(**small), torch.float32)
    assert sums.is_sparse
    assert not dmc_learner(Config.of(**small), torch.bfloat16).is_sparse
    products = dmc_learner(Config.of(**small), torch.float32)
    products.network.in_training = False
    for _ in range(5):
        assert sums.update(rows(32)) == pytest.approx(products.update(rows(32)), rel=1e-4)
    for name, weights in products.network.state_dict().items():
        assert torch.allclose(sums.network.state_dict()[name], weights, atol=1e-4), name
