"""Two runs or two matches that want the same folder at the same time."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

from benchmarks.attacks.attempt import TRAINERS, Attempt, refusal, watched

LONG_MATCH = ('eval', 'match', 'big2-dmc', 'big2-dmc', '--deals', '100000', '--workers', '1', '--out', 'run')


def attack(random: Random, tries: int) -> Iterator[Attempt]:
    """Start a command, and then another one in its folder, with and without --resume."""
    commands = {kind: (kind, 'train', '--savedir', 'run', *flags) for kind, flags in TRAINERS.items()}
    commands['match'] = LONG_MATCH
    kinds = list(commands)
    for number in range(tries):
        kind, more = kinds[number % len(kinds)], ('--resume',) * (number // len(kinds) % 2)
        yield Attempt(f'{kind} {" ".join(more)}', _try(commands[kind], more))


def _try(words: tuple[str, ...], more: tuple[str, ...]) -> str | None:
    with tempfile.TemporaryDirectory() as folder, watched(*words, folder=Path(folder)) as first:
        while not list(Path(folder).glob('run/lock')):
            if first.process.poll() is not None:
                return f'the first one ends: {first.said[-300:]}'
        with watched(*words, *more, folder=Path(folder)) as second:
            problem = refusal(second, 'in use by process')
        return problem or ('the first one ends too' if first.process.poll() is not None else None)
