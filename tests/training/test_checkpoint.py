"""Saved states: resumed to the bit, damaged, written by a process that is killed, or of a run that has diverged."""

import json
import math
import os
import signal
import time
from contextlib import ExitStack, suppress
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import dmc.trainer
import ppo.trainer
from dmc.config import Config
from rlcard_big2.nets.agents import DMCAgent
from rlcard_big2.rules import Rules
from rlcard_kit.errors import FolderInUseError
from rlcard_kit.files import locked
from rlcard_kit.nets.checkpoint import CheckpointError
from rlcard_kit.nets.weights import dump_weights
from tests.dmc.test_networks import rows
from tests.support.damage import damaged
from tests.support.faults import fail_each
from tests.support.helpers import exit_status, fork
from tests.support.training import dmc_learner, load_state, save_network, save_state
from training.checkpoint import STATES_KEPT, Counters, _checksum_of
from training.run import DivergenceError, Run
from training.run_settings import begin

SETTINGS = Config.of(num_actors=1, num_games=8, batch_size=64, ring_size=4096, hidden_size=16, lstm_size=8)


def new_learner(config, updates=()):
    learner = dmc_learner(config, torch.float32)
    for update in updates:
        learner.update(rows(64, update))
    return learner


@pytest.fixture
def config(tmp_path):
    return SETTINGS.changed(savedir=tmp_path)


@pytest.fixture
def learner(config):
    return new_learner(config, range(1))


def files_of(folder):
    return {path: path.read_bytes() for path in folder.rglob('*.*') if path.is_file()}


def test_a_resumed_learner_goes_on_bit_by_bit_at_the_rate_of_its_settings(config):
    counters = Counters(1234, 56, 7.5, 3)
    learner = new_learner(config, range(5))
    save_state(config, learner, counters)
    resumed, slower = new_learner(config.changed(seed=9)), new_learner(config.changed(learning_rate=1e-5))
    assert load_state(config, resumed) == load_state(config, slower) == counters
    for update in range(5, 10):
        assert learner.update(rows(64, update)) == resumed.update(rows(64, update))
    assert np.array_equal(dump_weights(learner.network), dump_weights(resumed.network))
    assert slower.rate == 1e-5


@pytest.mark.parametrize('how', ['truncated', 'changed'])
def test_two_states_are_kept_and_a_damaged_one_gives_way_to_the_one_before(config, learner, how):
    for frames in (5, 10, 20):
        save_state(config, learner, Counters(frames))
    path = config.run.savedir / f'state/{20:012d}.safetensors'
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] if how == 'truncated' else data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.warns(UserWarning, match='000000000020: .* resuming from 000000000010'):
        assert load_state(config, new_learner(config)).frames == 10
    save_state(config, learner, Counters(15))
    files = list(path.parent.iterdir())
    assert {file.stem for file in files} == {f'{frames:012d}' for frames in (10, 15)}
    for file in files:
        file.write_bytes(b'')
    with pytest.raises(CheckpointError, match=r'no state to resume from; not usable: 0*15'):
        load_state(config, learner)


def forged(tensors):
    """Yield states with a valid checksum that no learner has."""
    yield {name: tensor for name, tensor in tensors.items() if not name.startswith('optimizer.')}
    yield {name: tensor for name, tensor in tensors.items() if name != 'steps'}
    for name in ('network.value.bias', 'average.value.bias', 'optimizer.0.exp_avg'):
        yield {**tensors, name: tensors[name] * math.nan}
        yield {**tensors, name: tensors[name][..., :-1].contiguous()}
    yield {**tensors, 'optimizer.99.exp_avg': torch.zeros(1)}


