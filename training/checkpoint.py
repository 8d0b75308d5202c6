"""A run's folder: the network to play with, checkpoints that are kept, and the state to resume from.

    network.safetensors, settings.json      the current network, and what it takes to play by it
    training.json                           the settings of the run and their history, see `training.run_settings`
    lock                                    is locked while a process writes to the folder
    checkpoints/FRAMES/                     network and settings as they were after so many frames
    playing/                                network and settings that the current matches are played with
    state/FRAMES.safetensors, .json         all that learns, and the counters with a checksum: the last two

Weights are safetensors and JSON, so that loading them runs no code.
"""

import json
import platform
import warnings
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save_file
from torch import Tensor
from torch.optim import Optimizer

from eval.common.versions import source_digest
from rlcard_kit.errors import ConfigError, FileError, describe
from rlcard_kit.files import checksum, parse_json, read_file, replace, replace_text, user_path
from rlcard_kit.nets.checkpoint import NETWORK, SETTINGS, CheckpointError, Settings, check_same
from rlcard_kit.nets.policy import PolicyNetwork
from rlcard_kit.nets.value import MoveValueNetwork
from rlcard_kit.nets.weights import load_weights_from
from rlcard_kit.version import __version__
from training.config import RunConfig, RunSettings
from training.games import LearnedGame, game_of

STATES_KEPT = 2
LARGEST_STATE = 1 << 36  # bytes
MOST = 1 << 62  # that a run can have counted
CHECKSUM = 'checksum'  # of a state's description
WRITE_ERRORS = (OSError, SafetensorError)
# The errors of a damaged state.
DAMAGED = (*WRITE_ERRORS, ValueError, KeyError, TypeError, AttributeError, IndexError, RuntimeError)

T = TypeVar('T')
N = TypeVar('N', bound=PolicyNetwork | MoveValueNetwork)


class Counters(NamedTuple):
    """Counters of a run, which a resumed run continues."""

    frames: int = 0
    games: int = 0
    seconds: float = 0.0
    actors: int = 0  # ever started: each has a stream of random draws of its own


class Learns(Protocol):
    """An object whose state is saved and resumed, as tensors by name."""

    def tensors(self) -> dict[str, Tensor]:
        """Return the tensors to save."""
        ...

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Restore tensors that `tensors` returned."""
        ...


def settings_of(config: RunConfig, game: LearnedGame, frames: int) -> Settings:
    """Return the settings of a run's network after `frames` frames."""
    provenance = {
        'frames': frames,
        'version': __version__,
        'command': f'python -m {config.agent} train {config.flags()}'.rstrip(),
        'sources': source_digest(),
        'python': platform.python_version(),
        'torch': torch.__version__,
    }
    rules = None if config.spec.is_told_rules else game.find_rules(config.game.rules)
    return game.settings(config.agent, rules, config.spec, provenance)


def write_network(folder: Path, weights: Mapping[str, Tensor], settings: Settings) -> None:
    """Write the weights of a network with its settings, and the settings once more as JSON, for people.

    An interruption leaves the previous files, or weights with settings of their own; see `rlcard_kit.nets.checkpoint`.
    """
    tensors = {name: tensor.contiguous() for name, tensor in weights.items()}
    text = json.dumps(settings.to_json(), indent=1)
    replace(folder / NETWORK, lambda path: save_file(tensors, path, {'settings': text}))
    replace_text(folder / SETTINGS, text)


def shortened(weights: Tensor) -> Tensor:
    """Return weights as float16, rounded to the eight significant bits of bfloat16, so that they compress well."""
    return weights.to(torch.bfloat16).to(torch.float16)


def init_weights(run: RunSettings, game: LearnedGame, agent: str, network: N) -> N:
    """Load the weights that a new run starts from into its network, if its settings name some; return the network.

    Raises:
        ConfigError: if the folder holds no network, or one of another game, agent, kind or size, or of more inputs.
    """
    if run.start_from is None or run.resume:  # a resumed run has weights of its own
        return network
    folder = user_path(run.start_from)
    try:
        spec = game.settings.load(folder, agent).network
        if spec == network.spec:
            load_weights_from(folder, network)
        elif not game.widen(folder, spec, network):
            raise ConfigError(f'start_from={folder}: it holds {spec}; these settings are for {network.spec}')
    except CheckpointError as error:
        raise ConfigError(f'start_from={folder}: {error}') from error
    return network


def save_state(folder: Path, learner: Learns, counters: Counters, settings: Mapping[str, Any]) -> None:
    """Write the state to resume a run from; one previous state is kept.

    Args:
        folder: of the run.
        learner: whose tensors are saved.
        counters: of the run so far.
        settings: of the network, and of the run under 'training', as JSON can hold them.
    """
    path = folder / 'state' / f'{counters.frames:012d}.safetensors'
    replace(path, lambda temporary: save_file(learner.tensors(), temporary))
    description = {**settings, 'counters': counters._asdict(), 'sha256': checksum(path)}
    text = json.dumps({**description, CHECKSUM: _checksum_of(description)}, indent=1)
    replace_text(path.with_suffix('.json'), text)
    earlier = [state.stem for state in _states(folder) if state.stem <= path.stem]
    kept = earlier[:STATES_KEPT]
    for file in path.parent.glob('*.*'):
        if (file.stem not in kept or file.suffix == '.tmp') and not file.is_dir():
            file.unlink()


