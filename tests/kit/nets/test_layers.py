"""Packed layers: the values of the networks of both games, in both precisions, and what cannot be packed."""

from copy import deepcopy

import numpy as np
import pytest
import torch
from torch import nn

import rlcard_kit.nets.layers
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.nets.networks import make_network
from rlcard_big2.nets.spec import NETWORKS, ValueSpec
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.nets.networks import make_network as make_catch5_network
from rlcard_catch5.nets.spec import SuitsValueSpec
from rlcard_kit.nets.layers import can_pack, packed
from rlcard_kit.nets.sparse import add_states_bfloat16
from tests.support.positions import positions_after

GAMES = [*((BIG2, 'charlesworth', ValueSpec(name, 48, 10)) for name in NETWORKS), (CATCH5, 'paper', SuitsValueSpec(48))]
COUNTS = (1, 20, 70)  # of games; the numbers of rows are padded beyond 32 and 64


def new_network(spec, seed=1):
    torch.manual_seed(seed)
    network = (make_catch5_network if isinstance(spec, SuitsValueSpec) else make_network)(spec)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(2)  # at its start a plain network's values hardly depend on its input
    return network


def needs(dtype, network):
    if not can_pack(network, dtype):
        pytest.skip(f'no operators for {dtype} here')


@pytest.mark.parametrize(('card', 'rules', 'spec'), GAMES)
def test_packed_float32_has_the_values_of_the_network(card, rules, spec):
    network = new_network(spec)
    needs(torch.float32, network)
    copied = packed(network, torch.float32)
    for count in COUNTS:
        shown = positions_after(9, count, rules, card)
        expected = network.values(shown)
        assert count == 1 or expected.std() > 0.01
        np.testing.assert_allclose(copied.values(shown), expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize(('card', 'rules', 'spec'), GAMES)
def test_packed_bfloat16_is_no_farther_from_float32_than_torch(card, rules, spec):
    network = new_network(spec)
    needs(torch.bfloat16, network)
    copied, rough = packed(network, torch.bfloat16), deepcopy(network).bfloat16()
    for count in COUNTS[1:]:
        shown = positions_after(9, count, rules, card)
        exact = network.values(shown)
        errors = [np.sqrt(np.mean((other.values(shown) - exact) ** 2)) for other in (copied, rough)]
        assert 0 < errors[0] < 1.2 * errors[1]


def test_a_packed_network_keeps_its_weights():
    network = new_network(ValueSpec('residual', 48, 10))
    needs(torch.float32, network)
    copied, shown = packed(network, torch.float32), positions_after(9, 20)
    before = copied.values(shown)
    for name, weights in network.named_parameters():
        with torch.no_grad():
            weights.add_(0.1)
        assert np.array_equal(copied.values(shown), before), name
    assert not np.allclose(packed(network, torch.float32).values(shown), before, atol=0.01)


def test_sums_of_bfloat16_are_those_of_torch():
    generator = torch.Generator().manual_seed(2)
    states, moves = (torch.randn(count, 33, generator=generator).bfloat16() for count in (7, 50))
    owners = torch.arange(50) // 8
    expected = torch.relu(states[owners] + moves)
    add_states_bfloat16(states.view(torch.uint16).numpy(), owners.numpy(), moves.view(torch.uint16).numpy())
    assert torch.equal(moves, expected)


@pytest.mark.parametrize(
    'layer', [nn.Conv1d(2, 2, 1), nn.LSTM(4, 4), nn.LSTM(4, 4, 2, batch_first=True), nn.Sequential(nn.Linear(4, 4))]
)
def test_other_layers_are_not_packed(layer):
    assert not can_pack(nn.Sequential(layer, nn.Linear(4, 1)), torch.float32)
    assert not can_pack(nn.Sequential(nn.Linear(4, 4), layer), torch.float32)


def test_a_torch_without_the_operators_packs_nothing(monkeypatch):
    def refuse(*_):
        raise AttributeError('no such operator')

    network = new_network(ValueSpec())
    needs(torch.float32, network)
    monkeypatch.setattr(rlcard_kit.nets.layers, 'PackedLinear', refuse)
    assert not can_pack(network, torch.float32)
