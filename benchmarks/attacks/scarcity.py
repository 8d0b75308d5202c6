"""Commands whose disk fills up, or whose memory ends, in mid-run or from the start."""

import os
import resource
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

from benchmarks.attacks.attempt import TRAINERS, Attempt, Watched, refusal, watched

MEBIBYTE = 2**20
ROOM = 16 * MEBIBYTE  # of memory that a running command may still take
CALM = ('--averaging', '1', '--eval-deals', '0')


def attack(random: Random, tries: int) -> Iterator[Attempt]:
    """Take disk or memory from each trainer, and then see what the run has kept."""
    cases = [(kind, what) for kind in TRAINERS for what in (_fill_disk, _take_memory)]
    for number in range(tries):
        kind, what = cases[number % len(cases)]
        yield Attempt(f'{kind}: {what.__name__[1:].replace("_", " ")}', _try(kind, what))


def _try(kind: str, take: object) -> str | None:
    with tempfile.TemporaryDirectory() as name:
        folder, flags = Path(name), (kind, 'train', '--savedir', 'run', *CALM, *TRAINERS[kind])
        with watched(*flags, '--frames', '2000', folder=folder) as command:
            if command.ended() != 0:
                return f'it cannot be begun: {command.said[-300:]}'
        kept = {path: path.read_bytes() for path in folder.glob('run/state/*')}
        with watched(kind, 'train', '--savedir', 'run', '--resume', '--frames', '100000000', folder=folder) as command:
            problem = _starve(command, take)
        if problem:
            return problem
        if any(path.read_bytes() != content for path, content in kept.items() if path.exists()):
            return 'the earlier state is damaged'
        with watched(kind, 'train', '--savedir', 'run', '--resume', '--frames', '1', folder=folder) as command:
            return None if command.ended() == 0 else f'it cannot be resumed: {command.said[-300:]}'


def _starve(command: Watched, take: object) -> str | None:
    if not command.wait_for('learned/s'):
        return f'it does not begin: {command.said[-300:]}'
    return take(command)  # type: ignore[operator]


def _fill_disk(command: Watched) -> str | None:
    """Let no file grow any more, and interrupt, which saves."""
    for process in (command.process, *command.process.children(recursive=True)):
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (0, 0))
    os.kill(command.process.pid, signal.SIGINT)
    return refusal(command, 'not saved')


def _take_memory(command: Watched) -> str | None:
    """Leave the command little more address space than it has."""
    size = command.process.memory_info().vms + ROOM
    resource.prlimit(command.process.pid, resource.RLIMIT_AS, (size, size))
    if command.process.poll() is None and command.ended(20) is None:
        return None  # it needs no more than it has
    return refusal(command)
