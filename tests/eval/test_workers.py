"""Agents that fail, workers that die, and Ctrl-C: the error, the games that are kept, and resumption."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from itertools import repeat
from pathlib import Path

import numpy as np
import pytest
from numba.core import event

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.agents.greedy import GreedyAgent
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_kit.duplicate.time_limit import TimeLimit
from rlcard_kit.errors import TimeLimitError
from rlcard_kit.positions import Decision
from tests.support.helpers import tables, wait_until

SEED, DEALS, BLOCK = 5, 200, 64
DEAL, SEAT = 100, 2  # where the agents fail
HAND_THERE = int(deals_from_seed(SEED, DEALS)[DEAL, SEAT])
REPAIRED = 'BIG2_TEST_REPAIRED'


def hang():
    while True:
        try:
            sum(range(1000))
        except Exception:  # an agent that swallows what it can
            continue


def swallow():
    while True:
        try:
            time.sleep(0.01)
        except BaseException:
            continue


class Failing(BatchAgent):
    """Plays greedily; with one hand, and until it is repaired, it fails."""

    def choose(self, positions, random):
        choice = GreedyAgent.choose(self, positions, random)
        there = positions.observations['hand'] == HAND_THERE
        return self.fail(choice.indices, there) if there.any() and REPAIRED not in os.environ else choice


class Strange(BaseException):
    def __str__(self):
        raise ValueError


def throw(error):
    raise error


def leave_the_factory():
    sys.exit(0)


def end_in_the_factory():
    os._exit(0)


class LeavingAtPreparation(Failing):
    def prepare(self, rules):
        sys.exit(0)


class LeavingAtQuestion(Failing):
    @property
    def trained_on(self):
        sys.exit(0)


class Slow(BatchAgent):
    def choose(self, positions, random):
        time.sleep(0.02)
        return Decision(positions.offsets[:-1])


class Protocol:
    """An agent of RLCard's protocol that fails likewise."""

    use_raw = False

    def eval_step(self, state):
        if int(state['raw_obs']['packed']['hand'][0]) == HAND_THERE and REPAIRED not in os.environ:
            return self.fail(state)
        return list(state['legal_actions'])[-1], {}


FAULTS = {  # of a call, given the greedy indices and where the hand is
    'Illegal': lambda self, indices, there: Decision(np.where(there, -1, indices)),
    'Crashing': lambda self, indices, there: throw(ZeroDivisionError('of this test')),
    'Leaving': lambda self, indices, there: sys.exit(3),
    'Nonsense': lambda self, indices, there: Decision('nonsense'),
    'Hanging': lambda self, indices, there: hang(),
    'Killing': lambda self, indices, there: os.kill(os.getpid(), signal.SIGKILL),
    'Odd': lambda self, indices, there: throw(Strange()),
    'Sleeping': lambda self, indices, there: time.sleep(1000),
    'Swallowing': lambda self, indices, there: swallow(),
    'HangingInC': lambda self, indices, there: sum(repeat(0)),
    'Ending': lambda self, indices, there: os._exit(0),
}
PROTOCOL_FAULTS = {
    'IllegalProtocol': lambda self, state: (10**6, {}),
    'CrashingProtocol': lambda self, state: state['no such key'],
    'NonsenseProtocol': lambda self, state: None,
    'HangingProtocol': lambda self, state: hang(),
    'SwallowingProtocol': lambda self, state: swallow(),
}
for base, faults in ((Failing, FAULTS), (Protocol, PROTOCOL_FAULTS)):
    globals().update({name: type(name, (base,), {'fail': fault}) for name, fault in faults.items()})


def arguments(agent, out, *more):
    own = f'python:{__name__}:{agent}'
    return ['match', own, 'random', '--deals', str(DEALS), '--seed', str(SEED), '--out', str(out), *more]


def blocks(out):
    return sorted(int(path.stem) for path in (out / 'blocks').glob('*.npz'))


