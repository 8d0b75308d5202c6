"""The command `export`: networks in half precision, their mean, and their calibration."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

import dmc.cli
from dmc.config import Config
from rlcard_big2.engine.big2 import big2_for
from rlcard_big2.engine.ruleset import number_of_rules
from rlcard_big2.nets.agents import DMCAgent
from rlcard_big2.nets.rule_features import rule_inputs, stake
from rlcard_big2.nets.spec import Settings
from rlcard_big2.nets.value import ValueNetwork
from rlcard_big2.nets.value_numpy import NumpyValueNetwork
from rlcard_big2.rules import PRESETS
from rlcard_kit.errors import ConfigError
from rlcard_kit.files import checksum
from rlcard_kit.nets.checkpoint import CheckpointError, read_weights
from rlcard_kit.vector_env import VectorEnv, deal_streams
from tests.support.training import save_network
from training.export import Export, export

SMALL = Config.of(hidden_size=16, lstm_size=8)


@pytest.fixture
def saved(tmp_path):
    """Return a function that saves a network as a run does, and returns it; one is in the folder run."""

    def save(name, frames, **changes):
        config = SMALL.changed(**changes)
        network = ValueNetwork(config.spec)
        save_network(tmp_path / name, config, network, frames)
        return network

    save.network = save('run', 7)
    return save


def test_an_exported_network_is_the_same_in_half_precision_and_calibrated(saved, tmp_path, in_process):
    run, small = tmp_path / 'run', tmp_path / 'small'
    status, said = in_process(dmc.cli.main, 'export', run, small, '--games', '100')
    assert status == 0, said
    assert f'wrote {small}: network.safetensors (' in said
    assert f'SHA-256 {checksum(small / "network.safetensors")}' in said
    assert f"it plays as 'dmc:{small}'" in said
    for before, after in zip(saved.network.parameters(), DMCAgent.load(small).network.parameters(), strict=True):
        assert after.dtype == torch.float32
        assert torch.equal(before.bfloat16().half().float(), after)
    settings = Settings.load(small, 'dmc')
    assert settings.calibration is not None
    assert settings == replace(Settings.load(run, 'dmc'), calibration=settings.calibration)
    with safe_open(small / 'network.safetensors', 'numpy') as file:
        assert json.loads(file.metadata()['settings']) == settings.to_json()
    assert DMCAgent.load(small, numpy=True).calibration(settings.rules) == settings.calibration
    assert export(small, tmp_path / 'again', 'dmc').calibration is None


def test_a_network_that_is_told_the_rules_is_calibrated_under_all_in_cards(saved, tmp_path):
    saved('told', 7, inputs='tables')
    settings = export(tmp_path / 'told', tmp_path / 'small', 'dmc', games=200)
    assert settings.rules is None
    assert settings.to_json() == Settings.load(tmp_path / 'small', 'dmc').to_json()
    agent = DMCAgent.load(tmp_path / 'small', numpy=True)
    for rules in (PRESETS['hong-kong'], replace(PRESETS['two'], suits='cdhs')):
        assert agent.calibration(rules) == settings.calibration.under(rule_inputs(number_of_rules(rules)), stake(rules))
    games = [VectorEnv(big2_for(PRESETS[name]), PRESETS[name], deal_streams(4, 1)) for name in ('hkust', 'hong-kong')]
    own = NumpyValueNetwork(settings.network, read_weights(tmp_path / 'small'))
    for env, unit in zip(games, (1, 213 / 91), strict=True):
        positions = env.positions()
        assert np.allclose(agent.network.values(positions), unit * own.values(positions), rtol=1e-5)


def test_networks_are_averaged(saved, tmp_path, in_process):
    networks = [saved.network, saved('run5', 5), saved('run8', 8)]
    flags = ('--average-with', tmp_path / 'run5', tmp_path / 'run8', '--games', '0')
    status, said = in_process(dmc.cli.main, 'export', tmp_path / 'run', tmp_path / 'mean', *flags)
    assert status == 0, said
    assert '20 frames' in said
    for name, weights in DMCAgent.load(tmp_path / 'mean').network.state_dict().items():
        expected = np.mean([network.state_dict()[name].numpy() for network in networks], axis=0)
        assert np.allclose(weights, expected, rtol=1e-2, atol=1e-6)
    assert [one['frames'] for one in Settings.load(tmp_path / 'mean', 'dmc').provenance['average_of']] == [7, 5, 8]


@pytest.mark.parametrize('change', [{'hidden_size': 24}, {'rules': 'hkust'}, {'inputs': 'cards'}])
def test_networks_that_differ_are_not_averaged(saved, tmp_path, change):
    saved('other', 5, **change)
    with pytest.raises(CheckpointError, match=r'/other and .*/run differ'):
        export(tmp_path / 'run', tmp_path / 'mean', 'dmc', average_with=[tmp_path / 'other'])
    assert not (tmp_path / 'mean').exists()


@pytest.mark.parametrize('target', ['run', 'other', 'begun'])
def test_no_run_and_none_of_the_networks_is_overwritten(saved, tmp_path, target):
    saved('other', 5)
    (tmp_path / 'begun').mkdir()
    (tmp_path / 'begun/training.json').write_text('{}')
    before = {path: checksum(path) for path in tmp_path.rglob('*.safetensors')}
    with pytest.raises(CheckpointError, match='choose another'):
        export(tmp_path / 'run', tmp_path / target, 'dmc', average_with=[tmp_path / 'other'])
    assert {path: checksum(path) for path in tmp_path.rglob('*.safetensors')} == before


def test_unusable_networks_are_not_exported(saved, tmp_path):
    with pytest.raises(ConfigError, match='games=99'):
        Export('dmc', tmp_path / 'run', tmp_path / 'small', 99)
    with pytest.raises(CheckpointError, match='nowhere holds no trained network'):
        export(tmp_path / 'nowhere', tmp_path / 'small', 'dmc')
    torch.nn.init.constant_(saved.network.value.weight, 1e6)
    save_file(saved.network.state_dict(), tmp_path / 'run/network.safetensors')
    with pytest.raises(CheckpointError, match=r"'value\.weight' go to 1e\+06"):
        export(tmp_path / 'run', tmp_path / 'small', 'dmc')
    assert not (tmp_path / 'small').exists()
