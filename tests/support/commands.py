"""A command of the checkout in a process group of its own."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread

import psutil

from tests.support.limits import PATIENCE, wait_until


def is_alive(process):
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


def run_python(folder, *words, path=Path(__file__).parents[2]):
    """Run Python in a folder with the modules of a checkout; return what it prints."""
    result = subprocess.run(
        [sys.executable, *words], cwd=folder, env={**os.environ, 'PYTHONPATH': str(path)}, timeout=PATIENCE,
        capture_output=True, text=True,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


class Command:
    """`python -m` some words in a folder, whose output is kept; the whole group is killed at the end."""

    def __init__(self, folder, *words):
        path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get('PYTHONPATH', '')])
        environment = {**os.environ, 'PYTHONPATH': path, 'PYTHONUNBUFFERED': '1', 'OMP_NUM_THREADS': '1'}
        self.process = psutil.Popen(
            [sys.executable, '-m', *map(str, words)], cwd=folder, env=environment, text=True, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # which `nohup` ignores
        )  # fmt: skip
        self.output = []
        self.reader = Thread(target=lambda: self.output.extend(self.process.stdout), daemon=True)
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for orphan in self.group():
            orphan.kill()

    def group(self):
        """Return the processes of the command that are alive."""
        alive = []
        for process in psutil.process_iter():
            try:
                if os.getpgid(process.pid) == self.process.pid and is_alive(process):
                    alive.append(process)
            except (ProcessLookupError, psutil.NoSuchProcess):
                continue
        return alive

    def wait_for(self, pattern, count=1):
        """Wait until a running command has printed some lines with a pattern."""

        def is_printed():
            printed = ''.join(self.output)
            assert self.process.poll() is None, printed
            return len(re.findall(pattern, printed)) >= count

        wait_until(is_printed)

    def end(self):
        """Wait for the end; return the exit status and the output."""
        status = self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        text = ''.join(self.output)
        assert 'Traceback' not in text
        return status, text

    def refused(self, text=''):
        status, output = self.end()
        assert status != 0
        assert text in output