def is_alive(pid):
    try:
        return 'State:\tZ' not in Path(f'/proc/{pid}/status').read_text()
    except OSError:
        return False


def children(pid):
    """Return all processes that descend from one."""
    parents = {}
    for path in Path('/proc').glob('[0-9]*/stat'):
        with suppress(OSError):
            parents[int(path.parent.name)] = int(path.read_text().rpartition(')')[2].split()[1])
    found, new = set(), {pid}
    while new:
        new = {child for child, parent in parents.items() if parent in new}
        found |= new
    return found


FAILURES = {  # and a word of the cause
    'Illegal': 'index', 'Crashing': 'ZeroDivisionError: of this test', 'Leaving': 'SystemExit: 3', 'Nonsense': '<U8 []',
    'Odd': 'Strange', 'Hanging': '0.2 s of CPU time', 'Sleeping': '2 s by the clock', 'IllegalProtocol': '1000000',
    'CrashingProtocol': "KeyError: 'no such key'", 'NonsenseProtocol': 'TypeError',
    'HangingProtocol': '0.2 s of CPU time',
}  # fmt: skip


@pytest.mark.parametrize('agent', FAILURES)
def test_a_failing_agent_is_named(command, tmp_path, agent):
    status, said = command(*arguments(agent, tmp_path / 'out', '--workers', '1', '--seconds', '0.2'))
    assert status == 1
    assert f'{__name__}:{agent} failed in deal {DEAL}, seat {SEAT}: ' in said
    assert FAILURES[agent] in said
    assert f'{tmp_path / "out"}: --resume' in said
    assert blocks(tmp_path / 'out') == [0]


@pytest.mark.parametrize(
    ('agent', 'workers', 'cause'),
    [
        ('Crashing', 1, f'deal {DEAL}, seat {SEAT}'),
        ('HangingProtocol', 1, f'deal {DEAL}, seat {SEAT}'),
        ('Crashing', 2, f'deal {DEAL}, seat {SEAT}'),
        pytest.param('HangingProtocol', 2, f'deal {DEAL}, seat {SEAT}', marks=pytest.mark.slow),
        ('Killing', 2, 'deals 64 to 127 was killed by signal 9'),
    ],
)
def test_a_match_is_resumed_once_its_agent_is_repaired(command, tmp_path, monkeypatch, agent, workers, cause):
    before = children(os.getpid())
    status, said = command(*arguments(agent, tmp_path / 'out', '--workers', str(workers), '--seconds', '0.5'))
    assert (status, cause in said, '--resume' in said) == (1, True, True), said
    assert not [pid for pid in children(os.getpid()) - before if is_alive(pid) and not is_tracker(pid)]
    assert 1 not in blocks(tmp_path / 'out')
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / 'out/blocks').glob('*.npz')}
    monkeypatch.setenv(REPAIRED, '1')
    assert command(*arguments(agent, tmp_path / 'out', '--workers', str(workers), '--resume'))[0] == 0
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert command(*arguments(agent, tmp_path / 'undisturbed', '--workers', '1'))[0] == 0
    assert tables(tmp_path / 'out') == tables(tmp_path / 'undisturbed')


def environment():
    return {**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)}


def is_tracker(pid):
    """Whether a process is the one that multiprocessing keeps for this whole process."""
    return 'resource_tracker' in Path(f'/proc/{pid}/cmdline').read_text()


@pytest.fixture
def slow_match(tmp_path):
    """Start a match of two processes that lasts long, and wait until it has finished a block."""
    command = [sys.executable, '-m', 'eval', *arguments('Slow', tmp_path / 'out', '--workers', '2', '--deals', '9999')]
    process = subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # background jobs of a shell ignore it
    )  # fmt: skip
    try:
        wait_until(lambda: (tmp_path / 'out/blocks').exists() and blocks(tmp_path / 'out'), 120)
        yield process
    finally:
        process.kill()
        process.communicate()


