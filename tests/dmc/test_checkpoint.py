import json
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import time
from contextlib import ExitStack

import numpy as np
import pytest
import torch

import dmc.cli
import dmc.trainer
import ppo.trainer
from dmc.config import Config
from dmc.learner import Learner
from dmc.trainer import train
from dmc.workers.base import replay_row
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_kit.errors import FolderInUseError
from rlcard_kit.files import locked
from rlcard_kit.nets.checkpoint import CheckpointError
from rlcard_kit.nets.weights import dump_weights
from training.checkpoint import (
    STATES_KEPT,
    WRITE_ERRORS,
    Counters,
    load_state,
    save_checkpoint,
    save_state,
)
from training.run import DivergenceError, Run
from training.run_settings import begin

SETTINGS = Config.of(num_actors=1, num_games=8, batch_size=64, ring_size=4096, hidden_size=16, lstm_size=8)


def rows_of(seed):
    generator = np.random.default_rng(seed)
    rows = np.zeros(64, replay_row(BIG2))
    rows['observation'] = generator.integers(0, 1 << 52, rows['observation'].shape)
    rows['action'] = 1 << generator.integers(0, 52, 64)
    rows['target'] = generator.integers(-13, 39, 64)
    return rows


@pytest.fixture
def config(tmp_path):
    return SETTINGS.changed(savedir=tmp_path)


def trained(config, updates, learner=None):
    learner = learner or Learner(config, torch.float32)
    for update in updates:
        learner.update(rows_of(update))
    return learner


def test_a_resumed_learner_goes_on_bit_by_bit(config):
    counters = Counters(1234, 56, 7.5, 3)
    learner = trained(config, range(5))
    save_state(config, learner, counters)
    resumed = Learner(config.changed(seed=9), torch.float32)
    assert load_state(config, resumed) == counters
    trained(config, range(5, 10), learner)
    trained(config, range(5, 10), resumed)
    assert np.array_equal(dump_weights(learner.network), dump_weights(resumed.network))


def test_two_states_are_kept(config):
    learner = trained(config, range(2))
    for frames in (10, 20, 30, 40):
        save_state(config, learner, Counters(frames))
    names = sorted(path.name for path in (config.run.savedir / 'state').iterdir())
    assert names == [f'{frames:012d}.{kind}' for frames in (30, 40) for kind in ('json', 'safetensors')]
    assert len(names) == 2 * STATES_KEPT


def damage(path, how):
    data = bytearray(path.read_bytes())
    if how == 'truncated':
        del data[len(data) // 2 :]
    else:
        data[-1] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize('how', ['truncated', 'changed'])
@pytest.mark.parametrize('kind', ['json', 'safetensors'])
def test_a_damaged_state_gives_way_to_the_one_before(config, how, kind):
    learner = trained(config, range(1))
    for frames in (10, 20):
        save_state(config, learner, Counters(frames))
    damage(config.run.savedir / 'state' / f'{20:012d}.{kind}', how)
    with pytest.warns(UserWarning, match='000000000020: .* resuming from 000000000010'):
        assert load_state(config, Learner(config, torch.float32)).frames == 10
    save_state(config, learner, Counters(15))
    assert [path.stem for path in sorted((config.run.savedir / 'state').glob('*.json'))] == [
        f'{n:012d}' for n in (10, 15)
    ]


# What a state's description may become, as text or by changes; the changes are not noticed by a checksum.
TEXTS = {
    'empty': '',
    'no object': '[1]',
    'no state': '{}',
    'of format 3, without settings': '{"format": 3}',
    'of format 3, of a wrong shape': '{"format": 3, "config": 1, "agent": [], "counters": null}',
    'no UTF-8': '\udcff',
    'deep': '[' * 100_000,
}
KEYS = ('counters', 'training', 'rules', 'network', 'provenance', 'sha256', 'agent', 'format')
VALUES = (None, [], 3.5, 'word', {'frames': 'many', 'a': {}})
COUNTS = (-1, 'many', None, 1e300, 1 << 80, float('nan'), True)
CHANGES = {
    **{f'{key} {value!r}': {key: value} for key in KEYS for value in VALUES},
    **{f'counted {value!r}': {'counters': {'frames': 20, 'seconds': value}} for value in COUNTS},
    **{f'frames {value!r}': {'counters': {'frames': value}} for value in COUNTS},
    'no frames': {'counters': {'seconds': 1.0}},
    'more counters': {'counters': {'frames': 20, 'more': 1}},
}


@pytest.fixture(scope='module')
def two_states(tmp_path_factory):
    """A run with a state of 10 frames and one of 20; its settings, and the newer state's description."""
    config = SETTINGS.changed(savedir=tmp_path_factory.mktemp('states'))
    for frames in (10, 20):
        save_state(config, trained(config, range(1)), Counters(frames))
    path = config.run.savedir / f'state/{20:012d}.json'
    return config, path, path.read_text()


@pytest.mark.parametrize('how', [*TEXTS, *CHANGES])
def test_a_description_of_any_shape_gives_way_to_the_state_before(two_states, how):
    config, path, text = two_states
    whole = {key: value for key, value in json.loads(text).items() if key != 'checksum'}
    damaged = json.dumps({**whole, **CHANGES[how]}) if how in CHANGES else TEXTS[how]
    path.write_bytes(damaged.encode(errors='surrogateescape'))
    with pytest.warns(UserWarning, match=r'000000000020: .* resuming from 000000000010'):
        assert load_state(config, Learner(config, torch.float32)).frames == 10


def test_any_change_of_a_description_is_noticed(two_states):
    config, path, text = two_states
    path.write_text(text.replace('"games": 0', '"games": 1'))
    with pytest.warns(UserWarning, match='its checksum differs: resuming from'):
        assert load_state(config, Learner(config, torch.float32)) == Counters(10)


def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path):
    (tmp_path / 'file').write_text('')
    with pytest.raises(CheckpointError, match=r'savedir=.*file/run cannot be written to: .*Not a directory'):
        begin(SETTINGS.changed(savedir=tmp_path / 'file/run'), trained(SETTINGS, range(1)), ExitStack())


