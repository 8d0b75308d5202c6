"""A run's folder: the network to play with, checkpoints that are kept, and the state to go on from.

    network.safetensors, settings.json     the newest network, and what it takes to use it
    checkpoints/FRAMES/                     the same, as it was after so many frames
    playing/                                the same, as it plays against fixed opponents now
    state/FRAMES.safetensors, .json         all that learns, and the counters with a checksum: the last two

Weights are safetensors and JSON: to load them runs no code.
"""

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple, Protocol

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.optim import Optimizer

from rlcard_big2.files import checksum, replace
from rlcard_big2.nets.saved import NETWORK, SETTINGS, CheckpointError, check_same, identity
from rlcard_big2.version import __version__
from training.config import RunConfig

STATES_KEPT = 2
WRITE_ERRORS = (OSError, SafetensorError)


class Counters(NamedTuple):
    """How far a run has come."""

    frames: int = 0
    games: int = 0
    seconds: float = 0.0
    actors: int = 0  # ever started: each has a stream of random draws of its own


class Learns(Protocol):
    """What a state is saved of: networks and all else that a run goes on from, as tensors by name."""

    def tensors(self) -> dict[str, Tensor]:
        """Return the tensors to save."""
        ...

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Take over tensors that `tensors` once returned."""
        ...


def save_checkpoint(folder: Path, config: RunConfig, network: nn.Module, frames: int) -> None:
    """Write a network and what it takes to use it; an interruption leaves the earlier files."""
    settings = json.dumps({**_describe(config), 'frames': frames}, indent=1)
    write_network(folder, {name: tensor.contiguous() for name, tensor in network.state_dict().items()}, settings)


def write_network(folder: Path, tensors: dict[str, Tensor], settings: str) -> None:
    """Write the weights of a network and its settings, as JSON; an interruption leaves the earlier files."""
    replace(folder / NETWORK, lambda path: save_file(tensors, path, {'settings': settings}))
    replace(folder / SETTINGS, lambda path: path.write_text(settings))


def keep_checkpoint(config: RunConfig, network: nn.Module, frames: int) -> None:
    """Write a checkpoint that stays, in the run's folder checkpoints/, named after its frames."""
    save_checkpoint(config.savedir / 'checkpoints' / f'{frames:012d}', config, network, frames)


def refuse_used(folder: Path) -> None:
    """Raise CheckpointError where a folder holds a run, which another one would overwrite."""
    if (folder / SETTINGS).exists():
        raise CheckpointError(
            f'{folder} holds a run already: go on from it with --resume, choose another --savedir, or remove it'
        )


def _describe(config: RunConfig) -> dict[str, Any]:
    return {**identity(config.agent), 'version': __version__, 'config': config.describe()}


def save_state(config: RunConfig, learner: Learns, counters: Counters) -> None:
    """Write what it takes to go on from here; of earlier states one is kept."""
    path = config.savedir / 'state' / f'{counters.frames:012d}.safetensors'
    replace(path, lambda temporary: save_file(learner.tensors(), temporary))
    description = {**_describe(config), 'counters': counters._asdict(), 'sha256': checksum(path)}
    replace(path.with_suffix('.json'), lambda temporary: temporary.write_text(json.dumps(description, indent=1)))
    earlier = [state.stem for state in _states(config.savedir) if state.stem <= path.stem]
    kept = earlier[:STATES_KEPT]
    for file in path.parent.iterdir():
        if file.name.split('.')[0] not in kept or file.suffix == '.tmp':
            file.unlink()


def _states(folder: Path) -> list[Path]:
    """Return the descriptions of the states in a run's folder, the newest first."""
    return sorted((folder / 'state').glob('*.json'), reverse=True)


def load_state(config: RunConfig, learner: Learns) -> Counters:
    """Set a learner to the newest state of the run that is whole, and return its counters.

    CheckpointError where there is none, and where it is that of other rules or another network.
    """
    problems = []
    for path in _states(config.savedir):
        try:
            description = json.loads(path.read_text())
            weights = path.with_suffix('.safetensors')
            if checksum(weights) != description['sha256']:
                raise ValueError('its checksum differs')
            tensors = load_file(weights)
        except (OSError, ValueError, KeyError, SafetensorError) as error:
            problems.append(f'{path.stem}: {error}')
            continue
        check_same(path, description, identity(config.agent))
        wanted = config.describe()
        check_same(path, description['config'], {key: wanted[key] for key in config.fixed})
        learner.restore(tensors)
        if problems:
            warnings.warn(f'{"; ".join(problems)}: going on from {path.stem} instead', stacklevel=2)
        return Counters(**description['counters'])
    found = f'; unreadable: {"; ".join(problems)}' if problems else ''
    raise CheckpointError(f'{config.savedir} holds no state to resume from{found}')


def begin(config: RunConfig, learner: Learns) -> Counters:
    """Start or resume a run in its folder; CheckpointError where that cannot be, or nothing can be written there."""
    try:
        counters = load_state(config, learner) if config.resume else Counters()
        if not config.resume:
            refuse_used(config.savedir)
        config.savedir.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=config.savedir):
            return counters
    except OSError as error:
        raise CheckpointError(f'savedir={config.savedir} cannot be written to: {error}') from error


def under(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors whose names start so, without that start."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def optimizer_tensors(optimizer: Optimizer) -> dict[str, Tensor]:
    """Return an optimiser's state as tensors, named NUMBER OF THE PARAMETER.SLOT."""
    slots = optimizer.state_dict()['state'].items()
    return {f'{number}.{name}': tensor for number, tensors in slots for name, tensor in tensors.items()}


def restore_optimizer(optimizer: Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Set an optimiser to what `optimizer_tensors` returned; its rates stay those of the settings."""
    slots: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        number, slot = name.split('.')
        slots.setdefault(int(number), {})[slot] = tensor
    optimizer.load_state_dict({'state': slots, 'param_groups': optimizer.state_dict()['param_groups']})
