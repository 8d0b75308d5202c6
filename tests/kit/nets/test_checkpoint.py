"""Saved networks: what their settings say, what is refused, and what the previous format becomes."""

import json
import math
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from dmc.config import Config
from dmc.learner import Learner
from ppo.config import Config as PPOConfig
from rlcard_big2.models import WEIGHTS
from rlcard_big2.nets.checkpoint import Settings
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.nets.networks import make_network
from rlcard_big2.nets.ppo import PPOAgent
from rlcard_big2.nets.spec import SPECS, ActionSpec, BeliefSpec, CharlesworthSpec, ValueSpec
from rlcard_big2.nets.value import ValueNetwork
from rlcard_big2.registry import make_agent
from rlcard_big2.rules import PRESETS, Rules
from rlcard_kit.errors import ConfigError
from rlcard_kit.files import checksum
from rlcard_kit.nets.checkpoint import CheckpointError, WeightsError, check_weights
from rlcard_kit.nets.spec import MAX_SIZE, parse_spec
from rlcard_kit.nets.weights import dump_weights, load_weights_from
from tests.support.helpers import SMALL_SPEC
from training.checkpoint import Counters, load_state, save_checkpoint, save_state, write_network
from training.run_settings import begin

SMALL = Config.of(hidden_size=16, lstm_size=8)
SPECIMENS = [ValueSpec('plain', 7, 9, 'cards'), ActionSpec(2.5, 8, 4, 'cards'), CharlesworthSpec(1.0)]
BELIEFS = BeliefSpec(9)  # no agent plays by it alone


@pytest.fixture
def folder(tmp_path):
    """Save a small network; return its folder."""
    save_checkpoint(tmp_path, SMALL, ValueNetwork(SMALL_SPEC), 7)
    return tmp_path


def change(folder, **values):
    path = folder / 'settings.json'
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


# Specs


@pytest.mark.parametrize('spec', [*SPECIMENS, BELIEFS])
def test_a_spec_survives_json(spec):
    assert parse_spec(json.loads(json.dumps(spec.to_json())), SPECS) == spec


@pytest.mark.parametrize('spec', SPECIMENS)
def test_a_network_is_made_from_its_spec(spec):
    assert make_network(spec).spec == spec


def test_every_kind_of_network_has_a_specimen():
    assert {spec.kind for spec in (*SPECIMENS, BELIEFS)} == set(SPECS)


@pytest.mark.parametrize('size', [0, -1, MAX_SIZE + 1, 10**12, 2.5, True, '16', None])
def test_absurd_sizes_are_refused(size):
    for make in (lambda: ValueSpec(hidden_size=size), lambda: ActionSpec(action_size=size)):
        with pytest.raises(ConfigError, match=rf'_size={size!r}:'):
            make()


@pytest.mark.parametrize('unit', [0.0, -1.0, float('nan'), float('inf'), '5'])
def test_absurd_units_are_refused(unit):
    with pytest.raises(ConfigError, match=r'payoff_unit='):
        CharlesworthSpec(unit)


@pytest.mark.parametrize(
    ('description', 'message'),
    [
        ({'kind': 'transformer'}, "'transformer' is unknown: choose one of value, actions, charlesworth"),
        ({'kind': []}, 'is unknown'),
        ({}, 'None is unknown'),
        (None, 'expected settings by name, got None'),
        ({'kind': 'charlesworth'}, r"has the settings \['payoff_unit'\], got \[\]"),
        ({'kind': 'charlesworth', 'payoff_unit': 5.0, 'depth': 3}, 'depth'),
        (ValueSpec().to_json() | {'inputs': 'pixels'}, "inputs='pixels': choose one of cards, afterstates"),
        (ValueSpec().to_json() | {'variant': 'plane'}, "variant='plane': choose one of plain, residual"),
    ],
)
def test_what_is_not_a_spec_is_refused(description, message):
    with pytest.raises(ConfigError, match=message):
        parse_spec(description, SPECS)


# Settings


