"""The value network in numpy: the values of torch, in one thread."""

import sys
import time

import numpy as np
import pytest
import rlcard
import torch
from threadpoolctl import threadpool_info, threadpool_limits

import rlcard_big2  # noqa: F401  # registers 'big2'
from rlcard_big2.models import load_dmc
from rlcard_big2.nets.features import WIDTHS
from rlcard_big2.nets.spec import NETWORKS, ValueSpec
from rlcard_big2.nets.value import ValueNetwork
from rlcard_big2.nets.value_numpy import NumpyValueNetwork
from rlcard_big2.rules import PRESETS
from rlcard_big2.vector import VectorEnv
from rlcard_kit.nets.checkpoint import CheckpointError, has_torch
from rlcard_kit.nets.sparse import apply_tanh
from rlcard_kit.positions import Positions
from tests.support.helpers import SMALL_SPEC

pytestmark = pytest.mark.usefixtures('one_thread')


def positions_of_games(num_games, rules, plies):
    """Yield the positions of games played at random, [num_games] at a time."""
    env, random = VectorEnv(num_games, rules, seed=2), np.random.default_rng(0)
    observations, (moves, offsets) = env.new_observations(), env.new_legal()
    payoffs, done = env.new_payoffs(), np.empty(num_games, np.bool_)
    for _ in range(plies):
        env.observe(observations)
        positions = Positions(observations, moves[: env.legal(moves, offsets)], offsets)
        yield positions
        indices = offsets[:-1] + (random.random(num_games) * positions.counts).astype(int)
        env.step(positions.moves[indices], payoffs, done)


def weights_of(network):
    return {name: tensor.numpy() for name, tensor in network.state_dict().items()}


@pytest.mark.parametrize('rules', PRESETS)
def test_the_shipped_network_has_torchs_values_over_a_thousand_states(rules):
    exact, other = load_dmc().network, load_dmc(numpy=True).network
    assert isinstance(exact, ValueNetwork)
    assert isinstance(other, NumpyValueNetwork)
    spread = []
    for positions in positions_of_games(40, rules, 26):
        values = other.values(positions)
        assert values.dtype == np.float32
        np.testing.assert_allclose(values, exact.values(positions), rtol=0, atol=1e-4)
        spread.append(np.ptp(values))
    assert max(spread) > 20


@pytest.mark.parametrize('inputs', WIDTHS)
@pytest.mark.parametrize('variant', NETWORKS)
def test_every_network_has_torchs_values(variant, inputs):
    torch.manual_seed(1)
    exact = ValueNetwork(ValueSpec(variant, 24, 10, inputs))
    with torch.no_grad():
        for parameter in exact.parameters():
            parameter.mul_(2)  # at its start the plain network's values hardly depend on its input
    other = NumpyValueNetwork(exact.spec, weights_of(exact))
    for count in (1, 30):
        for positions in positions_of_games(count, 'hkust', 12):
            np.testing.assert_allclose(other.values(positions), exact.values(positions), rtol=0, atol=1e-5)


def test_tanh_is_that_of_numpy_and_keeps_what_is_no_number():
    x = np.concatenate([np.linspace(-12, 12, 100_001), np.logspace(-30, 30, 999)]).astype(np.float32).reshape(100, -1)
    found = x.copy()
    apply_tanh(found)
    np.testing.assert_allclose(found, np.tanh(x.astype(np.float64)), rtol=5e-7, atol=0)
    edges = np.array([[np.nan, np.inf, -np.inf, 0]], np.float32)
    apply_tanh(edges)
    np.testing.assert_allclose(edges, [[np.nan, 1, -1, 0]], rtol=5e-7)


def test_weights_of_half_precision_are_computed_with_in_float32():
    network = ValueNetwork(SMALL_SPEC).half()
    other = NumpyValueNetwork(SMALL_SPEC, weights_of(network))
    for positions in positions_of_games(8, 'charlesworth', 3):
        np.testing.assert_allclose(other.values(positions), network.float().values(positions), rtol=0, atol=1e-5)


def test_a_decision_keeps_to_one_thread_and_leaves_the_others_as_they_were(monkeypatch):
    agent, seen = load_dmc(numpy=True), []
    state, _ = rlcard.make('big2', config={'seed': 4}).reset()
    forward = agent.network._forward

    def noting(*arguments):
        seen.append({pool['num_threads'] for pool in threadpool_info() if pool['user_api'] == 'blas'})
        return forward(*arguments)

    monkeypatch.setattr(agent.network, '_forward', noting)
    with threadpool_limits(2, 'blas'):
        agent.eval_step(state)
        seen.append({pool['num_threads'] for pool in threadpool_info() if pool['user_api'] == 'blas'})
    assert seen == [{1}, {2}]


def test_a_decision_takes_little_of_the_processor():
    agent, env = load_dmc(numpy=True), rlcard.make('big2', config={'seed': 4})
    state, _ = env.reset()
    agent.eval_step(state)
    with threadpool_limits(2, 'blas'):
        start = time.process_time()
        for _ in range(100):
            agent.eval_step(state)
    assert (time.process_time() - start) / 100 < 0.008


@pytest.mark.parametrize(
    ('change', 'message'),
    [
        ({'value.bias': None}, r"'value\.bias': expected shape \(1,\), got None"),
        ({'extra': np.zeros(3)}, r"'extra': expected shape None, got \(3,\)"),
        ({'action.weight': np.zeros((16, 52))}, r"'action\.weight': expected shape \(16, \d+\), got \(16, 52\)"),
    ],
)
def test_weights_that_do_not_fit_are_refused(change, message):
    weights = weights_of(ValueNetwork(SMALL_SPEC)) | change
    kept = {name: array for name, array in weights.items() if array is not None}
    with pytest.raises(CheckpointError, match=message):
        NumpyValueNetwork(SMALL_SPEC, kept)


def test_torch_is_looked_for_without_being_imported(monkeypatch):
    assert has_torch()
    monkeypatch.setitem(sys.modules, 'torch', None)
    assert not has_torch()
