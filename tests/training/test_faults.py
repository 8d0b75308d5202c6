"""Commands that are killed at random moments, that run out of disk or memory, or that share a folder.

`BIG2_TRIES=100 pytest -m slow tests/training/test_faults.py` tries each kind more often.
"""

import json
import os
import random
import resource
import signal
import time
from pathlib import Path

import pytest

from rlcard_big2.registry import make_agent
from tests.support.commands import Command
from tests.support.limits import wait_until

pytestmark = pytest.mark.slow

TRIES = range(int(os.environ.get('BIG2_TRIES', '2')))
KILL_SECONDS = 14.0  # from the start, at most
ROOM = 16 * 2**20  # bytes of memory that a running command may still take
TRAINERS = {  # small runs without an end
    'dmc': ('--num-games', '16', '--hidden-size', '32', '--lstm-size', '8', '--batch-size', '128'),
    'ppo': ('--num-games', '16', '--hidden-size', '32', '--num-steps', '8'),
}
RUN = ('train', '--savedir', 'run', '--eval-deals', '0')
MATCH = ('eval', 'match', 'big2-dmc', 'rule', '--deals', '192', '--workers', '2', '--out', 'run')
LONG_MATCH = ('eval', 'match', 'big2-dmc', 'big2-dmc', '--deals', '100000', '--workers', '1', '--out', 'run')


def end_at(command, number, seconds):
    """End a command after some seconds, unless it has finished."""
    deadline = time.monotonic() + seconds
    while command.process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    has_finished = command.process.poll() is not None
    if not has_finished:
        os.kill(command.process.pid, number)
    status, _ = command.end()
    assert has_finished or status != 0 or number != signal.SIGKILL
    wait_until(lambda: not command.group())


def moment(kind, seed):
    """Draw a moment, imports and saving included."""
    draw = random.Random(f'{kind} {seed}')
    return draw.uniform(0, KILL_SECONDS) * draw.choice((0.2, 1))


@pytest.mark.attack('killed or interrupted processes')
@pytest.mark.parametrize('number', [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize('trainer', TRAINERS)
@pytest.mark.parametrize('seed', TRIES)
def test_a_run_that_is_ended_at_any_moment_can_be_continued(tmp_path, trainer, number, seed):
    with Command(tmp_path, trainer, *RUN, *TRAINERS[trainer]) as command:
        end_at(command, number, moment(f'{trainer} {number}', seed))
    again = ('--resume',) if list(tmp_path.glob('run/state/*.json')) else TRAINERS[trainer]
    with Command(tmp_path, trainer, *RUN, *again, '--frames', '1') as continued:
        assert continued.end()[0] == 0
    make_agent(f'{trainer}:{tmp_path / "run"}')
    assert not list(Path('/dev/shm').glob(f'rlcard-dmc-{command.process.pid}-*'))


@pytest.fixture(scope='module')
def whole_match(tmp_path_factory):
    """The tables of a match that nobody interrupts."""
    folder = tmp_path_factory.mktemp('whole')
    with Command(folder, *MATCH) as command:
        assert command.end()[0] == 0
    return json.loads((folder / 'run/report.json').read_text())['tables']


@pytest.mark.attack('killed or interrupted processes')
@pytest.mark.parametrize('number', [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize('seed', TRIES)
def test_a_match_that_is_ended_at_any_moment_resumes_to_the_same_figures(tmp_path, whole_match, number, seed):
    with Command(tmp_path, *MATCH) as command:
        end_at(command, number, moment(f'match {number}', seed))
    if not (tmp_path / 'run/report.json').exists():
        with Command(tmp_path, *MATCH, '--resume') as command:
            assert command.end()[0] == 0
    assert json.loads((tmp_path / 'run/report.json').read_text())['tables'] == whole_match


def fill_disk(command):
    """Let no file grow any more, and interrupt, which saves."""
    for process in (command.process, *command.process.children(recursive=True)):
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (0, 0))
    os.kill(command.process.pid, signal.SIGINT)
    command.refused('not saved')


def take_memory(command):
    """Leave the command little more address space than it has; it may need no more."""
    size = command.process.memory_info().vms + ROOM
    resource.prlimit(command.process.pid, resource.RLIMIT_AS, (size, size))
    time.sleep(20)
    if command.process.poll() is not None:
        command.refused()


@pytest.mark.attack('full disks, or no memory')
@pytest.mark.parametrize('take', [fill_disk, take_memory])
@pytest.mark.parametrize('trainer', TRAINERS)
def test_a_run_without_disk_or_memory_keeps_its_earlier_state(tmp_path, trainer, take):
    with Command(tmp_path, trainer, *RUN, *TRAINERS[trainer], '--averaging', '1', '--frames', '2000') as command:
        assert command.end()[0] == 0
    before = {path: path.read_bytes() for path in tmp_path.glob('run/state/*')}
    with Command(tmp_path, trainer, *RUN, '--resume', '--frames', '100000000') as command:
        command.wait_for('learned/s')
        take(command)
    if take is fill_disk:  # with little memory the run goes on, and may save a newer state
        assert all(path.read_bytes() == content for path, content in before.items() if path.exists())
    with Command(tmp_path, trainer, *RUN, '--resume', '--frames', '1') as command:
        assert command.end()[0] == 0


@pytest.mark.parametrize('more', [(), ('--resume',)])
@pytest.mark.parametrize('kind', [*TRAINERS, 'match'])
def test_a_folder_is_in_use_by_one_command(tmp_path, kind, more):
    words = LONG_MATCH if kind == 'match' else (kind, *RUN, *TRAINERS[kind])
    with Command(tmp_path, *words) as first:
        while not list(tmp_path.glob('run/lock')):
            assert first.process.poll() is None
        with Command(tmp_path, *words, *more) as second:
            second.refused('in use by process')
        assert first.process.poll() is None
