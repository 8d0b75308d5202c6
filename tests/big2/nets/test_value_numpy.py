"""The value network in numpy: the values of torch, in one thread."""

import time

import numpy as np
import pytest
import rlcard
import torch
from threadpoolctl import threadpool_info, threadpool_limits

from rlcard_big2.models import load_dmc
from rlcard_big2.nets.features import WIDTHS
from rlcard_big2.nets.spec import NETWORKS, ValueSpec
from rlcard_big2.nets.value import ValueNetwork
from rlcard_big2.nets.value_numpy import NumpyValueNetwork
from rlcard_big2.rules import FOUR_PLAYERS
from rlcard_kit.nets.sparse import apply_tanh
from rlcard_kit.process import one_thread
from tests.support.limits import allowed
from tests.support.positions import random_positions


@pytest.mark.parametrize('rules', FOUR_PLAYERS)
def test_the_shipped_network_has_torchs_values_over_a_thousand_states(rules):
    exact, other = load_dmc().network, load_dmc(numpy=True).network
    assert isinstance(exact, ValueNetwork)
    assert isinstance(other, NumpyValueNetwork)
    spread = []
    for positions in random_positions(40, rules, 26):
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
    weights = {name: tensor.numpy() for name, tensor in exact.half().state_dict().items()}
    other, exact = NumpyValueNetwork(exact.spec, weights), exact.float()
    for count in (1, 30):
        for positions in random_positions(count, 'hkust', 12):
            np.testing.assert_allclose(other.values(positions), exact.values(positions), rtol=0, atol=1e-5)


def test_tanh_is_that_of_numpy_and_keeps_what_is_no_number():
    x = np.concatenate([np.linspace(-12, 12, 100_001), np.logspace(-30, 30, 999)]).astype(np.float32)
    found = x.copy()
    apply_tanh(found)
    np.testing.assert_allclose(found, np.tanh(x.astype(np.float64)), rtol=5e-7, atol=0)
    edges = np.array([np.nan, np.inf, -np.inf, 0], np.float32)
    apply_tanh(edges)
    np.testing.assert_allclose(edges, [np.nan, 1, -1, 0], rtol=5e-7)


def test_numpy_is_limited_to_one_thread_and_then_as_it_was():
    def threads():
        return {pool['num_threads'] for pool in threadpool_info() if pool['user_api'] == 'blas'}

    with threadpool_limits(2, 'blas'):
        with one_thread():
            assert threads() == {1}
        assert threads() == {2}


def test_a_decision_takes_little_of_the_processor():
    agent, env = load_dmc(numpy=True), rlcard.make('big2', config={'seed': 4})
    state, _ = env.reset()
    agent.eval_step(state)
    with threadpool_limits(2, 'blas'):
        start = time.process_time()
        for _ in range(100):
            agent.eval_step(state)
    assert (time.process_time() - start) / 100 < allowed(0.008)
