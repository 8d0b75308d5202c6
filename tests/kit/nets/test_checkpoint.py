"""Saved networks: their settings, faults, and the previous format."""

import json
import math

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from dmc.config import Config
from rlcard_big2.nets.agents import DMCAgent
from rlcard_big2.nets.networks import make_network
from rlcard_big2.nets.spec import SPECS, ActionSpec, BeliefSpec, CharlesworthSpec, Settings, ValueSpec
from rlcard_big2.nets.value import ValueNetwork
from rlcard_big2.rules import Rules
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.checkpoint import FORMAT, CheckpointError, WeightsError, check_weights
from rlcard_kit.nets.spec import MAX_SIZE, parse_spec
from rlcard_kit.nets.weights import load_weights_from
from tests.support.helpers import SMALL_SPEC
from tests.support.training import save_network

SMALL = Config.of(hidden_size=16, lstm_size=8)
SPECIMENS = [ValueSpec('plain', 7, 9, 'cards'), ActionSpec(2.5, 8, 4, 'cards'), CharlesworthSpec(1.0)]
BELIEFS = BeliefSpec(9)  # no agent plays by it alone


@pytest.fixture
def folder(tmp_path):
    """Save a small network; return its folder."""
    save_network(tmp_path, SMALL, ValueNetwork(SMALL_SPEC), 7)
    return tmp_path


def change(folder, **values):
    path = folder / 'settings.json'
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


# Specs


def test_a_network_is_made_from_a_spec_that_survives_json():
    for spec in (*SPECIMENS, BELIEFS):
        assert parse_spec(json.loads(json.dumps(spec.to_json())), SPECS) == spec
    assert [make_network(spec).spec for spec in SPECIMENS] == SPECIMENS
    assert {spec.kind for spec in (*SPECIMENS, BELIEFS)} == set(SPECS)


@pytest.mark.parametrize('size', [0, MAX_SIZE + 1, 2.5, True, '16', None])
def test_absurd_sizes_and_units_are_refused(size):
    for make, name in ((ValueSpec, 'hidden_size'), (ActionSpec, 'action_size')):
        with pytest.raises(ConfigError, match=f'{name}={size!r}:'):
            make(**{name: size})
    for unit in (0.0, -1.0, math.nan, math.inf, '5'):
        with pytest.raises(ConfigError, match='payoff_unit='):
            CharlesworthSpec(unit)


@pytest.mark.parametrize(
    ('description', 'named'),
    [
        ({'kind': 'transformer'}, "'transformer'"), ({'kind': []}, r'\[\]'), ({}, 'None'), (None, 'None'),
        ({'kind': 'charlesworth'}, 'payoff_unit'),
        ({'kind': 'charlesworth', 'payoff_unit': 5.0, 'depth': 3}, 'depth'),
        (ValueSpec().to_json() | {'inputs': 'pixels'}, "inputs='pixels'"),
        (ValueSpec().to_json() | {'variant': 'plane'}, "variant='plane'"),
    ],
)  # fmt: skip
def test_what_is_not_a_spec_is_refused(description, named):
    with pytest.raises(ConfigError, match=named):
        parse_spec(description, SPECS)


# Settings


def test_settings_of_a_saved_network(tmp_path):
    config = Config.of(hidden_size=16, lstm_size=8, rules='hkust')
    save_network(tmp_path, config, ValueNetwork(SMALL_SPEC), 7)
    stored = json.loads((tmp_path / 'settings.json').read_text())
    assert {key: stored[key] for key in ('format', 'game', 'agent', 'observation', 'network')} == {
        'format': FORMAT, 'game': 'big2', 'agent': 'dmc', 'observation': 1339, 'network': SMALL_SPEC.to_json(),
    }  # fmt: skip
    assert stored['rules']['name'] == 'hkust'
    assert stored['provenance']['command'].startswith('python -m dmc train ')
    settings = Settings.load(tmp_path, 'dmc')
    assert (settings.rules.name, settings.network, settings.frames) == ('hkust', SMALL_SPEC, 7)
    assert settings.calibration is None
    assert DMCAgent.load(str(tmp_path)).trained_on == settings.rules


@pytest.mark.parametrize(
    ('values', 'message'),
    [
        ({'game': 'catch5'}, "is of game 'catch5': expected 'big2'"),
        ({'observation': 504}, 'is of observation 504: expected 1339'),
        ({'agent': 'ppo'}, "is of agent 'ppo': expected 'dmc'"),
        ({'format': 99}, f'is of format 99: expected {FORMAT}'),
        ({'network': ValueSpec().to_json() | {'hidden_size': 10**9}}, 'hidden_size=1000000000'),
        ({'network': ActionSpec().to_json()}, "a network of kind 'actions'"),
        ({'rules': Rules().fields() | {'suits': 'shdc'}}, "cannot be used: suits='shdc'"),
        ({'rules': Rules().fields() | {'jokers': 2}}, 'jokers is unknown'),
        ({'rules': None}, 'rules: None do not go with'),
    ],
)
def test_settings_of_something_else_are_refused(folder, values, message):
    change(folder, **values)
    with pytest.raises(CheckpointError, match=message):
        DMCAgent.load(folder)


