"""What several test files share."""

import importlib
import io
import json
import os
import signal
import sys
import time
from functools import partial

import hypothesis
import pytest

from rlcard_big2.nets.spec import ValueSpec

# Before numpy and torch, and for the commands that tests start: the tests already fill all cores.
for threads in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS'):
    os.environ.setdefault(threads, '1')

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a shell; commands would ignore Ctrl-C too
    signal.signal(signal.SIGINT, signal.default_int_handler)

pytest_plugins = ('page_fixtures',)
hypothesis.settings.load_profile('default')  # the one for CI=true draws other examples

SMALL_SPEC = ValueSpec(hidden_size=16, lstm_size=8)


def pytest_configure(config):
    """Have RLCard unpack its data before there are several processes, of which all but one would fail to."""
    if not hasattr(config, 'workerinput'):
        importlib.import_module('rlcard.games.doudizhu.utils')


def wait_until(condition, seconds=60):
    """Wait until a condition holds; fail if that takes longer."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture(scope='session', autouse=True)
def own_data_folder(tmp_path_factory):
    """Keep the games that tests play out of the user's own."""
    os.environ['XDG_DATA_HOME'] = str(tmp_path_factory.mktemp('data'))


@pytest.fixture
def one_thread():
    """Compute in one thread: the tests already fill all cores, and threads of small products wait for each other."""
    import torch  # here, since most tests do without

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def in_process(monkeypatch, capsys, one_thread):
    """Run a program by its main function in this process; return its exit status and all that it prints."""

    def run(main, *words, typed=''):
        monkeypatch.setattr(sys, 'argv', [main.__module__.partition('.')[0], *map(str, words)])
        monkeypatch.setattr(sys, 'stdin', io.StringIO(typed))
        capsys.readouterr()
        status = 0
        try:
            main()
        except SystemExit as error:
            status = 1 if isinstance(error.code, str) else error.code
            sys.stderr.write(str(error.code) if isinstance(error.code, str) else '')
        printed = capsys.readouterr()
        return status, printed.out + printed.err

    return run


@pytest.fixture
def command(in_process):
    """Run a command of `eval` in this process; return its exit status and all that it prints."""

    import eval.__main__  # here, since most tests do without

    return partial(in_process, eval.__main__.main)


def report(out):
    return json.loads((out / 'report.json').read_text())


def tables(out):
    return report(out)['tables']


def digest(state):
    """Return a state of the environment as values that == compares."""
    return {
        **state,
        'obs': state['obs'].tolist(),
        'legal_actions': [(action, feature.tolist()) for action, feature in state['legal_actions'].items()],
        'raw_obs': {**state['raw_obs'], 'packed': state['raw_obs']['packed'].tobytes()},
    }


def everything(env):
    """Return all that a move changes, and that a bad call and a step back must leave as it was."""
    return {
        'record': env.game.games.tobytes(),
        'recorder': env.action_recorder.copy(),
        'timestep': env.timestep,
        'draws': [generator.get_state()[1].tolist() for generator in (env.np_random, env.game.np_random)],
        'payoffs': env.get_payoffs().tolist(),
        'information': env.get_perfect_information(),
        'states': [digest(env.get_state(seat)) for seat in range(4)],
    }
