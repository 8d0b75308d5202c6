"""Trainers and matches that are ended at random moments, imports and saving included, and then resumed."""

import json
import os
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from benchmarks.attacks.attempt import END_SECONDS, TRAINERS, Attempt, Watched, watched
from rlcard_big2.names import make_agent

KILL_SECONDS = 14.0  # from the start, at most
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
MATCH = ('eval', 'match', 'big2-dmc', 'rule', '--deals', '192', '--workers', '2', '--out', 'match')
SHARED = Path('/dev/shm')


def attack(random: Random, tries: int) -> Iterator[Attempt]:
    """End commands, a third of them each trainer and a third matches, and resume them."""
    kinds = [*TRAINERS, 'match']
    with tempfile.TemporaryDirectory() as folder:
        whole = _whole_match(Path(folder))
        for number in range(tries):
            kind, name = kinds[number % len(kinds)], SIGNALS[random.randrange(len(SIGNALS))]
            seconds = random.uniform(0, KILL_SECONDS) * random.choice((0.2, 1))
            where = Path(folder) / str(number)
            where.mkdir()
            problem = _try_match(where, name, seconds, whole) if kind == 'match' else _try(kind, where, name, seconds)
            yield Attempt(f'{kind}: {name.name} after {seconds:.1f} s', problem)


def _kill(command: Watched, name: signal.Signals, seconds: float) -> str | None:
    """End a command; return what is wrong with how it goes."""
    deadline = time.monotonic() + seconds
    while command.process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    finished = command.process.poll() is not None
    if not finished:
        os.kill(command.process.pid, name)
    status = command.ended(END_SECONDS)
    if status is None:
        return f'it still runs {END_SECONDS:g} s later'
    if 'Traceback' in command.said:
        return f'it ends in a traceback: {command.said[-200:]}'
    if status == 0 and not finished and name is not signal.SIGTERM and name is not signal.SIGINT:
        return 'it ends with exit code 0'
    orphans = command.orphans()
    return f'{len(orphans)} processes are left over' if orphans else None


def _try(trainer: str, folder: Path, name: signal.Signals, seconds: float) -> str | None:
    """End a trainer and resume it for no more than it has learned, or begin anew if there is nothing to resume."""
    flags = ('--savedir', 'run', '--eval-deals', '0')
    with watched(trainer, 'train', *flags, *TRAINERS[trainer], folder=folder) as command:
        problem, killed = _kill(command, name, seconds), command.process.pid
    if problem:
        return problem
    again = ('--resume',) if list(folder.glob('run/state/*.json')) else TRAINERS[trainer]
    with watched(trainer, 'train', *flags, *again, '--frames', '1', folder=folder) as command:
        if command.ended() != 0:
            return f'it cannot be continued: {command.said[-300:]}'
    make_agent(f'{trainer}:{folder / "run"}')
    left = list(SHARED.glob(f'big2-dmc-{killed}-*'))
    return f'shared memory is left over: {left}' if left else None


def _whole_match(folder: Path) -> object:
    """Return the figures of the match that nobody interrupts."""
    with watched(*MATCH, folder=folder) as command:
        if command.ended(600) != 0:
            raise RuntimeError(command.said)
    return _figures(folder)


def _figures(folder: Path) -> object:
    return json.loads((folder / 'match/report.json').read_text())['tables']


def _try_match(folder: Path, name: signal.Signals, seconds: float, whole: object) -> str | None:
    """End a match, resume it, and compare its figures with those of the uninterrupted one."""
    with watched(*MATCH, folder=folder) as command:
        problem = _kill(command, name, seconds)
    if problem or (folder / 'match/report.json').exists():
        return problem
    with watched(*MATCH, '--resume', folder=folder) as command:
        if command.ended(600) != 0:
            return f'it cannot be resumed: {command.said[-300:]}'
    return None if _figures(folder) == whole else 'its figures differ from those of an uninterrupted match'