@pytest.mark.parametrize('name', PRESETS)
def test_settings_say_what_it_takes_to_play(tmp_path, name):
    config = Config.of(hidden_size=16, lstm_size=8, rules=name)
    save_checkpoint(tmp_path, config, ValueNetwork(SMALL_SPEC), 7)
    stored = json.loads((tmp_path / 'settings.json').read_text())
    assert {key: stored[key] for key in ('format', 'game', 'agent', 'observation')} == {
        'format': 4, 'game': 'big2', 'agent': 'dmc', 'observation': 1339,
    }  # fmt: skip
    assert stored['network'] == SMALL_SPEC.to_json()
    assert stored['rules']['name'] == name
    assert stored['provenance']['frames'] == 7
    assert stored['provenance']['command'].startswith('python -m dmc train ')
    settings = Settings.load(tmp_path, 'dmc')
    assert (settings.rules, settings.network, settings.frames) == (Rules.preset(name), SMALL_SPEC, 7)
    agent = DMCAgent.load(str(tmp_path))
    assert agent.trained_on == Rules.preset(name)


def test_rules_of_ones_own_are_kept(tmp_path):
    rules = Rules(penalty_thresholds=(7, 9), unplayed_twos=True)
    network = ValueNetwork(SMALL_SPEC)
    write_network(tmp_path, network.state_dict(), Settings('dmc', rules, SMALL_SPEC, {'frames': 1}))
    assert json.loads((tmp_path / 'settings.json').read_text())['rules']['name'] is None
    assert Settings.load(tmp_path, 'dmc').rules == rules


@pytest.mark.parametrize(
    ('values', 'message'),
    [
        ({'game': 'catch5'}, "is of game 'catch5': expected 'big2'"),
        ({'observation': 504}, 'is of observation 504: expected 1339'),
        ({'agent': 'ppo'}, "is of agent 'ppo': expected 'dmc'"),
        ({'format': 9}, 'is of format 9: expected 4'),
        ({'network': {'kind': 'transformer'}}, "cannot be used: network kind 'transformer' is unknown"),
        ({'network': ValueSpec(hidden_size=1).to_json() | {'hidden_size': 10**9}}, 'hidden_size=1000000000'),
        ({'network': ActionSpec().to_json()}, "a network of kind 'actions': expected a value network"),
        ({'rules': Rules().fields() | {'suits': 'shdc'}}, "cannot be used: suits='shdc'"),
        ({'rules': {'jokers': 2}}, 'cannot be used: .*jokers'),
        ({'rules': None}, 'cannot be used'),
        ({'provenance': None}, "provenance: expected 'frames'"),
    ],
)
def test_settings_of_something_else_are_refused(folder, values, message):
    change(folder, **values)
    with pytest.raises(CheckpointError, match=message):
        DMCAgent.load(folder)


@pytest.mark.parametrize('text', ['', '[]', 'null', '3', '{', '{}', '"text"', '{"format": 3, "agent": "dmc"}'])
def test_damaged_settings_are_refused(folder, text):
    (folder / 'settings.json').write_text(text)
    with pytest.raises(CheckpointError, match=r'settings\.json'):
        DMCAgent.load(folder)


def test_after_an_interruption_between_the_files_the_weights_settings_count(folder):
    before = (folder / 'settings.json').read_text()
    save_checkpoint(folder, SMALL, ValueNetwork(SMALL_SPEC), 8)
    (folder / 'settings.json').write_text(before)
    assert Settings.load(folder, 'dmc').frames == 8


def test_files_of_two_networks_are_refused(folder):
    settings = (folder / 'settings.json').read_text()
    other = Config.of(hidden_size=32, lstm_size=8)
    save_checkpoint(folder, other, ValueNetwork(other.spec), 8)
    (folder / 'settings.json').write_text(settings)
    with pytest.raises(CheckpointError, match='are of two different networks'):
        DMCAgent.load(folder)


def test_weights_without_settings_of_their_own_are_used_with_the_folders(folder):
    network = ValueNetwork(SMALL_SPEC)
    save_file(network.state_dict(), folder / 'network.safetensors')
    assert Settings.load(folder, 'dmc').frames == 7


# The previous format


def previous(config, frames):
    """Return settings as format 3 had them."""
    return {
        'format': 3,
        'agent': config.agent,
        'observation': 1339,
        'version': '0.1.0',
        'config': {**config.describe(), 'max_deaths': 5, 'action_size': getattr(config.spec, 'action_size', 1)},
        'frames': frames,
    }


