"""Ends of commands: errors that a user can mend are one line."""

import os
import sys
import warnings
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import pytest
import torch
from rich.table import Table

from eval.common.cli import new_console, option, parse, python, reported
from rlcard_kit.errors import ConfigError


class UnprintableError(ConfigError):
    def __str__(self):
        raise ZeroDivisionError


def fail(error):
    raise error


NO_MEMORY = 'program: there is too little memory: '
ONE_DNN = 'could not create a primitive'  # its words, seen in a process short of address space


@pytest.mark.parametrize(
    ('action', 'message'),
    [
        (partial(fail, MemoryError('Unable to allocate 7 TiB')), f'{NO_MEMORY}Unable to allocate 7 TiB'),
        (partial(torch.empty, 1 << 60, dtype=torch.uint8), f'{NO_MEMORY}.*allocate'),
        (partial(fail, RuntimeError(ONE_DNN)), NO_MEMORY + ONE_DNN),
        (partial(fail, UnprintableError()), 'program: its text cannot be made: ZeroDivisionError'),
        (Path('/nowhere/file').read_text, 'program: /nowhere/file cannot be used: No such file or directory'),
    ],
)
def test_what_a_user_can_mend_is_one_line(action, message):
    with pytest.raises(SystemExit, match=f'^{message}'), reported('program'):
        action()


def test_other_errors_are_left_alone():
    with pytest.raises(RuntimeError, match='a mistake'), reported('program'):
        raise RuntimeError('a mistake of ours')


def test_warnings_are_one_line():
    with reported('program'):
        assert warnings.formatwarning('text', UserWarning, 'file.py', 1) == 'program: text\n'
    assert 'file.py' in warnings.formatwarning('text', UserWarning, 'file.py', 1)


@pytest.mark.parametrize('name', ['xterm', 'dumb', '', None])
def test_a_terminal_that_cannot_move_its_cursor_gets_plain_lines(monkeypatch, name):
    monkeypatch.setattr('sys.stdout.isatty', lambda: True)
    monkeypatch.delenv('TERM', raising=False)
    if name is not None:
        monkeypatch.setenv('TERM', name)
    assert new_console().is_terminal == (name == 'xterm')


def test_names_are_written_as_they_are():
    console, table, names = new_console(), Table('python:m:Agent[1]'), 'ppo:x: and python:m:Agent[1] [red]'
    table.add_row('ppo:x:')
    with console.capture() as printed:
        console.print(names, table)
    assert names in printed.get()
    assert 'python:m:Agent[1]' in printed.get().replace(names, '')
    assert printed.get().count('ppo:x:') == 2


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


@dataclass(frozen=True)
class Options:
    """Print words. This paragraph is two lines in its source, and so long that it does not fit in the 80 columns of a
    terminal.

    Try
      words --number 3
    """

    number: Annotated[int | None, option('N')] = None
    """The number of words, which takes more than a line of the source to explain to readers of help, and is at least
    'one', and at most a hundred; by default, all."""


def test_lines_of_help_end_where_the_terminal_does(monkeypatch, capsys):
    monkeypatch.setenv('COLUMNS', '80')
    with pytest.raises(SystemExit, match='0'):
        parse(Options, prog='words', args=['--help'])
    text = '\n'.join(line.strip('│ ') for line in capsys.readouterr().out.splitlines())
    assert 'so long that it does\nnot fit in the 80 columns of a terminal.\n\nTry\nwords --number 3\n' in text
    assert text.partition('--number N  ')[2].splitlines()[:3] == [
        'The number of words, which takes more than a line of the source to',
        "explain to readers of help, and is at least 'one', and at most a",
        'hundred; by default, all.',
    ]
