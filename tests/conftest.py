"""Fixtures and settings of all tests."""

import gc
import importlib
import io
import json
import os
import signal
import sys
from functools import partial

import hypothesis
import pytest

# Before numpy and torch, and for subprocesses: the tests already use all cores.
for threads in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS'):
    os.environ.setdefault(threads, '1')

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a shell
    signal.signal(signal.SIGINT, signal.default_int_handler)

pytest_plugins = ('tests.support.page_fixtures', 'tests.support.engine_fixtures', 'tests.support.attacks')
hypothesis.settings.load_profile('default')  # the profile of CI=true draws other examples


def pytest_configure(config):
    """Unpack RLCard's data before there are several processes, all but one of which would fail to."""
    if not hasattr(config, 'workerinput'):
        importlib.import_module('rlcard.games.doudizhu.utils')


def pytest_collection_modifyitems(items):
    """Begin with the tests that wait longest, so that none is left when all others have ended."""
    items.sort(key=lambda item: ('test_cluster' not in item.nodeid, 'engine' not in item.fixturenames))


def pytest_collection_finish():
    """Spare what is imported by now from every garbage collection, which takes a twentieth of the time of tests."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope='session', autouse=True)
def own_data_folder(tmp_path_factory):
    """Keep the games of tests apart from the user's."""
    os.environ['XDG_DATA_HOME'] = str(tmp_path_factory.mktemp('data'))


@pytest.fixture(autouse=True)
def one_thread():
    """Limit torch to one thread again, if a test has changed that: the tests already use all cores."""
    yield
    if torch := sys.modules.get('torch'):
        torch.set_num_threads(1)


@pytest.fixture
def in_process(monkeypatch, capsys):
    """Run a program's main function in this process; return its exit status and output."""

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
    """Run a command of `eval` in this process; return its exit status and output."""

    import eval.__main__  # slow, and unused by most tests

    return partial(in_process, eval.__main__.main)


@pytest.fixture
def evaluate(command, tmp_path):
    """Run a command of `eval` in a folder, `out` by default; return the tables of its report."""

    def run(*words, workers=1, out='out'):
        status, said = command(*words, '--workers', workers, '--out', tmp_path / out)
        assert status == 0, said
        return json.loads((tmp_path / out / 'report.json').read_text())['tables']

    return run
