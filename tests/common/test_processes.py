"""Child processes: the modules that they import, and the death of their parent meanwhile."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.limits import PATIENCE

ROOT = Path(__file__).parents[2]
TRAIN = """
from common.processes import check_main_module
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
    from common.processes import start
    from slow_to_import import work
    start(work).join()
"""


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
    script = tmp_path / 'script.py'
    script.write_text(TRAIN + call)
    environment = {**os.environ, 'PYTHONPATH': str(ROOT)}
    result = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True)
    assert (result.stdout == 'trained\n') == (named is None)
    assert named is None or ('ConfigError' in result.stderr and named in result.stderr.splitlines()[-1])


def test_a_program_on_standard_input_is_refused():
    result = subprocess.run([sys.executable, '-'], input=TRAIN + 'train()', capture_output=True, text=True)
    assert 'standard input' in result.stderr.splitlines()[-1]


def test_a_line_of_the_command_needs_no_guard():
    result = subprocess.run([sys.executable, '-c', TRAIN + 'train()'], capture_output=True, text=True)
    assert result.stdout == 'trained\n'


def test_a_process_that_imports_its_target_ends_with_its_parent(tmp_path):
    (tmp_path / 'slow_to_import.py').write_text(SLOW_TO_IMPORT)
    (tmp_path / 'parent.py').write_text(PARENT)
    environment = {**os.environ, 'PYTHONPATH': str(ROOT)}
    parent = subprocess.Popen([sys.executable, tmp_path / 'parent.py'], env=environment, stdout=subprocess.PIPE)
    assert parent.stdout.readline() == b'importing\n'
    parent.kill()
    assert parent.communicate(timeout=PATIENCE) == (b'', None), 'no process has its standard output open'