def test_ctrl_c_ends_a_match_in_one_line(slow_match, tmp_path):
    workers = children(slow_match.pid)
    assert len(workers) >= 2
    os.killpg(slow_match.pid, signal.SIGINT)  # as the terminal does: to all of them
    said = slow_match.communicate(timeout=10)[1]
    assert slow_match.returncode == 130
    (line,) = [line for line in said.splitlines() if 'compiling the engine' not in line]
    assert '--resume' in line
    assert blocks(tmp_path / 'out')
    wait_until(lambda: not any(map(is_alive, workers)), 5)


def test_workers_leave_with_their_parent(slow_match):
    workers = children(slow_match.pid)
    slow_match.kill()
    wait_until(lambda: not any(map(is_alive, workers)), 5)


# Faults that no exception ends


def run_really(*words, **options):
    """Run the real command; return its exit status and its errors."""
    command = [sys.executable, '-m', 'eval', *words]
    result = subprocess.run(command, env=environment(), stderr=subprocess.PIPE, text=True, timeout=300, **options)
    return result.returncode, result.stderr


ENDS = {
    'Swallowing': 'deals 64 to 127',
    'SwallowingProtocol': f'deal {DEAL}, seat {SEAT}',
    'HangingInC': 'deals 64 to 127',
    'Ending': 'status 0',
    'end_in_the_factory': 'status 0',
}


@pytest.mark.parametrize(
    ('agent', 'workers'),
    [
        *((agent, '1') for agent in ENDS),
        *(pytest.param(agent, '2', marks=pytest.mark.slow) for agent in list(ENDS)[:4]),
    ],
)
def test_a_process_that_an_agent_holds_or_ends_is_an_error(tmp_path, agent, workers):
    words = arguments(agent, tmp_path / 'out', '--workers', workers, '--seconds', '0.05')
    status, said = run_really(*words, stdout=subprocess.DEVNULL)
    assert status == 1
    assert said.startswith('python -m eval: ')
    assert ENDS[agent] in said
    assert agent in said
    assert ('--resume' in said) == (agent != 'end_in_the_factory')
    assert not (tmp_path / 'out/report.json').exists()


@pytest.mark.parametrize('agent', ['leave_the_factory', 'LeavingAtPreparation', 'LeavingAtQuestion'])
def test_an_agent_does_not_end_the_program(command, tmp_path, agent):
    status, said = command(*arguments(agent, tmp_path / 'out', '--workers', '1'))
    assert (status, agent in said) == (1, True), said


def test_a_reader_that_leaves_is_not_an_agents_failure(tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    words = ('match', 'greedy', 'random', '--deals', '2', '--workers', '1', '--out', str(tmp_path / 'out'))
    _, said = run_really(*words, stdout=writer)
    os.close(writer)
    assert 'agent' not in said
    assert 'Traceback' not in said


def compile_slowly():
    with event.trigger_event('numba:compiler_lock'):
        end = time.process_time() + 0.5
        while time.process_time() < end:
            sum(range(1000))


def compile_slowly_and_hang():
    compile_slowly()
    hang()


def test_compiling_is_not_the_agents_time():
    """The first match on a slow machine compiles kernels inside an agent's first call; the limit holds afterwards."""
    with TimeLimit(0.2):
        compile_slowly()
        time.sleep(0.3)
    with pytest.raises(TimeLimitError, match=r'0\.2 s of CPU'), TimeLimit(0.2):
        compile_slowly_and_hang()


def test_waiting_for_a_core_is_not_the_agents_time_but_waiting_for_ever_is():
    with TimeLimit(0.1):
        time.sleep(0.5)
    start = time.process_time()
    with pytest.raises(TimeLimitError, match='1 s by the clock'), TimeLimit(0.1):
        time.sleep(1000)
    assert time.process_time() - start < 0.1
