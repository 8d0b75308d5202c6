"""Files that are damaged in hundreds of ways, each read by what reads it in earnest."""

import shutil
import signal
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, NamedTuple

import numpy as np
import torch

import rlcard_catch5.records
from benchmarks.attacks.attempt import Attempt
from dmc.config import Config
from dmc.learner import Learner
from rlcard_big2 import records
from rlcard_big2.duplicate.deals import deals_from_seed, load_deals, save_deals
from rlcard_big2.env import Big2Env
from rlcard_big2.errors import Big2Error
from rlcard_big2.models import WEIGHTS
from rlcard_big2.names import make_agent
from rlcard_catch5.env import Catch5Env
from tests.damage import Variant, damaged, damaged_weights
from training.checkpoint import Counters, load_state, save_checkpoint, save_state

READ_SECONDS = 20
SINGLE = {'seed': 1, 'allow_step_back': False}
SMALL = Config(hidden_size=16, lstm_size=8, num_games=4, batch_size=8)


class Target(NamedTuple):
    """A file that is damaged."""

    path: Path
    variants: list[Variant]
    read: Callable[[], object]  # raises an error of ours, or an OSError, if what it reads is of no use


def attack(random: Random, tries: int) -> Iterator[Attempt]:
    """Damage files of every kind that a user can hand over, as evenly as there are variants."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        targets = [*_agent(folder / 'agent', random), *_state(folder / 'run', random), *_games(folder, random)]
        total = sum(len(target.variants) for target in targets)
        for target in targets:
            share = -(-len(target.variants) * tries // total)
            for what, data in random.sample(target.variants, min(share, len(target.variants))):
                yield Attempt(f'{target.path.name}, {what}', _try(target, data))


def _try(target: Target, data: bytes) -> str | None:
    """Put damaged bytes in place of a file and read it; return what is wrong with how that ends."""
    whole = target.path.read_bytes()
    earlier = signal.signal(signal.SIGALRM, _hang)
    signal.alarm(READ_SECONDS)
    try:
        target.path.write_bytes(data)
        target.read()
    except (Big2Error, OSError):
        return None
    except Exception as error:  # whatever else it is, it is a finding
        return f'{type(error).__name__}: {error}'
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, earlier)
        target.path.write_bytes(whole)
    return None  # some damage does no harm


def _hang(number: int, frame: FrameType | None) -> None:
    raise RuntimeError(f'it takes longer than {READ_SECONDS} s')


def _agent(folder: Path, random: Random) -> list[Target]:
    """Return the files of the shipped network, which a user's agent has too."""
    shutil.copytree(WEIGHTS / 'dmc', folder)
    settings, weights = folder / 'settings.json', folder / 'network.safetensors'
    seed = random.randrange(1 << 30)
    names = {settings: list(damaged(settings.read_bytes(), seed))}
    names[weights] = list(damaged_weights(weights.read_bytes(), seed))
    return [Target(path, variants, lambda: make_agent(f'dmc:{folder}')) for path, variants in names.items()]


def _state(folder: Path, random: Random) -> list[Target]:
    """Return the files of a run's state, of which the earlier one is whole: it must be what is resumed."""
    config = replace(SMALL, savedir=folder)
    learner = Learner(config, torch.float32)
    for frames in (100, 200):
        save_state(config, learner, Counters(frames=frames))
    save_checkpoint(folder, config, learner.network, 200)

    def resume() -> None:
        counters = load_state(config, learner)
        if counters.frames not in (100, 200):
            raise RuntimeError(f'it is resumed from {counters}')

    description, tensors = sorted(folder.glob('state/*200.*'))
    seed = random.randrange(1 << 30)
    return [
        Target(description, list(damaged(description.read_bytes(), seed)), _not_refused(resume)),
        Target(tensors, list(damaged_weights(tensors.read_bytes(), seed)), _not_refused(resume)),
    ]


def _not_refused(read: Callable[[], object]) -> Callable[[], object]:
    """Return a call that fails if `read` refuses what it reads."""

    def call() -> object:
        try:
            with warnings.catch_warnings(action='ignore'):  # they say which state is resumed instead
                return read()
        except (Big2Error, OSError) as error:
            raise RuntimeError(f'the state before it is not resumed: {error}') from error

    return call


def _games(folder: Path, random: Random) -> list[Target]:
    """Return a file of records of each game, and a file of deals."""
    deals = folder / 'deals.npz'
    save_deals(deals, deals_from_seed(1, 50))
    seed, whole = random.randrange(1 << 30), deals.read_bytes()
    cut = [(f'cut off at {size}', whole[:size]) for size in range(0, len(whole), max(1, len(whole) // 60))]
    return [
        _record(folder / 'games.big2.jsonl', Big2Env(SINGLE), records, random),
        _record(folder / 'games.catch5.jsonl', Catch5Env(SINGLE), rlcard_catch5.records, random),
        Target(deals, cut + list(_flipped(whole, seed)), lambda: load_deals(deals)),
    ]


def _record(file: Path, env: Any, game_records: Any, random: Random) -> Target:
    """Return a file with the record of a game that has begun."""
    state, _ = env.reset()
    for _ in range(12):
        state, _ = env.step(random.choice(list(state['legal_actions'])))
    game_records.write(file, env.to_record())
    variants = list(damaged(file.read_bytes(), random.randrange(1 << 30)))
    return Target(file, variants, lambda: game_records.read(file))


def _flipped(whole: bytes, seed: int) -> Iterator[Variant]:
    """Yield a file with one byte changed, many times."""
    draw = np.random.RandomState(seed % (1 << 32))
    for place in draw.choice(len(whole), 60, replace=False).tolist():
        yield f'byte {place} changed', whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :]
