"""Faults of training systems, inflicted on real processes."""

import json
import os
import random
import re
import resource
import shlex
import signal
import time
from functools import partial
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

import dmc.cli
from tests.support.commands import Command
from tests.support.limits import wait_until
from training.workers import MAX_DEATHS

SIZES = ['--num-games', '16', '--hidden-size', '32', '--lstm-size', '8', '--batch-size', '128', '--eval-deals', '0']


def train(folder, *more):
    return Command(folder.parent, 'dmc', 'train', '--savedir', folder, *SIZES, *more)


@pytest.fixture
def training(tmp_path):
    with train(tmp_path) as command:
        command.wait_for('frames [1-9]')
        yield command


def terminate(command):
    command.process.terminate()
    assert command.end()[0] == 0


def blocks_of(command):
    """Return the blocks of shared memory that a command has, as files."""
    maps = Path(f'/proc/{command.process.pid}/maps').read_text()
    return {Path(found) for found in re.findall(r'/dev/shm/rlcard-dmc-[\w-]+', maps)}


def frames_of(folder):
    return json.loads((folder / 'settings.json').read_text())['provenance']['frames']


@pytest.mark.attack('killed or interrupted processes')
@pytest.mark.slow
def test_a_killed_trainer_leaves_no_process_and_no_shared_memory(training):
    (block,) = blocks_of(training)
    assert block.exists()
    training.process.kill()
    wait_until(lambda: not training.group())
    assert not block.exists()


@pytest.mark.attack('killed or interrupted processes')
@pytest.mark.slow
def test_memory_of_a_run_that_was_cut_off_is_given_back_at_the_next_start(training, tmp_path):
    (block,) = blocks_of(training)
    os.killpg(training.process.pid, signal.SIGKILL)  # its resource tracker too, as a power cut would
    training.process.wait()
    assert block.exists()
    with train(tmp_path / 'next') as next_run:
        next_run.wait_for('frames [1-9]')
        assert not block.exists()
        terminate(next_run)


@pytest.mark.attack('killed or interrupted processes')
@pytest.mark.parametrize(
    'interrupt', [signal.SIGHUP, signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_an_interrupt_saves_and_leaves_nothing_but_the_command_that_resumes(training, tmp_path, in_process, interrupt):
    (block,) = blocks_of(training)
    send = training.process.send_signal if interrupt == signal.SIGTERM else partial(os.killpg, training.process.pid)
    send(interrupt)  # to the whole group, as a terminal does
    status, output = training.end()
    assert status == 0
    wait_until(lambda: not training.group())
    assert not block.exists()
    frames = frames_of(tmp_path)
    again = shlex.split(output.split('to resume: ')[1].splitlines()[0])
    assert again[1:4] == ['-m', 'dmc', 'train']
    status, said = in_process(dmc.cli.main, *again[3:], '--total-frames', frames + 256)
    assert status == 0, said
    assert frames + 256 <= frames_of(tmp_path) < frames + 1024


def actors_of(command):
    """Return the processes that play, by their ids."""
    pid = command.process.pid
    children = Path(f'/proc/{pid}/task/{pid}/children').read_text().split()
    return {int(child) for child in children if b'spawn_main' in Path(f'/proc/{child}/cmdline').read_bytes()}


@pytest.mark.attack('killed or interrupted processes')
@pytest.mark.slow
@pytest.mark.parametrize('deaths', [2, 5])
def test_killed_actors_are_each_reported_and_replaced(tmp_path, deaths, record_property):
    record_property('tries', deaths)
    choose = random.Random(7)
    with train(tmp_path, '--num-actors', '2') as command:
        command.wait_for('frames [1-9]')
        for death in range(deaths):
            wait_until(lambda: len(actors_of(command)) == 2)
            os.kill(choose.choice(sorted(actors_of(command))), signal.SIGKILL)
            command.wait_for('is replaced: no traceback; exit code -9', death + 1)
            time.sleep(choose.random())
        terminate(command)
    weights = load_file(tmp_path / 'network.safetensors')
    assert all(torch.isfinite(tensor).all() for tensor in weights.values())
    assert list(tmp_path.glob('state/*.json'))


@pytest.mark.attack('killed or interrupted processes')
@pytest.mark.slow
def test_repeated_deaths_end_the_run(tmp_path):
    with train(tmp_path, '--num-actors', '2') as command:
        command.wait_for('frames [1-9]')
        while command.process.poll() is None:
            for victim in actors_of(command):
                os.kill(victim, signal.SIGKILL)
            time.sleep(1)
        status, said = command.end()
    assert status == 1
    assert f'more than {MAX_DEATHS} actors died' in ' '.join(said.split())
    assert (tmp_path / 'network.safetensors').exists()


@pytest.mark.slow
def test_eight_actors_run_with_256_file_descriptors(tmp_path):
    with train(tmp_path, '--num-actors', '8') as command:
        resource.prlimit(command.process.pid, resource.RLIMIT_NOFILE, (256, 256))
        command.wait_for('frames [1-9]')
        terminate(command)
