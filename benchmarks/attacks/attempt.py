"""One try of an attack, and commands that are watched while they are attacked."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Thread
from typing import NamedTuple

import psutil

END_SECONDS = 10.0  # after Ctrl-C or SIGTERM
ORPHAN_SECONDS = 6.0  # after the death of their parent
HANG_SECONDS = 120.0
TRAINERS: Mapping[str, tuple[str, ...]] = {  # small runs without an end
    'dmc': ('--num-games', '16', '--hidden-size', '32', '--lstm-size', '8', '--batch-size', '128'),
    'ppo': ('--num-games', '16', '--hidden-size', '32', '--action-size', '32', '--num-steps', '8'),
}


class Attempt(NamedTuple):
    """How one try ended."""

    name: str
    problem: str | None = None


Attack = Callable[[Random, int], Iterator[Attempt]]  # takes how many tries


class Watched:
    """A command of the checkout in a process group of its own, whose output is kept.

    Args:
        words: of the command, after `python -m`.
        folder: to run it in.
    """

    def __init__(self, *words: str, folder: Path) -> None:
        path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get('PYTHONPATH', '')])
        self.process = psutil.Popen(
            [sys.executable, '-m', *words],
            cwd=folder,
            env={**os.environ, 'PYTHONPATH': path, 'PYTHONUNBUFFERED': '1', 'OMP_NUM_THREADS': '1'},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.said = ''
        """What the command has printed."""
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.said += line

    def wait_for(self, text: str, seconds: float = HANG_SECONDS) -> bool:
        """Wait until the command has printed a text; return whether it has."""
        deadline = time.monotonic() + seconds
        while text not in self.said and self.process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.1)
        return text in self.said

    def ended(self, seconds: float = HANG_SECONDS) -> int | None:
        """Wait for the end; return the exit status, or None if the command had to be killed."""
        try:
            return int(self.process.wait(seconds))
        except psutil.TimeoutExpired:
            return None
        finally:
            self.kill_if_alive()
            self._reader.join(1)  # longer only if an orphan holds the pipe

    def kill_if_alive(self) -> None:
        """Kill what is left of the command's own process."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def orphans(self) -> list[int]:
        """Return the processes of the group that outlive the command, after the time that they may take to leave."""
        deadline = time.monotonic() + ORPHAN_SECONDS
        while (alive := _group(self.process.pid)) and time.monotonic() < deadline:
            time.sleep(0.1)
        for pid in alive:
            os.kill(pid, signal.SIGKILL)
        return alive


@contextmanager
def watched(*words: str, folder: Path) -> Iterator[Watched]:
    """Start a command, and leave nothing of it behind."""
    command = Watched(*words, folder=folder)
    try:
        yield command
    finally:
        command.kill_if_alive()
        command.orphans()


def _group(leader: int) -> list[int]:
    alive = []
    for process in psutil.process_iter():
        try:
            if os.getpgid(process.pid) == leader and process.status() != psutil.STATUS_ZOMBIE:
                alive.append(process.pid)
        except (ProcessLookupError, psutil.NoSuchProcess):
            continue
    return alive


def refusal(command: Watched, *texts: str) -> str | None:
    """Return what is wrong with the end of a command that is to be refused: how it ends and what it says."""
    status = command.ended()
    if status is None:
        return 'it hangs'
    if status == 0:
        return 'it ends with exit code 0'
    if 'Traceback' in command.said:
        return f'it ends in a traceback: {command.said[-200:]}'
    missing = [text for text in texts if text not in command.said]
    return f'it does not say {missing}: {command.said[-300:]}' if missing else None
