"""Faults of training systems, inflicted on real processes."""

import json
import os
import queue
import random
import re
import resource
import shlex
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

import dmc.cli
from tests.support.limits import PATIENCE, wait_until
from training.workers import MAX_DEATHS

SIZES = ['--num-games', '16', '--hidden-size', '32', '--lstm-size', '8', '--batch-size', '128', '--eval-deals', '0']


def start(folder, *arguments, **options):
    """Start training in a process group of its own, whose hangup is not ignored, and return once it learns."""
    command = [sys.executable, '-m', 'dmc', 'train', '--savedir', str(folder), *SIZES, *arguments]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL), **options,
    )  # fmt: skip
    for line in process.stdout:
        if re.search(r'frames [1-9]', line):
            return process
    raise AssertionError(f'training ended with {process.wait()}')


def blocks_of(process):
    """Return the blocks of shared memory that a process has, as files."""
    maps = Path(f'/proc/{process.pid}/maps').read_text()
    return {Path(found) for found in re.findall(r'/dev/shm/rlcard-dmc-[\w-]+', maps)}


def frames_of(folder):
    return json.loads((folder / 'settings.json').read_text())['provenance']['frames']


def is_group_alive(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def training(tmp_path):
    process = start(tmp_path)
    yield process
    if is_group_alive(process.pid):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


@pytest.mark.attack('killed or interrupted processes')
@pytest.mark.slow
def test_a_killed_trainer_leaves_no_process_and_no_shared_memory(training):
    (block,) = blocks_of(training)
    assert block.exists()
    training.kill()
    training.wait()
    wait_until(lambda: not is_group_alive(training.pid))
    assert not block.exists()


@pytest.mark.attack('killed or interrupted processes')
@pytest.mark.slow
def test_memory_of_a_run_that_was_cut_off_is_given_back_at_the_next_start(training, tmp_path):
    (block,) = blocks_of(training)
    os.killpg(training.pid, signal.SIGKILL)  # its resource tracker too, as a power cut would
    training.wait()
    assert block.exists()
    next_run = start(tmp_path / 'next')
    assert not block.exists()
    next_run.terminate()
    assert next_run.wait(timeout=PATIENCE) == 0
    next_run.communicate()


@pytest.mark.attack('killed or interrupted processes')
@pytest.mark.parametrize(
    'interrupt', [signal.SIGHUP, signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_an_interrupt_saves_and_leaves_nothing_but_the_command_that_resumes(training, tmp_path, in_process, interrupt):
    (block,) = blocks_of(training)
    send = training.send_signal if interrupt == signal.SIGTERM else partial(os.killpg, training.pid)
    send(interrupt)  # to the whole group, as a terminal does
    output, _ = training.communicate(timeout=PATIENCE)
    assert training.returncode == 0
    wait_until(lambda: not is_group_alive(training.pid))
    assert not block.exists()
    frames = frames_of(tmp_path)
    again = shlex.split(output.split('to resume: ')[1].splitlines()[0])
    assert again[1:4] == ['-m', 'dmc', 'train']
    status, said = in_process(dmc.cli.main, *again[3:], '--total-frames', frames + 256)
    assert status == 0, said
    assert frames + 256 <= frames_of(tmp_path) < frames + 1024


def actors_of(process):
    """Return the processes that play, by their ids."""
    children = Path(f'/proc/{process.pid}/task/{process.pid}/children').read_text().split()
    return {int(child) for child in children if b'spawn_main' in Path(f'/proc/{child}/cmdline').read_bytes()}


@pytest.mark.attack('killed or interrupted processes')
@pytest.mark.slow
@pytest.mark.parametrize('deaths', [2, 5])
def test_killed_actors_are_each_reported_and_replaced(tmp_path, deaths, record_property):
    process = start(tmp_path, '--num-actors', '2')
    lines = queue.Queue()
    reader = threading.Thread(target=lambda: [lines.put(line) for line in process.stdout])
    reader.start()
    record_property('tries', deaths)
    choose = random.Random(7)
    for _ in range(deaths):
        wait_until(lambda: len(actors_of(process)) == 2)
        victim = choose.choice(sorted(actors_of(process)))
        os.kill(victim, signal.SIGKILL)
        said = ''
        while 'died' not in said:
            said = lines.get(timeout=PATIENCE)
        assert 'is replaced: no traceback; exit code -9' in said
        time.sleep(choose.random())
    process.terminate()
    assert process.wait(timeout=PATIENCE) == 0
    reader.join()
    weights = load_file(tmp_path / 'network.safetensors')
    assert all(torch.isfinite(tensor).all() for tensor in weights.values())
    assert list(tmp_path.glob('state/*.json'))


@pytest.mark.attack('killed or interrupted processes')
@pytest.mark.slow
def test_repeated_deaths_end_the_run(tmp_path):
    process = start(tmp_path, '--num-actors', '2', stderr=subprocess.PIPE)
    while process.poll() is None:
        for victim in actors_of(process):
            os.kill(victim, signal.SIGKILL)
        time.sleep(1)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert f'more than {MAX_DEATHS} actors died' in ' '.join(said.split())
    assert (tmp_path / 'network.safetensors').exists()


@pytest.mark.slow
def test_eight_actors_run_with_256_file_descriptors(tmp_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))

    process = start(tmp_path, '--num-actors', '8', preexec_fn=limit)
    process.terminate()
    assert process.wait(timeout=PATIENCE) == 0
    process.communicate()