@pytest.mark.parametrize('resume', [False, True])
def test_a_second_run_in_a_folder_is_refused_and_changes_nothing(config, resume):
    def files():
        return {path: path.read_bytes() for path in config.run.savedir.rglob('*') if path.is_file()}

    with locked(config.run.savedir):
        save_state(config, trained(config, range(1)), Counters(10))
        before = files()
        with pytest.raises(FolderInUseError, match=r'in use by process .* choose another folder'):
            train(config.changed(resume=resume, deterministic=True, total_frames=0, eval_deals=0))
        assert files() == before


def test_without_a_whole_state_the_reasons_are_told(config):
    with pytest.raises(CheckpointError, match='no state to resume from'):
        load_state(config, Learner(config, torch.float32))
    save_state(config, trained(config, range(1)), Counters(10))
    damage(config.run.savedir / 'state' / f'{10:012d}.safetensors', 'changed')
    with pytest.raises(CheckpointError, match='checksum'):
        load_state(config, Learner(config, torch.float32))


@pytest.mark.parametrize(('setting', 'value'), [('rules', 'hkust'), ('hidden_size', 32), ('lstm_size', 4)])
def test_other_rules_and_networks_are_refused_with_both_values(config, setting, value):
    save_state(config, trained(config, range(1)), Counters(10))
    other = config.changed(**{setting: value})
    with pytest.raises(CheckpointError, match=f'{config.settings()[setting]}.*{value}'):
        load_state(other, Learner(other, torch.float32))


def test_the_rate_may_change_on_the_way(config):
    save_state(config, trained(config, range(3)), Counters(10))
    learner = Learner(config.changed(learning_rate=1e-5), torch.float32)
    load_state(config, learner)
    assert learner.optimizer.param_groups[0]['lr'] == 1e-5


def spoil_bias(learner, value):
    with torch.no_grad():
        learner.network.value.bias.fill_(value)
        learner.average.value.bias.fill_(value)


def spoil_layers(learner, value):
    """Scale all layers, so that no weight is beyond the bound, but what they compute is."""
    with torch.no_grad():
        for parameter in learner.network.parameters():
            parameter.fill_(value)


@pytest.mark.parametrize(
    ('spoil', 'value', 'reason'),
    [
        (spoil_bias, float('nan'), "weights 'value.bias' go to nan"),
        (spoil_bias, float('inf'), "weights 'value.bias' go to inf"),
        (spoil_bias, 1e29, r"weights 'value.bias' go to 1e\+29: expected none beyond 10000"),
        (spoil_layers, 9999.0, 'the loss on the last batch is (inf|nan)'),
    ],
)
def test_a_run_that_has_diverged_is_not_saved(config, spoil, value, reason):
    learner = trained(config, range(1))
    save_state(config, learner, Counters(10))
    save_checkpoint(config.run.savedir, config, learner.average, 10)
    before = {path: path.read_bytes() for path in config.run.savedir.rglob('*.*')}
    spoil(learner, value)
    run = Run(config, learner, learner, DMCAgent.load, None, Counters(20), [])
    with pytest.raises(DivergenceError, match=f'the run has diverged: {reason}.*--resume takes the last sound state'):
        run.save()
    assert {path: path.read_bytes() for path in before} == before
    assert load_state(config, Learner(config, torch.float32)).frames == 10


