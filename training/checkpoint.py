"""A run's folder: the network to play with, checkpoints that are kept, and the state to resume from.

    network.safetensors, settings.json      the current network, and what it takes to play by it
    training.json                           the settings of the run
    checkpoints/FRAMES/                     network and settings as they were after so many frames
    playing/                                network and settings that the current matches are played with
    state/FRAMES.safetensors, .json         all that learns, and the counters with a checksum: the last two

Weights are safetensors and JSON, so that loading them runs no code.
"""

import json
import platform
import warnings
from collections.abc import Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.optim import Optimizer

from rlcard_big2.files import checksum, locked, replace
from rlcard_big2.lockstep.sources import digest
from rlcard_big2.nets.saved import (
    NETWORK,
    SETTINGS,
    CheckpointError,
    Settings,
    check_same,
    parse_settings,
    upgraded,
)
from rlcard_big2.rules import Rules
from rlcard_big2.version import __version__
from training.config import RunConfig

TRAINING = 'training.json'
PACKAGES = ('rlcard_big2', 'common', 'eval', 'training', 'dmc', 'ppo')
STATES_KEPT = 2
WRITE_ERRORS = (OSError, SafetensorError)


class Counters(NamedTuple):
    """How far a run has come."""

    frames: int = 0
    games: int = 0
    seconds: float = 0.0
    actors: int = 0  # ever started: each has a stream of random draws of its own


class Learns(Protocol):
    """What a state is saved of: networks and all else that a run resumes from, as tensors by name."""

    def tensors(self) -> dict[str, Tensor]:
        """Return the tensors to save."""
        ...

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Take over tensors that `tensors` once returned."""
        ...


def settings_of(config: RunConfig, frames: int) -> Settings:
    """Return what it takes to play by a run's network, which has learned from so many frames."""
    provenance = {
        'frames': frames,
        'version': __version__,
        'command': f'python -m {config.agent} train {config.flags()}'.rstrip(),
        'sources': _digest_of_sources(),
        'python': platform.python_version(),
        'torch': torch.__version__,
    }
    return Settings(config.agent, Rules.preset(config.rules), config.spec, provenance)


@cache
def _digest_of_sources() -> str:
    """Return a digest of the library and the trainers, as they were when it was first asked for."""
    root = Path(__file__).parents[1]
    return digest(path for package in PACKAGES for path in (root / package).rglob('*.py'))


def save_checkpoint(folder: Path, config: RunConfig, network: nn.Module, frames: int) -> None:
    """Write a network and what it takes to play by it; an interruption leaves the previous files."""
    tensors = {name: tensor.contiguous() for name, tensor in network.state_dict().items()}
    write_network(folder, tensors, settings_of(config, frames))


def write_network(folder: Path, tensors: dict[str, Tensor], settings: Settings) -> None:
    """Write the weights of a network with its settings, and the settings once more as JSON, for people.

    An interruption leaves the previous files, or weights with settings of their own; see `rlcard_big2.nets.saved`.
    """
    text = json.dumps(settings.to_json(), indent=1)
    replace(folder / NETWORK, lambda path: save_file(tensors, path, {'settings': text}))
    replace(folder / SETTINGS, lambda path: path.write_text(text))


def keep_checkpoint(config: RunConfig, network: nn.Module, frames: int) -> None:
    """Write a permanent checkpoint in the run's folder checkpoints/, named after its frames."""
    save_checkpoint(config.savedir / 'checkpoints' / f'{frames:012d}', config, network, frames)


def ensure_unused(folder: Path) -> None:
    """Raise CheckpointError if a folder holds a run, which another one would overwrite."""
    if (folder / SETTINGS).exists():
        raise CheckpointError(
            f'{folder} already holds a run: resume it with --resume, choose another --savedir, or remove it'
        )


