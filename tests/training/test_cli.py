"""The command line of the trainers."""

import os
import sys

import pytest

from training.cli import python


@pytest.mark.parametrize(
    ('path', 'folder', 'expected'),
    [('.venv/bin', '.', 'python'), ('', '.', '.venv/bin/python'), ('', 'elsewhere', '{here}/.venv/bin/python')],
    ids=['activated', 'not activated', 'another folder'],
)
def test_a_shell_finds_the_interpreter_that_is_printed(tmp_path, monkeypatch, path, folder, expected):
    for name in ('.venv/bin', 'elsewhere'):
        (tmp_path / name).mkdir(parents=True)
    own = tmp_path / '.venv' / 'bin' / 'python'
    own.symlink_to(sys.executable)
    monkeypatch.setattr(sys, 'executable', str(own))
    monkeypatch.setenv('PATH', str(tmp_path / path) if path else os.devnull)
    monkeypatch.chdir(tmp_path / folder)
    assert python() == expected.format(here=tmp_path)