@pytest.mark.parametrize(
    'config',
    [
        Config.of(network='plain', hidden_size=32, lstm_size=4, inputs='cards', rules='taiwan'),
        PPOConfig.of(hidden_size=32, payoff_unit=3.0),
        PPOConfig.of(network='charlesworth'),
    ],
)
def test_settings_of_the_previous_format_are_understood(config):
    settings = Settings.parse('settings.json', previous(config, 12), config.agent)
    assert settings == Settings(
        config.agent, Rules.preset(config.game.rules), config.spec, {'frames': 12, 'version': '0.1.0'}
    )


def test_a_state_of_the_previous_format_is_resumed(tmp_path):
    config = SMALL.changed(savedir=tmp_path)
    learner, counters = Learner(config, torch.float32), Counters(12, 3, 4.5, 1)
    save_state(config, learner, counters)
    path = tmp_path / 'state/000000000012.json'
    state = {**previous(config, 12), **{key: json.loads(path.read_text())[key] for key in ('counters', 'sha256')}}
    del state['frames']
    path.write_text(json.dumps(state))
    resumed = Learner(config.changed(seed=9), torch.float32)
    assert load_state(config, resumed) == counters
    assert np.array_equal(dump_weights(learner.network), dump_weights(resumed.network))
    with pytest.raises(CheckpointError, match='is of hidden_size 16: expected 32'):
        load_state(config.changed(hidden_size=32), resumed)


def test_a_run_keeps_its_settings_beside_the_network(tmp_path):
    config = SMALL.changed(savedir=tmp_path)
    begin(config, Learner(config, torch.float32), ExitStack())
    stored = json.loads((tmp_path / 'training.json').read_text())
    assert [(entry['frames'], entry['changed']) for entry in stored.pop('history')] == [(0, {})]
    assert stored == {'agent': 'dmc', **json.loads(json.dumps(config.describe()))}


@pytest.mark.parametrize(('kind', 'agent'), [('dmc', DMCAgent), ('ppo', PPOAgent)])
def test_a_network_of_the_previous_format_still_plays(tmp_path, kind, agent):
    """The shipped weights carry their settings in the previous format; here they stand in settings.json as well."""
    shipped = WEIGHTS / kind / 'network.safetensors'
    (tmp_path / 'network.safetensors').write_bytes(shipped.read_bytes())
    with safe_open(shipped, 'numpy') as file:
        (tmp_path / 'settings.json').write_text(file.metadata()['settings'])
    loaded, now = agent.load(tmp_path), agent.load(WEIGHTS / kind)
    assert loaded.trained_on == now.trained_on
    assert loaded.network.spec == now.network.spec


def test_shipped_weights_are_what_they_were():
    assert {kind: checksum(WEIGHTS / kind / 'network.safetensors')[:16] for kind in ('dmc', 'ppo')} == {
        'dmc': 'b6af7f9a7a741898', 'ppo': '58e3f4caa31173f6',
    }  # fmt: skip


def test_folders_without_calibration_load(folder):
    assert Settings.load(folder, 'dmc').calibration is None


@pytest.mark.parametrize(
    ('stored', 'message'),
    [
        (None, 'expected values, win and cards by name'),
        ({'values': [1, 2], 'win': [0, 1]}, 'expected values, win and cards by name'),
        ({'values': [1, 2], 'win': [0, 1], 'cards': '12'}, 'expected three lists'),
        ({'values': [1, 2], 'win': [0, 1], 'cards': [1]}, 'as long as each other'),
        ({'values': [1], 'win': [0], 'cards': [1]}, 'three tables of 2 to 100 points'),
        ({'values': [1, 2], 'win': [1, 0], 'cards': [1, 2]}, 'win must be numbers that ascend'),
        ({'values': [1, 2], 'win': [0, 1], 'cards': [1, True]}, 'cards must be numbers that ascend'),
        ({'values': [1, 2], 'win': [0, 1.5], 'cards': [1, 2]}, 'expected shares from 0 to 1'),
    ],
)
def test_calibrations_that_are_none_are_refused(folder, stored, message):
    change(folder, calibration=stored)
    with pytest.raises(CheckpointError, match=message):
        Settings.load(folder, 'dmc')


