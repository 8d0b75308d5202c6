"""Agents that fail, workers that die, and Ctrl-C: the error, the games that are kept, and resumption."""

import os
import signal
import subprocess
import sys
import time
from itertools import repeat

import numpy as np
import psutil
import pytest
from numba.core import event

from rlcard_big2.agents.base import BatchAgent, GreedyAgent
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_kit.agents import Decision
from rlcard_kit.duplicate.time_limit import TimeLimit
from rlcard_kit.errors import TimeLimitError
from tests.support.commands import is_alive
from tests.support.helpers import report, tables
from tests.support.limits import PATIENCE, wait_until

SEED, DEALS = 5, 200
DEAL, SEAT = 100, 2  # where the agents fail, in the second block
THERE, BLOCK = f'deal {DEAL}, seat {SEAT}', 'deals 64 to 127'
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


def throw(error):
    raise error


class Strange(BaseException):
    def __str__(self):
        raise ValueError


class Failing(BatchAgent):
    """Plays greedily; with one hand, and until it is repaired, it fails."""

    def choose(self, positions, random):
        choice = GreedyAgent.choose(self, positions, random)
        there = positions.observations['hand'] == HAND_THERE
        return self.fail(np.where(there, -1, choice.indices)) if there.any() and REPAIRED not in os.environ else choice


class Protocol:
    """An agent of RLCard's protocol that fails likewise."""

    use_raw = False

    def eval_step(self, state):
        if int(state['raw_obs']['packed']['hand'][0]) == HAND_THERE and REPAIRED not in os.environ:
            return self.fail(state)
        return list(state['legal_actions'])[-1], {}


FAULTS = {  # of a call, given illegal indices, and a word of the error
    'Illegal': (lambda self, illegal: Decision(illegal), 'index'),
    'Crashing': (lambda self, illegal: throw(ZeroDivisionError('of this test')), 'ZeroDivisionError: of this test'),
    'Leaving': (lambda self, illegal: sys.exit(3), 'SystemExit: 3'),
    'Interrupting': (lambda self, illegal: throw(KeyboardInterrupt()), 'KeyboardInterrupt'),
    'Nonsense': (lambda self, illegal: Decision('nonsense'), '<U8 []'),
    'Odd': (lambda self, illegal: throw(Strange()), 'Strange'),
    'Hanging': (lambda self, illegal: hang(), '0.2 s of CPU time'),
    'Sleeping': (lambda self, illegal: time.sleep(1000), '2 s by the clock'),
}
PROTOCOL_FAULTS = {  # given the state
    'IllegalProtocol': (lambda self, state: (10**6, {}), '1000000'),
    'CrashingProtocol': (lambda self, state: state['no such key'], "KeyError: 'no such key'"),
    'NonsenseProtocol': (lambda self, state: None, 'TypeError'),
    'HangingProtocol': (lambda self, state: hang(), '0.2 s of CPU time'),
}
FATAL = {  # that no exception ends
    'Swallowing': (lambda self, illegal: swallow(), BLOCK),
    'HangingInC': (lambda self, illegal: sum(repeat(0)), BLOCK),
    'Ending': (lambda self, illegal: os._exit(0), 'status 0'),
    'Killing': (lambda self, illegal: os.kill(os.getpid(), signal.SIGKILL), 'signal 9'),
}
FATAL_PROTOCOL = {'SwallowingProtocol': (lambda self, state: swallow(), THERE)}
for base, faults in ((Failing, {**FAULTS, **FATAL}), (Protocol, {**PROTOCOL_FAULTS, **FATAL_PROTOCOL})):
    globals().update({name: type(name, (base,), {'fail': fault}) for name, (fault, _) in faults.items()})


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


def arguments(agent, out, *more):
    own = f'python:{__name__}:{agent}'
    return ['match', own, 'random', '--deals', str(DEALS), '--seed', str(SEED), '--out', str(out), *more]


def blocks(out):
    return sorted(int(path.stem) for path in (out / 'blocks').glob('*.npz'))


def descendants(pid):
    return psutil.Process(pid).children(recursive=True)


def command_words():
    return [word for process in psutil.process_iter(['cmdline']) for word in process.info['cmdline'] or ()]


PROGRAM = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if 'actions' in message:
        assert message['trace'], 'it does not open'
        print(json.dumps({'move': message['actions'][0]}), flush=True)
while True:
    time.sleep(1)  # with its input closed