@pytest.mark.attack('damaged or forged files')
def test_a_forged_state_gives_way_to_the_state_before(config, learner, record_property):
    save_state(config, learner, Counters(10))
    for number, tensors in enumerate(forged(learner.tensors())):
        save_state(config, SimpleNamespace(tensors=lambda: tensors), Counters(20))  # noqa: B023  # called at once
        with pytest.warns(UserWarning, match='000000000020: .* resuming from 000000000010'):
            assert load_state(config, new_learner(config)).frames == 10, number
    record_property('tries', number + 1)


FREE = (
    'bytes changed', 'an unknown key', 'rules.name', 'without rules.name', 'provenance', 'without provenance',
    *(f'without rules.{name}' for name in Rules.LATER),
)  # fmt: skip
COUNTS = (-1, 'many', None, 1e300, 1 << 80, float('nan'), True)


def signed(data):
    """Return a description with the right checksum, since a wrong one would show all damage, if it can have one."""
    with suppress(ValueError, RecursionError):
        description = json.loads(data)
        if isinstance(description, dict) and 'checksum' in description:
            return json.dumps({**description, 'checksum': _checksum_of(description)}).encode()
    return data


@pytest.mark.attack('damaged or forged files')
def test_a_damaged_description_gives_way_to_the_state_before(config, learner, record_property):
    for frames in (10, 20):
        save_state(config, learner, Counters(frames))
    path = config.run.savedir / f'state/{20:012d}.json'
    whole = json.loads(path.read_text())
    path.write_text(json.dumps(whole).replace('"games": 0', '"games": 1'))
    with pytest.warns(UserWarning, match='its checksum differs'):
        assert load_state(config, new_learner(config)).frames == 10
    counts = [{'counters': whole['counters'] | {name: bad}} for name in ('frames', 'seconds') for bad in COUNTS]
    others = [{'counters': {'seconds': 1.0}}, {'counters': whole['counters'] | {'more': 1}}, {'format': 3}]
    variants = [(f'{change}', json.dumps({**whole, **change}).encode()) for change in (*counts, *others)]
    variants += damaged(json.dumps(whole).encode())
    for name, data in variants:
        if not name.startswith((*FREE, 'counters.', 'training.', 'without training.', 'checksum')):
            path.write_bytes(signed(data))
            with pytest.warns(UserWarning, match='000000000020: .* resuming from 000000000010'):
                assert load_state(config, new_learner(config)).frames == 10, name
    record_property('tries', len(variants))
    assert len(variants) > 150


def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path, learner):
    (tmp_path / 'file').write_text('')
    with pytest.raises(CheckpointError, match=r'file/run cannot be written to: .*Not a directory'):
        begin(SETTINGS.changed(savedir=tmp_path / 'file/run'), learner, ExitStack())


@pytest.mark.parametrize('resume', [False, True])
def test_a_second_run_in_a_folder_is_refused_and_changes_nothing(config, learner, resume):
    with locked(config.run.savedir):
        save_state(config, learner, Counters(10))
        before = files_of(config.run.savedir)
        with pytest.raises(FolderInUseError):
            dmc.trainer.train(config.changed(resume=resume, deterministic=True, total_frames=0, eval_deals=0))
        assert files_of(config.run.savedir) == before


@pytest.mark.parametrize(('setting', 'value'), [('rules', 'hkust'), ('hidden_size', 32), ('lstm_size', 4)])
def test_other_rules_and_networks_are_refused_with_both_values(config, learner, setting, value):
    save_state(config, learner, Counters(10))
    other = config.changed(**{setting: value})
    with pytest.raises(CheckpointError, match=f'{config.settings()[setting]}.*{value}'):
        load_state(other, new_learner(other))


