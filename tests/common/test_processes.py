"""Child processes: the main module that they import."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TRAIN = """
from common.processes import check_main_module
def train():
    check_main_module()
    print('trained')
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
    environment = {**os.environ, 'PYTHONPATH': str(Path(__file__).parents[2])}
    result = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True)
    assert (result.stdout == 'trained\n') == (named is None)
    assert named is None or ('ConfigError' in result.stderr and named in result.stderr.splitlines()[-1])


def test_a_program_on_standard_input_is_refused():
    result = subprocess.run([sys.executable, '-'], input=TRAIN + 'train()', capture_output=True, text=True)
    assert 'standard input' in result.stderr.splitlines()[-1]


def test_a_line_of_the_command_needs_no_guard():
    result = subprocess.run([sys.executable, '-c', TRAIN + 'train()'], capture_output=True, text=True)
    assert result.stdout == 'trained\n'
