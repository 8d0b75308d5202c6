"""Files that are replaced whole, and folders that one process at a time writes to."""

import errno
import os
import signal
import subprocess
import sys

import pytest
import torch
from safetensors.torch import save_file

from rlcard_kit.errors import FolderInUseError
from rlcard_kit.files import locked, replace
from tests.support.faults import remove_locks

HOLD = """
import sys, time
from pathlib import Path
from rlcard_kit.files import locked
with locked(Path(sys.argv[1])):
    print('held', flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize(('umask', 'mode'), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_written_file_has_the_usual_permissions(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        replace(tmp_path / 'text', lambda path: path.write_text('text'))
        replace(tmp_path / 'weights', lambda path: save_file({'a': torch.zeros(2)}, path))
    finally:
        os.umask(before)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ('text', 'weights')] == [mode, mode]


def test_a_folder_is_locked_until_its_holder_is_gone_however_it_ends(tmp_path):
    folder = tmp_path / 'a' / 'run'
    holder = subprocess.Popen([sys.executable, '-c', HOLD, folder], stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == 'held\n'
    with pytest.raises(FolderInUseError, match=rf'{folder} is in use by process {holder.pid} on .*another folder'):
        locked(folder).__enter__()
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    with locked(folder), pytest.raises(FolderInUseError, match=f'process {os.getpid()}'):
        locked(folder).__enter__()
    with locked(folder):
        pass


def test_a_process_that_a_holder_starts_does_not_hold_the_lock(tmp_path):
    with locked(tmp_path):
        child = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE)
    with locked(tmp_path):
        child.communicate(b'\n')


@pytest.mark.parametrize('number', [errno.ENOLCK, errno.ENOSYS])
def test_on_a_file_system_without_locks_a_folder_is_used_with_a_note(tmp_path, monkeypatch, capsys, number):
    remove_locks(monkeypatch, number)
    with locked(tmp_path):
        assert (tmp_path / 'lock').read_text().startswith(f'process {os.getpid()} ')
    assert capsys.readouterr().err.startswith(f'{tmp_path} cannot be locked')