@pytest.mark.parametrize('program', [dmc.trainer, ppo.trainer])
def test_a_run_that_diverges_ends_and_keeps_its_last_sound_state(tmp_path, program, monkeypatch):
    """A rate far too high, after a part of the run that was sound."""
    kind = program.Config
    sizes = {'batch_size': 64, 'ring_size': 4096, 'lstm_size': 8} if kind is Config else {}
    sound = kind.of(
        savedir=tmp_path, deterministic=True, total_frames=500, num_games=8, hidden_size=16, eval_deals=0, **sizes
    )
    program.train(sound)
    before = {path: path.read_bytes() for path in tmp_path.glob('state/*')}
    with pytest.raises(FloatingPointError, match=r'diverged'):
        program.train(sound.changed(resume=True, total_frames=10**6, learning_rate=1e9))
    assert {path: path.read_bytes() for path in tmp_path.glob('state/*')} == before
    assert program.train(sound.changed(resume=True, total_frames=1000)).frames >= 1000


def fork(action):
    """Run an action in a copy of this process, which then ends; return its number."""
    pid = os.fork()
    if pid == 0:
        try:
            action()
        except WRITE_ERRORS:
            os._exit(3)
        os._exit(0)
    return pid


@pytest.mark.parametrize('kills', [40, pytest.param(200, marks=pytest.mark.slow)])
def test_kills_while_saving_leave_a_readable_state_every_time(config, kills):
    learner = trained(config, range(1))
    frames = 1
    save_state(config, learner, Counters(frames))
    save_checkpoint(config.run.savedir, config, learner.network, frames)
    saved, saves = os.pipe()

    def save_for_ever():
        for later in range(frames + 1, frames + 100_000):
            save_state(config, learner, Counters(later))
            if later == frames + 1:
                os.write(saves, b'.')
            save_checkpoint(config.run.savedir, config, learner.network, later)

    for kill in range(kills):
        pid = fork(save_for_ever)
        os.read(saved, 1)
        time.sleep(0.02 + 0.022 * kill / kills)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        DMCAgent.load(config.run.savedir)
        earlier, frames = frames, load_state(config, Learner(config, torch.float32)).frames
        assert frames >= earlier
    assert frames > kills
    save_state(config, learner, Counters(frames + 1))
    assert len(list((config.run.savedir / 'state').iterdir())) == 2 * STATES_KEPT, 'nothing unfinished is left'
    os.close(saved)
    os.close(saves)


def test_a_full_disk_keeps_the_earlier_state(config):
    learner = trained(config, range(1))
    save_state(config, learner, Counters(1))

    def save_on_a_full_disk():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        save_state(config, learner, Counters(2))

    _, status = os.waitpid(fork(save_on_a_full_disk), 0)
    assert os.waitstatus_to_exitcode(status) == 3
    assert load_state(config, Learner(config, torch.float32)).frames == 1
    assert not list(config.run.savedir.rglob('*.tmp'))


def test_an_interrupted_run_tells_how_to_go_on_and_does(tmp_path, in_process):
    folder = tmp_path / 'a run'
    sizes = ['--num-games', '16', '--hidden-size', '32', '--lstm-size', '8', '--batch-size', '128']
    command = [sys.executable, '-m', 'dmc', 'train', '--savedir', str(folder), *sizes]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        if re.search(r'frames [1-9]', line):
            break
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=20)
    assert process.returncode == 0
    frames = json.loads((folder / 'settings.json').read_text())['provenance']['frames']
    again = shlex.split(output.split('to resume: ')[1].strip())
    assert again[:4] == ['python', '-m', 'dmc', 'train']
    limits = ['--total-frames', str(frames + 256), '--eval-deals', '0']
    status, said = in_process(dmc.cli.main, *again[3:], *limits)
    assert status == 0, said
    assert frames + 256 <= json.loads((folder / 'settings.json').read_text())['provenance']['frames'] < frames + 1024
    assert (folder / 'metrics.csv').read_text().startswith('seconds,frames')
