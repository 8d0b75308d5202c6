"""Child processes: the modules that they import, and the death of their parent meanwhile."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.limits import PATIENCE

ROOT = Path(__file__).parents[3]
TRAIN = """
from eval.common.processes import check_main_module
def train():
    check_main_module()
    print('trained')
"""
SLOW_TO_IMPORT = """
import time
from multiprocessing import current_process
if current_process().name != 'MainProcess':
    print('importing', flush=True)
    time.sleep(10_000)
def work():
    pass
"""
PARENT = """
if __name__ == '__main__':
    from eval.common.processes import start
    from slow_to_import import work
    start(work).join()
"""
HUNG_UP = """
import os, signal
def work():
    os.kill(os.getpid(), signal.SIGHUP)
    os.kill(os.getpid(), signal.SIGINT)
    print('ended')
if __name__ == '__main__':
    from eval.common.processes import start
    start(work).join()
"""
MUCH = """
import sys, time
if __name__ != '__main__':
    print('importing', flush=True)
    time.sleep(1)
else:
    from eval.common.processes import start
    start(print, bytes(10**6)).join()
"""


def run(script, text):
    """Write and run a script; return its output and errors."""
    script.write_text(text)
    environment = {**os.environ, 'PYTHONPATH': str(ROOT)}
    result = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True)
    return result.stdout, result.stderr


@pytest.mark.parametrize(
    ('call', 'named'),
    [
        ("if __name__ == '__main__':\n    train()", None),
        ("if True and __name__ != '__mp_main__': train()", None),
        ('train()', 'line 6'),
        ('\nfor _ in range(2):\n    train()', 'line 8'),
    ],
)
def test_a_script_needs_a_main_guard(tmp_path, call, named):
    printed, errors = run(tmp_path / 'script.py', TRAIN + call)
    assert (printed == 'trained\n') == (named is None)
    assert named is None or ('ConfigError' in errors and named in errors.splitlines()[-1])


def test_a_program_on_standard_input_is_refused():
    result = subprocess.run([sys.executable, '-'], input=TRAIN + 'train()', capture_output=True, text=True)
    assert 'standard input' in result.stderr.splitlines()[-1]


def test_a_line_of_the_command_needs_no_guard():
    result = subprocess.run([sys.executable, '-c', TRAIN + 'train()'], capture_output=True, text=True)
    assert result.stdout == 'trained\n'


@pytest.mark.parametrize('text', [PARENT, MUCH], ids=['its target', 'the main module'])
def test_a_process_that_imports_ends_quietly_with_its_parent(tmp_path, text):
    (tmp_path / 'slow_to_import.py').write_text(SLOW_TO_IMPORT)
    (tmp_path / 'parent.py').write_text(text)
    environment, pipe = {**os.environ, 'PYTHONPATH': str(ROOT)}, subprocess.PIPE
    parent = subprocess.Popen([sys.executable, tmp_path / 'parent.py'], env=environment, stdout=pipe, stderr=pipe)
    assert parent.stdout.readline() == b'importing\n'
    parent.kill()
    assert parent.communicate(timeout=PATIENCE) == (b'', b''), 'no process has its standard output open'


def test_a_process_ignores_the_signals_of_a_terminal(tmp_path):
    assert run(tmp_path / 'parent.py', HUNG_UP) == ('ended\n', '')