@pytest.mark.parametrize(
    ('spoiled', 'value', 'reason'),
    [
        ('value.bias', float('nan'), "'value.bias' go to nan"),
        ('value.bias', float('inf'), "'value.bias' go to inf"),
        ('value.bias', 1e29, r"'value.bias' go to 1e\+29"),
        ('', 9999.0, 'loss on the last batch is (inf|nan)'),  # each weight is within bounds, their values are not
    ],
)
def test_a_run_that_has_diverged_is_not_saved(config, learner, spoiled, value, reason):
    save_state(config, learner, Counters(10))
    save_network(config.run.savedir, config, learner.average, 10)
    before = files_of(config.run.savedir)
    for name, parameter in [*learner.network.named_parameters(), *learner.average.named_parameters()]:
        if name.startswith(spoiled):
            torch.nn.init.constant_(parameter, value)
    run = Run(config, config.find_game(), learner, learner, None, Counters(20), [])
    with pytest.raises(DivergenceError, match=reason):
        run.save()
    assert files_of(config.run.savedir) == before


@pytest.mark.parametrize('program', [dmc.trainer, ppo.trainer], ids=['dmc', 'ppo'])
def test_a_run_that_diverges_ends_and_keeps_its_last_sound_state(tmp_path, program):
    """A rate far too high, after a part of the run that was sound."""
    sizes = {'batch_size': 64, 'ring_size': 4096, 'lstm_size': 8} if program is dmc.trainer else {}
    limits = {'savedir': tmp_path, 'deterministic': True, 'total_frames': 500, 'eval_deals': 0}
    sound = program.Config.of(num_games=8, hidden_size=16, **limits, **sizes)
    program.train(sound)
    before = files_of(tmp_path / 'state')
    with pytest.raises(FloatingPointError, match=r'diverged'):
        program.train(sound.changed(resume=True, total_frames=10**6, learning_rate=1e9))
    assert files_of(tmp_path / 'state') == before
    assert program.train(sound.changed(resume=True, total_frames=1000)).frames >= 1000


@pytest.mark.attack('killed or interrupted processes')
@pytest.mark.parametrize('kills', [20, pytest.param(200, marks=pytest.mark.slow)])
def test_kills_while_saving_leave_a_readable_state_every_time(config, learner, kills, record_property):
    record_property('tries', kills)
    frames = 1
    save_state(config, learner, Counters(frames))
    save_network(config.run.savedir, config, learner.network, frames)
    saved, saves = os.pipe()

    def save_for_ever():
        for later in range(frames + 1, frames + 100_000):
            save_state(config, learner, Counters(later))
            if later == frames + 1:
                os.write(saves, b'.')
            save_network(config.run.savedir, config, learner.network, later)

    for kill in range(kills):
        pid = fork(save_for_ever)
        os.read(saved, 1)
        time.sleep(0.02 + 0.022 * kill / kills)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        DMCAgent.load(config.run.savedir)
        earlier, frames = frames, load_state(config, new_learner(config)).frames
        assert frames >= earlier
    assert frames > kills
    save_state(config, learner, Counters(frames + 1))
    assert len(list((config.run.savedir / 'state').iterdir())) == 2 * STATES_KEPT, 'nothing unfinished is left'
    os.close(saved)
    os.close(saves)


@pytest.mark.attack('each call of the file system fails')
def test_a_fault_of_any_call_keeps_a_state_and_a_network(config, learner, monkeypatch, record_property):
    frames, folder = iter(range(1, 1000)), config.run.savedir

    def save():
        number = next(frames)
        save_state(config, learner, Counters(number))
        save_network(folder, config, learner.network, number)

    def check():
        DMCAgent.load(folder)
        found.append(load_state(config, new_learner(config)).frames)

    found = []
    save()
    failures = fail_each(monkeypatch, save, check)
    record_property('tries', failures)
    assert failures > 10
    assert found == sorted(found)
    assert found[-1] == failures + 2
    assert not list(folder.rglob('*.tmp'))


@pytest.mark.attack('full disks, or no memory')
def test_a_full_disk_keeps_the_earlier_state(config, learner):
    save_state(config, learner, Counters(1))
    assert exit_status(fork(lambda: save_state(config, learner, Counters(2)), 1000)) == 3
    assert load_state(config, new_learner(config)).frames == 1
    assert not list(config.run.savedir.rglob('*.tmp'))