def save_state(config: RunConfig, learner: Learns, counters: Counters) -> None:
    """Write what it takes to resume from here; one previous state is kept."""
    path = config.savedir / 'state' / f'{counters.frames:012d}.safetensors'
    replace(path, lambda temporary: save_file(learner.tensors(), temporary))
    description = {
        **settings_of(config, counters.frames).to_json(),
        'training': config.describe(),
        'counters': counters._asdict(),
        'sha256': checksum(path),
    }
    replace(path.with_suffix('.json'), lambda temporary: temporary.write_text(json.dumps(description, indent=1)))
    earlier = [state.stem for state in _states(config.savedir) if state.stem <= path.stem]
    kept = earlier[:STATES_KEPT]
    for file in path.parent.iterdir():
        if file.name.split('.')[0] not in kept or file.suffix == '.tmp':
            file.unlink()


def _states(folder: Path) -> list[Path]:
    """Return the descriptions of the states in a run's folder, newest first."""
    return sorted((folder / 'state').glob('*.json'), reverse=True)


def load_state(config: RunConfig, learner: Learns) -> Counters:
    """Set a learner to the newest undamaged state of the run, and return its counters.

    Raises:
        CheckpointError: if there is none, or if it is of other rules or another network.
    """
    problems = []
    for path in _states(config.savedir):
        try:
            description, tensors = _read_state(path)
        except (OSError, ValueError, KeyError, SafetensorError) as error:
            problems.append(f'{path.stem}: {error}')
            continue
        _check_state(path, description, config)
        learner.restore(tensors)
        if problems:
            warnings.warn(f'{"; ".join(problems)}: resuming from {path.stem} instead', stacklevel=2)
        return Counters(**description['counters'])
    found = f'; unreadable: {"; ".join(problems)}' if problems else ''
    raise CheckpointError(f'{config.savedir} holds no state to resume from{found}')


def _read_state(path: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Return a state's description and tensors; what is damaged raises one of several errors."""
    description = dict(upgraded(json.loads(path.read_text())))
    weights = path.with_suffix('.safetensors')
    if checksum(weights) != description['sha256']:
        raise ValueError('its checksum differs')
    return description, load_file(weights)


def _check_state(path: Path, description: dict[str, Any], config: RunConfig) -> None:
    """Raise CheckpointError if a state is not one that a run can resume from."""
    parse_settings(str(path), description, config.agent)
    wanted = config.describe()
    check_same(str(path), description['training'], {key: wanted[key] for key in config.fixed()})


def begin(config: RunConfig, learner: Learns, held: ExitStack) -> Counters:
    """Start or resume a run in its folder.

    Args:
        config: settings of the run.
        learner: whose state is restored if the run is resumed.
        held: keeps other runs out of the folder until it is closed.

    Raises:
        CheckpointError: if the run cannot be resumed or its folder is not writable.
        FolderInUseError: if another run is writing to it.
    """
    try:
        held.enter_context(locked(config.savedir))
        counters = load_state(config, learner) if config.resume else Counters()
        if not config.resume:
            ensure_unused(config.savedir)
        text = json.dumps(config.describe(), indent=1)
        replace(config.savedir / TRAINING, lambda path: path.write_text(text))
        return counters
    except OSError as error:
        raise CheckpointError(f'savedir={config.savedir} cannot be written to: {error}') from error


def strip_prefix(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors whose names start with a prefix, named without it."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def optimizer_tensors(optimizer: Optimizer) -> dict[str, Tensor]:
    """Return an optimiser's state as tensors, named PARAMETER.SLOT, the parameter being its index."""
    slots = optimizer.state_dict()['state'].items()
    return {f'{number}.{name}': tensor for number, tensors in slots for name, tensor in tensors.items()}


def restore_optimizer(optimizer: Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Set an optimiser to what `optimizer_tensors` returned; its learning rates stay those of the settings."""
    slots: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        number, slot = name.split('.')
        slots.setdefault(int(number), {})[slot] = tensor
    optimizer.load_state_dict({'state': slots, 'param_groups': optimizer.state_dict()['param_groups']})
