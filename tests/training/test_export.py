"""The command `export`: networks in half precision."""

import json
from dataclasses import replace

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

import dmc.cli
import ppo.cli
from dmc.config import Config
from rlcard_big2.nets.checkpoint import Settings
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.nets.value import ValueNetwork
from rlcard_kit.errors import ConfigError
from rlcard_kit.files import checksum
from rlcard_kit.nets.checkpoint import CheckpointError
from training.checkpoint import save_checkpoint
from training.export import Export, export

SMALL = Config.of(hidden_size=16, lstm_size=8)


@pytest.fixture
def run(tmp_path):
    """Save a network as a run does; return it and the run's folder."""
    network = ValueNetwork(SMALL.spec)
    save_checkpoint(tmp_path / 'run', SMALL, network, 7)
    return network, tmp_path / 'run'


def test_an_exported_network_is_the_same_in_half_precision(run, tmp_path, in_process):
    network, folder = run
    status, said = in_process(dmc.cli.main, 'export', folder, tmp_path / 'small', '--games', '0')
    assert status == 0, said
    weights = tmp_path / 'small/network.safetensors'
    assert f'wrote {tmp_path / "small"}: network.safetensors (' in said
    assert f'SHA-256 {checksum(weights)}) and settings.json: 7 frames, rules charlesworth, values not' in said
    assert f"it plays as 'dmc:{tmp_path / 'small'}'" in said
    smaller = DMCAgent.load(tmp_path / 'small').network
    for before, after in zip(network.parameters(), smaller.parameters(), strict=True):
        assert after.dtype == torch.float32
        assert torch.equal(before.bfloat16().half().float(), after)
    assert Settings.load(tmp_path / 'small', 'dmc') == Settings.load(folder, 'dmc')


def test_an_exported_value_network_knows_what_its_values_mean(run, tmp_path):
    settings = export(run[1], tmp_path / 'small', 'dmc', games=100)
    assert settings.calibration is not None
    assert (
        settings
        == Settings.load(tmp_path / 'small', 'dmc')
        == replace(Settings.load(run[1], 'dmc'), calibration=settings.calibration)
    )
    with safe_open(tmp_path / 'small/network.safetensors', 'numpy') as file:
        assert json.loads(file.metadata()['settings']) == settings.to_json()
    assert DMCAgent.load(tmp_path / 'small', numpy=True).calibration(settings.rules) == settings.calibration
    assert export(tmp_path / 'small', tmp_path / 'again', 'dmc').calibration is None


def test_networks_are_averaged(run, tmp_path, in_process):
    network, folder = run
    others = [ValueNetwork(SMALL.spec), ValueNetwork(SMALL.spec)]
    for other, frames in zip(others, (5, 8), strict=True):
        save_checkpoint(tmp_path / f'run{frames}', SMALL, other, frames)
    target = tmp_path / 'mean'
    flags = ('--average-with', tmp_path / 'run5', tmp_path / 'run8', '--games', '0')
    status, said = in_process(dmc.cli.main, 'export', folder, target, *flags)
    assert status == 0, said
    assert '20 frames' in said
    mean = DMCAgent.load(target).network.state_dict()
    for name, weights in network.state_dict().items():
        expected = (weights + sum(other.state_dict()[name] for other in others)) / 3
        assert torch.allclose(mean[name], expected, rtol=1e-2, atol=1e-6)
    assert [one['frames'] for one in Settings.load(target, 'dmc').provenance['average_of']] == [7, 5, 8]


@pytest.mark.parametrize('change', [{'hidden_size': 24}, {'rules': 'hkust'}, {'inputs': 'cards'}])
def test_networks_that_differ_are_not_averaged(run, tmp_path, change):
    other = SMALL.changed(**change)
    save_checkpoint(tmp_path / 'other', other, ValueNetwork(other.spec), 5)
    with pytest.raises(CheckpointError, match=r'/other and .*/run differ in rules, or in kind, inputs or sizes'):
        export(run[1], tmp_path / 'mean', 'dmc', average_with=[tmp_path / 'other'])
    assert not (tmp_path / 'mean').exists()


def test_averaging_overwrites_none_of_the_networks(run, tmp_path):
    export(run[1], tmp_path / 'small', 'dmc')
    before = checksum(tmp_path / 'small/network.safetensors')
    with pytest.raises(CheckpointError, match='choose another'):
        export(run[1], tmp_path / 'small', 'dmc', average_with=[tmp_path / 'small'])
    assert checksum(tmp_path / 'small/network.safetensors') == before


def test_too_few_games_are_refused(run, tmp_path):
    with pytest.raises(ConfigError, match=r'games=99: it must be 0, or at least 100'):
        Export('dmc', run[1], tmp_path / 'small', 99)


def test_another_trainers_run_is_refused(run, tmp_path, in_process):
    status, said = in_process(ppo.cli.main, 'export', run[1], tmp_path / 'small')
    assert status == 1
    assert "of agent 'dmc': expected 'ppo'" in said


def test_what_cannot_be_exported_is_refused(run, tmp_path):
    with pytest.raises(CheckpointError, match='nowhere holds no trained network'):
        export(tmp_path / 'nowhere', tmp_path / 'small', 'dmc')
    network, folder = run
    torch.nn.init.constant_(network.value.weight, 1e6)
    save_file(network.state_dict(), folder / 'network.safetensors')
    with pytest.raises(CheckpointError, match=r"'value\.weight' go to 1e\+06: expected none beyond 10000"):
        export(folder, tmp_path / 'small', 'dmc')
    assert not (tmp_path / 'small').exists()


def test_a_run_is_not_overwritten(run, tmp_path):
    _, folder = run
    other = tmp_path / 'other'
    other.mkdir()
    (other / 'training.json').write_text('{}')
    before = checksum(folder / 'network.safetensors')
    for target in (folder, other):
        with pytest.raises(CheckpointError, match='is the folder of a run: choose another'):
            export(folder, target, 'dmc')
    assert checksum(folder / 'network.safetensors') == before