"""


def test_a_match_with_a_failing_program_goes_on(command, tmp_path):
    file = tmp_path / 'program.py'
    file.write_text(PROGRAM)
    name = f'program:{sys.executable} {file}'
    status, said = command('match', name, 'random', '--deals', '6', '--workers', '2', '--out', str(tmp_path / 'out'))
    assert status == 0, said
    listing, _ = report(tmp_path / 'out')['listings']  # and the percentiles
    ((agent, fault, moves, games, first),) = listing['rows']
    assert (agent, fault, moves, games, first[:7]) == (name, 'not started', '6', '6', 'deal 0,')
    wait_until(lambda: str(file) not in command_words())


@pytest.mark.attack('agents that cheat, hang or crash')
@pytest.mark.parametrize('agent', FAULTS | PROTOCOL_FAULTS)
def test_a_failing_agent_is_named(command, tmp_path, agent):
    status, said = command(*arguments(agent, tmp_path / 'out', '--workers', '1', '--seconds', '0.2'))
    assert status == 1
    assert f'{__name__}:{agent} failed in {THERE}: ' in said
    assert (FAULTS | PROTOCOL_FAULTS)[agent][1] in said
    assert f'{tmp_path / "out"}: --resume' in said
    assert blocks(tmp_path / 'out') == [0]


@pytest.mark.parametrize(
    ('agent', 'workers', 'cause'),
    [
        ('Crashing', 1, THERE),
        pytest.param('HangingProtocol', 2, THERE, marks=pytest.mark.slow),
        ('Killing', 2, f'{BLOCK} was killed by signal 9'),
    ],
)
def test_a_match_is_resumed_once_its_agent_is_repaired(command, tmp_path, monkeypatch, agent, workers, cause):
    before = set(descendants(os.getpid()))
    status, said = command(*arguments(agent, tmp_path / 'out', '--workers', str(workers), '--seconds', '0.5'))
    assert (status, cause in said, '--resume' in said) == (1, True, True), said
    left = filter(is_alive, set(descendants(os.getpid())) - before)
    assert all('resource_tracker' in ' '.join(process.cmdline()) for process in left)
    assert 1 not in blocks(tmp_path / 'out')
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / 'out/blocks').glob('*.npz')}
    monkeypatch.setenv(REPAIRED, '1')
    assert command(*arguments(agent, tmp_path / 'out', '--workers', str(workers), '--resume'))[0] == 0
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert command(*arguments(agent, tmp_path / 'undisturbed', '--workers', '1'))[0] == 0
    assert tables(tmp_path / 'out') == tables(tmp_path / 'undisturbed')


def start(*words, **options):
    """Start the real command."""
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)}
    command = [sys.executable, '-m', 'eval', *words]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, **options)


@pytest.fixture
def slow_match(tmp_path):
    """Start a match of two processes that lasts long, and wait until it has finished a block."""
    process = start(
        *arguments('Slow', tmp_path / 'out', '--workers', '2', '--deals', '9999'), stdout=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # background jobs of a shell ignore it
    )  # fmt: skip
    try:
        wait_until(lambda: blocks(tmp_path / 'out'))
        yield process
    finally:
        process.kill()
        process.communicate()


def test_ctrl_c_ends_a_match_in_one_line(slow_match):
    workers = descendants(slow_match.pid)
    assert len(workers) >= 2
    os.killpg(slow_match.pid, signal.SIGINT)  # as the terminal does: to all of them
    said = slow_match.communicate(timeout=PATIENCE)[1]
    assert slow_match.returncode == 130
    (line,) = [line for line in said.splitlines() if 'rlcard_kit: compil' not in line]
    assert '--resume' in line
    wait_until(lambda: not any(map(is_alive, workers)))


@pytest.mark.attack('killed or interrupted processes')
def test_workers_leave_with_their_parent(slow_match):
    workers = descendants(slow_match.pid)
    slow_match.kill()
    wait_until(lambda: not any(map(is_alive, workers)))


@pytest.mark.attack('agents that cheat, hang or crash')
@pytest.mark.parametrize(
    ('agent', 'workers'),
    [
        ('Swallowing', 1),
        ('HangingInC', 2),
        ('end_in_the_factory', 1),
        pytest.param('SwallowingProtocol', 2, marks=pytest.mark.slow),
        pytest.param('Ending', 1, marks=pytest.mark.slow),
    ],
)
def test_a_process_that_an_agent_holds_or_ends_is_an_error(tmp_path, agent, workers):
    words = arguments(agent, tmp_path / 'out', '--workers', str(workers), '--seconds', '0.05')
    match = start(*words, stdout=subprocess.DEVNULL)
    said = match.communicate(timeout=PATIENCE)[1]
    assert match.returncode == 1
    assert said.startswith('python -m eval: ')
    assert (FATAL | FATAL_PROTOCOL).get(agent, (None, 'status 0'))[1] in said
    assert agent in said
    assert ('--resume' in said) == (agent != 'end_in_the_factory')
    assert not (tmp_path / 'out/report.json').exists()


@pytest.mark.attack('agents that cheat, hang or crash')
@pytest.mark.parametrize('agent', ['leave_the_factory', 'LeavingAtPreparation', 'LeavingAtQuestion'])
def test_an_agent_does_not_end_the_program(command, tmp_path, agent):
    status, said = command(*arguments(agent, tmp_path / 'out', '--workers', '1'))
    assert (status, agent in said) == (1, True), said


def compile_slowly(and_then):
    with event.trigger_event('numba:compiler_lock'):
        end = time.process_time() + 0.5
        while time.process_time() < end:
            sum(range(1000))
    and_then()


def test_compiling_is_not_the_agents_time():
    """The first match on a slow machine compiles kernels inside an agent's first call; the limit holds afterwards."""
    with TimeLimit(0.2):
        compile_slowly(lambda: time.sleep(0.3))
    with pytest.raises(TimeLimitError, match=r'0\.2 s of CPU'), TimeLimit(0.2):
        compile_slowly(hang)


def test_waiting_for_a_core_is_not_the_agents_time_but_waiting_for_ever_is():
    with TimeLimit(0.1):
        time.sleep(0.5)
    start = time.process_time()
    with pytest.raises(TimeLimitError, match='1 s by the clock'), TimeLimit(0.1):
        time.sleep(1000)
    assert time.process_time() - start < 0.1
