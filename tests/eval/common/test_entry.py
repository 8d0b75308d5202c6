"""Entry of commands: Ctrl-C during their imports, and steps that take a while."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from eval.common import entry
from eval.common.entry import step
from rlcard_kit.errors import installing
from tests.support.limits import PATIENCE, wait_until


@pytest.fixture(autouse=True)
def answer_ctrl_c():
    """Answer Ctrl-C, which processes in the background of a shell ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def maps_of(process):
    """Return what a process and its children have in memory."""
    folder = Path(f'/proc/{process.pid}')
    children = (folder / f'task/{process.pid}/children').read_text().split()
    found = [folder / 'maps', *(Path(f'/proc/{child}/maps') for child in children)]
    return ''.join(path.read_text() for path in found)


@pytest.mark.parametrize('program', ['dmc', 'ppo', 'eval'])
@pytest.mark.parametrize('loaded', ['_multiarray_umath', 'llvmlite'])
def test_ctrl_c_during_imports_is_one_line(program, loaded):
    """The signal is sent as soon as the library of an early or of a later import is in memory."""
    command = [sys.executable, '-m', program, 'match']
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True)
    while loaded not in maps_of(process):
        assert process.poll() is None
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, said = process.communicate(timeout=PATIENCE)
    said = re.sub(r'python -m \w+: importing: \d+ s\n', '', said)  # on a busy machine
    assert (out, said) == ('', f'python -m {program}: interrupted\n')
    assert process.returncode == 130


@pytest.mark.parametrize('program', ['eval', pytest.param('dmc', marks=pytest.mark.slow)])
def test_help_without_a_reader_is_quiet(program):
    process = subprocess.Popen(
        [sys.executable, '-m', program, '--help'], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    said = re.sub(rb'python -m \w+: importing: \d+ s\n', b'', process.stderr.read())  # on a busy machine
    assert said == b''
    assert process.wait(PATIENCE) == 0


def test_a_missing_library_is_named_with_its_extra():
    program = (
        "import sys; sys.modules['tyro'] = None; from eval.common.entry import run; run('python -m dmc', 'dmc.cli')"
    )
    result = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (1, f'python -m dmc: tyro is not installed: {installing("train")}\n')


def test_a_match_without_a_reader_is_saved(tmp_path):
    words = ['match', 'random', 'random', '--deals', '20', '--workers', '1', '--out', str(tmp_path)]
    process = subprocess.Popen(
        [sys.executable, '-m', 'eval', *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdout.close()
    said = process.stderr.read()
    assert 'agent' not in said, 'it is no failure of an agent'
    assert 'Traceback' not in said
    assert process.wait(PATIENCE) == 0
    assert (tmp_path / 'report.json').exists()


@pytest.mark.parametrize(
    ('before', 'stays'),
    [(signal.default_int_handler, False), (signal.SIG_IGN, True)],
    ids=['answered', 'ignored'],
)
def test_the_answer_to_ctrl_c_is_another_during_the_imports_unless_it_is_ignored(monkeypatch, before, stays):
    seen = []
    main = SimpleNamespace(main=lambda: seen.append(signal.getsignal(signal.SIGINT)))
    monkeypatch.setattr(entry, 'import_module', lambda name: main.main() or main)
    signal.signal(signal.SIGINT, before)
    entry.run('program', 'module')
    assert [handler is before for handler in seen] == [stays, True]


def test_a_step_is_named_at_once(capsys):
    with step('compiling'):
        assert capsys.readouterr().err == 'compiling\n'


def test_a_step_is_named_again_and_again_until_its_end(monkeypatch, capsys):
    monkeypatch.setattr(entry, 'SECONDS', 0.05)
    said = []
    with step('compiling'):
        wait_until(lambda: said.append(capsys.readouterr().err) or ''.join(said).count('compiling: ') >= 2)
    capsys.readouterr()
    time.sleep(0.2)
    assert capsys.readouterr().err == ''


def test_a_short_step_may_be_silent(capsys):
    with step('importing', at_once=False):
        pass
    assert capsys.readouterr().err == ''