def weights(name, values):
    """Return a small network's weights, some of them others."""
    tensors = ValueNetwork(SMALL_SPEC).state_dict()
    return {**tensors, name: values(tensors[name]) if name in tensors else values(torch.zeros(3))}


@pytest.mark.parametrize(
    ('name', 'values', 'message'),
    [
        ('value.bias', lambda old: old * math.nan, "'value.bias' go to nan: expected none beyond 10000"),
        ('value.weight', lambda old: torch.full_like(old, -math.inf), 'go to inf'),
        ('layers.2.weight', lambda old: torch.full_like(old, 1e29), r'go to 1e\+29'),
        ('lstm.weight_hh_l0', lambda old: torch.full_like(old, -2e4), 'go to 20000'),
        ('value.bias', lambda old: old.double(), r"'value.bias' are float64: expected float16 or float32"),
        ('value.bias', lambda old: old.long(), 'are int64'),
        ('value.bias', lambda old: old.bool(), 'are bool'),
        ('value.bias', lambda old: old.bfloat16(), '(BF16|bfloat16).* among its weights; expected float16 or float32'),
        ('value.bias', lambda old: old.to(torch.complex64), 'are complex64'),
        ('value.weight', lambda old: old[:, 1:].contiguous(), r'expected shape \(1, 16\), got \(1, 15\)'),
        ('value.weight', lambda old: old[:, :0].contiguous(), r'expected shape \(1, 16\), got \(1, 0\)'),
        ('value.weight', lambda old: old[0].contiguous(), r'got \(16,\)'),
        ('bias', lambda old: old, r"'bias': expected shape None, got \(3,\)"),
    ],
)
def test_weights_that_no_training_gives_are_refused(folder, name, values, message):
    save_file(weights(name, values), folder / 'network.safetensors')
    for load in (DMCAgent.load, lambda path: DMCAgent.load(path, numpy=True)):
        with pytest.raises(CheckpointError, match=rf'network\.safetensors cannot be (used|read): .*{message}'):
            load(folder)


def test_a_policy_with_weights_that_no_training_gives_is_refused(tmp_path):
    config = PPOConfig.of(hidden_size=16)
    network = make_network(config.spec)
    save_checkpoint(tmp_path, config, network, 7)
    torch.nn.init.constant_(network.value.bias, math.nan)
    save_file(network.state_dict(), tmp_path / 'network.safetensors')
    with pytest.raises(CheckpointError, match=r"network\.safetensors cannot be used: weights 'value.bias' go to nan"):
        PPOAgent.load(tmp_path)


def test_missing_weights_are_refused(folder):
    tensors = ValueNetwork(SMALL_SPEC).state_dict()
    del tensors['history.bias']
    save_file(tensors, folder / 'network.safetensors')
    for load in (DMCAgent.load, lambda path: DMCAgent.load(path, numpy=True)):
        with pytest.raises(CheckpointError, match=r"'history\.bias': expected shape \(8,\), got None"):
            load(folder)


@pytest.mark.parametrize('make', [np.float32, torch.tensor])
def test_tensors_and_arrays_are_checked_alike(make):
    check_weights({'a': make([1.0, -1e4]), 'b': make([])})
    for value in (math.nan, math.inf, -1e5):
        with pytest.raises(WeightsError, match="'a' go to"):
            check_weights({'a': make([1.0, value])})


def test_weights_that_cannot_be_read_are_refused(folder):
    (folder / 'network.safetensors').write_bytes(b'nothing')
    for load in (DMCAgent.load, lambda path: DMCAgent.load(path, numpy=True)):
        with pytest.raises(CheckpointError, match=r'network\.safetensors cannot be read'):
            load(folder)
    (folder / 'network.safetensors').unlink()
    with pytest.raises(CheckpointError, match=r'network\.safetensors'):
        load_weights_from(folder, ValueNetwork(SMALL_SPEC))


@pytest.mark.parametrize('form', [str, Path])
def test_folders_are_given_as_text_or_as_paths(form):
    dmc, ppo = (form(WEIGHTS / kind) for kind in ('dmc', 'ppo'))
    greedy = PPOAgent.load(ppo, greedy=True)
    assert DMCAgent.load(dmc).trained_on == PPOAgent.load(ppo).trained_on == greedy.trained_on == Rules()
    assert make_agent(f'dmc:{dmc}').trained_on == Rules()
