"""A run's folder: the network to play with, checkpoints that are kept, and the state to go on from.

    network.safetensors, settings.json     the newest network, and what it takes to use it
    checkpoints/FRAMES/                     the same, as it was after so many frames
    state/FRAMES.safetensors, .json         network and optimiser, and the counters with a checksum: the last two

Weights are safetensors and JSON: to load them runs no code.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from dmc.config import Config
from dmc.learner import Learner
from dmc.network import ValueNetwork, make_network
from rlcard_big2.engine.observation import OBSERVATION_SIZE
from rlcard_big2.errors import Big2Error
from rlcard_big2.files import checksum, replace
from rlcard_big2.version import __version__

NETWORK, SETTINGS = 'network.safetensors', 'settings.json'
FORMAT = 2
STATES_KEPT = 2
FIXED = ('rules', 'network', 'hidden_size', 'lstm_size', 'optimizer')  # settings that a run may not change on its way
WRITE_ERRORS = (OSError, SafetensorError)


class CheckpointError(Big2Error):
    """A folder that holds no checkpoint, or one that this version cannot read."""


class Counters(NamedTuple):
    """How far a run has come."""

    frames: int = 0
    games: int = 0
    seconds: float = 0.0
    updates: int = 0
    actors: int = 0  # ever started: each has a stream of random draws of its own


def save_checkpoint(folder: Path, config: Config, network: ValueNetwork, frames: int) -> None:
    """Write the network and what it takes to use it; an interruption leaves the earlier files."""
    settings = json.dumps({**_describe(config), 'frames': frames}, indent=1)
    replace(folder / NETWORK, lambda path: save_file(network.state_dict(), path, {'settings': settings}))
    replace(folder / SETTINGS, lambda path: path.write_text(settings))


def keep_checkpoint(config: Config, network: ValueNetwork, frames: int) -> None:
    """Write a checkpoint that stays, in the run's folder checkpoints/, named after its frames."""
    save_checkpoint(config.savedir / 'checkpoints' / f'{frames:012d}', config, network, frames)


def refuse_used(folder: Path) -> None:
    """Raise CheckpointError where a folder holds a run, which another one would overwrite."""
    if (folder / SETTINGS).exists():
        raise CheckpointError(
            f'{folder} holds a run already: go on from it with --resume, choose another --savedir, or remove it'
        )


def _describe(config: Config) -> dict[str, Any]:
    settings = {key: str(value) if isinstance(value, Path) else value for key, value in asdict(config).items()}
    return {'format': FORMAT, 'version': __version__, 'observation': OBSERVATION_SIZE, 'config': settings}


def load_network(folder: Path) -> ValueNetwork:
    """Read the network of a run's folder; CheckpointError says what is missing or wrong."""
    settings = load_settings(folder)
    config = settings['config']
    network = make_network(config['network'], config['hidden_size'], config['lstm_size'])
    try:
        network.load_state_dict(load_file(folder / NETWORK))
    except (OSError, SafetensorError, RuntimeError) as error:
        raise CheckpointError(f'{folder / NETWORK} cannot be read: {error}') from error
    return network


def load_settings(folder: Path) -> dict[str, Any]:
    """Read the settings of a run's folder; CheckpointError says what is missing or wrong."""
    path = folder / SETTINGS
    try:
        settings: dict[str, Any] = json.loads(path.read_text())
    except FileNotFoundError as error:
        raise CheckpointError(f'{folder} holds no trained network: there is no {path}') from error
    except (OSError, ValueError) as error:
        raise CheckpointError(f'{path} cannot be read: {error}') from error
    _check(path, settings, {'format': FORMAT, 'observation': OBSERVATION_SIZE})
    return settings


def _check(path: Path, stored: dict[str, Any], wanted: dict[str, Any]) -> None:
    for key, value in wanted.items():
        if stored.get(key) != value:
            raise CheckpointError(f'{path} has {key} {stored.get(key)}, and here it is {value}')


def save_state(config: Config, learner: Learner, counters: Counters) -> None:
    """Write what it takes to go on from here; of earlier states one is kept."""
    path = config.savedir / 'state' / f'{counters.frames:012d}.safetensors'
    replace(path, lambda temporary: save_file(_tensors(learner), temporary))
    description = {**_describe(config), 'counters': counters._asdict(), 'sha256': checksum(path)}
    replace(path.with_suffix('.json'), lambda temporary: temporary.write_text(json.dumps(description, indent=1)))
    kept = [state.stem for state in _states(config.savedir)[:STATES_KEPT]]
    for file in path.parent.iterdir():
        if file.name.split('.')[0] not in kept or file.suffix == '.tmp':
            file.unlink()


def _states(folder: Path) -> list[Path]:
    """Return the descriptions of the states in a run's folder, the newest first."""
    return sorted((folder / 'state').glob('*.json'), reverse=True)


def _tensors(learner: Learner) -> dict[str, Tensor]:
    networks = (('network', learner.network), ('average', learner.average))
    tensors = {f'{prefix}.{name}': t for prefix, network in networks for name, t in network.state_dict().items()}
    for number, slots in learner.optimizer.state_dict()['state'].items():
        tensors.update({f'optimizer.{number}.{name}': tensor for name, tensor in slots.items()})
    return tensors


def load_state(config: Config, learner: Learner) -> Counters:
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
        _check(path, description, {'format': FORMAT, 'observation': OBSERVATION_SIZE})
        wanted = _describe(config)['config']
        _check(path, description['config'], {key: wanted[key] for key in FIXED})
        counters = Counters(**description['counters'])
        _restore(learner, tensors, counters)
        return counters
    found = f'; unreadable: {"; ".join(problems)}' if problems else ''
    raise CheckpointError(f'{config.savedir} holds no state to resume from{found}')


def _under(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors whose names start so, without that start."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def _restore(learner: Learner, tensors: dict[str, Tensor], counters: Counters) -> None:
    learner.updates = counters.updates
    learner.network.load_state_dict(_under('network.', tensors))
    learner.average.load_state_dict(_under('average.', tensors))
    slots: dict[int, dict[str, Tensor]] = {}
    for name, tensor in _under('optimizer.', tensors).items():
        number, slot = name.split('.')
        slots.setdefault(int(number), {})[slot] = tensor
    groups = learner.optimizer.state_dict()['param_groups']
    learner.optimizer.load_state_dict({'state': slots, 'param_groups': groups})