def _checksum_of(description: Mapping[str, Any]) -> str:
    """Return a checksum of what JSON describes, but for the checksum itself."""
    rest = {key: value for key, value in description.items() if key != CHECKSUM}
    return sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _states(folder: Path) -> list[Path]:
    """Return the descriptions of the states in a run's folder, newest first."""
    return sorted((folder / 'state').glob('*.json'), reverse=True)


def load_state(folder: Path, agent: str, kept: Mapping[str, Any], learner: Learns) -> Counters:
    """Set a learner to the newest undamaged state of a run, and return its counters.

    Args:
        folder: of the run.
        agent: that is trained, 'dmc' or 'ppo'.
        kept: settings by name that cannot change.
        learner: to set.

    Raises:
        CheckpointError: if there is none, or if it is of other rules or another network.
    """

    def load_from(path: Path) -> Counters:
        description = _describe_state(path, agent)
        check_same(str(path), description['training'], kept)
        counters = _parse_counters(description['counters'])
        learner.restore(_read_tensors(path.with_suffix('.safetensors'), description['sha256']))
        return counters

    return _newest(folder, load_from)


def state_settings(folder: Path, agent: str) -> dict[str, Any]:
    """Return the settings by name that the newest undamaged state of a run was saved with; see `load_state`."""
    return _newest(folder, lambda path: dict(_describe_state(path, agent)['training']))


def _newest(folder: Path, read: Callable[[Path], T]) -> T:
    """Return what can be read of the newest state that is not damaged; CheckpointError if there is none."""
    problems = []
    for path in _states(folder):
        try:
            result = read(path)
        except DAMAGED as error:
            problems.append(f'{path.stem}: {" ".join(describe(error).split())}')
            continue
        if problems:
            warnings.warn(f'{"; ".join(problems)}: resuming from {path.stem} instead', stacklevel=3)
        return result
    reasons = f'; not usable: {"; ".join(problems)}' if problems else ''
    raise CheckpointError(f'{folder} holds no state to resume from{reasons}')


def _describe_state(path: Path, agent: str) -> Mapping[str, Any]:
    """Return the description of a state; what is damaged raises one of several errors."""
    stored = parse_json(path, read_file(path))
    if not isinstance(stored, dict):
        raise FileError(f'{path} describes no state')
    if stored.get(CHECKSUM) != _checksum_of(stored):
        raise FileError('its checksum differs')
    game_of(stored['training']['game']).settings.parse(str(path), stored, agent)
    return stored


def _parse_counters(stored: Mapping[str, Any]) -> Counters:
    if stored.keys() != {*Counters._fields}:
        raise FileError(f'counters: expected {", ".join(Counters._fields)}, got {", ".join(stored)}')
    for name, value in stored.items():
        kinds = (int, float) if name == 'seconds' else (int,)
        if type(value) not in kinds or not 0 <= value < MOST:
            raise FileError(f'{name}={value!r} is not a count')
    return Counters(**stored)


def _read_tensors(path: Path, expected: str) -> dict[str, Tensor]:
    """Return the tensors of a state; FileError if they have another checksum."""
    data = read_file(path, LARGEST_STATE)
    if sha256(data).hexdigest() != expected:
        raise FileError('its checksum differs')
    return load(data)


def first_not_finite(tensors: Mapping[str, Tensor]) -> str | None:
    """Return the name of the first tensor with a NaN or an infinity, or None."""
    return next((name for name, tensor in tensors.items() if not torch.isfinite(tensor).all()), None)


def strip_prefix(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors whose names start with a prefix, named without it."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def optimizer_tensors(optimizer: Optimizer) -> dict[str, Tensor]:
    """Return an optimiser's state as tensors, named PARAMETER.SLOT, the parameter being its index."""
    slots = optimizer.state_dict()['state'].items()
    return {f'{number}.{name}': tensor for number, tensors in slots for name, tensor in tensors.items()}


def restore_optimizer(optimizer: Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Set an optimiser to what `optimizer_tensors` returned; its learning rates stay those of the settings.

    Raises:
        FileError: if the tensors are not those of its parameters.
    """
    slots: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        number, slot = name.split('.')
        slots.setdefault(int(number), {})[slot] = tensor
    parameters: list[Tensor] = [parameter for group in optimizer.param_groups for parameter in group['params']]
    for index, named in slots.items():
        for slot, tensor in named.items():
            if index >= len(parameters) or tensor.shape not in ((), parameters[index].shape):
                raise FileError(f"the optimiser's {slot!r} of parameter {index} has another shape")
    optimizer.load_state_dict({'state': slots, 'param_groups': optimizer.state_dict()['param_groups']})