def test_settings_and_weights_that_differ(folder):
    first = (folder / 'settings.json').read_text()
    save_network(folder, SMALL, ValueNetwork(SMALL_SPEC), 8)
    (folder / 'settings.json').write_text(first)
    assert Settings.load(folder, 'dmc').frames == 8, 'an interruption between the files: the weights are newer'
    save_file(ValueNetwork(SMALL_SPEC).state_dict(), folder / 'network.safetensors')
    assert Settings.load(folder, 'dmc').frames == 7, 'these weights have no settings of their own'
    other = Config.of(hidden_size=32, lstm_size=8)
    save_network(folder, other, ValueNetwork(other.spec), 8)
    (folder / 'settings.json').write_text(first)
    with pytest.raises(CheckpointError, match='two different networks'):
        DMCAgent.load(folder)


@pytest.mark.parametrize(
    ('stored', 'named'),
    [
        (None, 'values, win and cards'), ({'values': [1, 2], 'win': [0, 1]}, 'values, win and cards'),
        ({'values': [1, 2], 'win': [0, 1], 'cards': '12'}, 'three lists'),
        ({'values': [1, 2], 'win': [0, 1], 'cards': [1]}, 'as long as each other'),
        ({'values': [1], 'win': [0], 'cards': [1]}, '2 to 100 points'),
        ({'values': [1, 2], 'win': [1, 0], 'cards': [1, 2]}, 'win .* ascend'),
        ({'values': [1, 2], 'win': [0, 1], 'cards': [1, True]}, 'cards .* ascend'),
        ({'values': [1, 2], 'win': [0, 1.5], 'cards': [1, 2]}, 'from 0 to 1'),
    ],
)  # fmt: skip
def test_calibrations_that_are_none_are_refused(folder, stored, named):
    change(folder, calibration=stored)
    with pytest.raises(CheckpointError, match=named):
        Settings.load(folder, 'dmc')


LAYERS = {'rules': [[1, 2, 3]], 'hidden': [[1, 2, 3]], 'results': [[1, 2], [3, 4]]}  # of two inputs of rules


@pytest.mark.parametrize(
    ('stored', 'named'),
    [
        ({'rules': {'name': None, **Rules().fields()}}, 'rules: .* do not go with'),
        ({'calibration': {'values': [1, 2], 'win': [0, 1], 'cards': [1, 2]}}, 'layers rules, hidden, results by name'),
        ({'calibration': LAYERS | {'rules': [[1, 2], [3]]}}, 'rules must be rows .* as long as each other'),
        ({'calibration': LAYERS | {'hidden': [['1', 2, 3]]}}, 'hidden must be rows of numbers'),
        ({'calibration': LAYERS | {'hidden': [[1, 2]]}}, 'do not fit each other'),
        ({'calibration': LAYERS | {'results': [[1, 2]]}}, 'do not fit each other'),
    ],
)
def test_networks_that_are_told_the_rules_have_none_and_calibrations_by_rules(tmp_path, stored, named):
    config = SMALL.changed(inputs='tables')
    save_network(tmp_path, config, ValueNetwork(config.spec), 7)
    assert Settings.load(tmp_path, 'dmc').rules is None
    change(tmp_path, **stored)
    with pytest.raises(CheckpointError, match=named):
        Settings.load(tmp_path, 'dmc')


IN_TORCH_AND_NUMPY = pytest.mark.parametrize('numpy', [False, True], ids=['torch', 'numpy'])


@pytest.mark.attack('damaged or forged files')
@pytest.mark.parametrize(
    ('name', 'values', 'message'),
    [
        ('value.bias', lambda old: old * math.nan, "'value.bias' go to nan"),
        ('value.weight', lambda old: torch.full_like(old, -math.inf), 'go to inf'),
        ('lstm.weight_hh_l0', lambda old: torch.full_like(old, -2e4), 'go to 20000'),
        ('value.bias', lambda old: old.double(), r"'value.bias' are float64"),
        ('value.bias', lambda old: old.bool(), 'are bool'),
        ('value.bias', lambda old: old.bfloat16(), '(BF16|bfloat16)'),
        ('value.weight', lambda old: old[:, 1:].contiguous(), r'expected shape \(1, 16\), got \(1, 15\)'),
        ('value.weight', lambda old: old[:, :0].contiguous(), r'got \(1, 0\)'),
        ('bias', lambda old: old, r"'bias': expected shape None, got \(3,\)"),
    ],
)
@IN_TORCH_AND_NUMPY
def test_weights_that_no_training_gives_are_refused(folder, numpy, name, values, message):
    tensors = ValueNetwork(SMALL_SPEC).state_dict()
    save_file({**tensors, name: values(tensors.get(name, torch.zeros(3)))}, folder / 'network.safetensors')
    with pytest.raises(CheckpointError, match=rf'network\.safetensors cannot be (used|read): .*{message}'):
        DMCAgent.load(folder, numpy)


@IN_TORCH_AND_NUMPY
def test_missing_weights_are_refused(folder, numpy):
    tensors = ValueNetwork(SMALL_SPEC).state_dict()
    del tensors['lstm.bias_ih_l0']
    save_file(tensors, folder / 'network.safetensors')
    with pytest.raises(CheckpointError, match=r"'lstm\.bias_ih_l0': expected shape \(32,\), got None"):
        DMCAgent.load(folder, numpy)
    (folder / 'network.safetensors').unlink()
    with pytest.raises(CheckpointError, match=r'network\.safetensors'):
        load_weights_from(folder, ValueNetwork(SMALL_SPEC))


@pytest.mark.parametrize('make', [np.float32, torch.tensor])
def test_tensors_and_arrays_are_checked_alike(make):
    check_weights({'a': make([1.0, -1e4]), 'b': make([])})
    for value in (math.nan, math.inf, -1e5):
        with pytest.raises(WeightsError, match="'a' go to"):
            check_weights({'a': make([1.0, value])})
