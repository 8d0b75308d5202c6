"""Saved networks: a folder with weights, as safetensors, and settings, as JSON.

The weights file carries a copy of the settings. It is written first: if a run is cut off between the two files, the
weights are the newer ones, and their own settings count.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load

from rlcard_kit.errors import ConfigError, FileError, KitError, describe, installing
from rlcard_kit.files import parse_json, read_file
from rlcard_kit.nets.calibration import Calibration, CalibrationByRules, Calibrations
from rlcard_kit.nets.spec import NetworkSpec, parse_spec
from rlcard_kit.rules import Rulebook

NETWORK, SETTINGS = 'network.safetensors', 'settings.json'
FORMAT = 4
LARGEST_FILE = 1 << 30  # bytes of weights
LARGEST_WEIGHT = 1e4  # trained networks stay below 10; float16 goes to 65504
PRECISIONS = ('float16', 'float32')


class CheckpointError(KitError):
    """A folder without a network, or with one that this version cannot read."""


class WeightsError(CheckpointError):
    """Weights that no trained network has, or that do not fit the network."""


def check_weights(weights: Mapping[str, Any]) -> None:
    """Check arrays or tensors by name.

    Raises:
        WeightsError: if one is NaN, infinite or greater than `LARGEST_WEIGHT`, or neither float16 nor float32.
    """
    for name, array in weights.items():
        precision = str(array.dtype).removeprefix('torch.')
        if precision not in PRECISIONS:
            raise WeightsError(f'weights {name!r} are {precision}: expected {" or ".join(PRECISIONS)}')
        largest = 0.0 if 0 in array.shape else float(abs(array).max())  # NaN if any is
        if not largest <= LARGEST_WEIGHT:
            raise WeightsError(f'weights {name!r} go to {largest:g}: expected none beyond {LARGEST_WEIGHT:g}')


def check_shapes(weights: Mapping[str, Any], expected: Mapping[str, tuple[int, ...]]) -> None:
    """Raise WeightsError, naming the weights, if arrays or tensors are missing, unknown or of another shape."""
    shapes = {name: tuple(array.shape) for name, array in weights.items()}
    for name in sorted(expected.keys() | shapes.keys()):
        if expected.get(name) != shapes.get(name):
            raise WeightsError(f'weights {name!r}: expected shape {expected.get(name)}, got {shapes.get(name)}')


S = TypeVar('S', bound='Settings')


@dataclass(frozen=True)
class Settings:
    """Settings of a saved network; each game has a subclass."""

    game: ClassVar[str]
    """The game's name."""
    observation: ClassVar[int]
    """Number of features of its observation, which identifies the version."""
    rules_kind: ClassVar[type[Rulebook]]
    """The game's `Rules`."""
    specs: ClassVar[Mapping[str, type[NetworkSpec]]]
    """Its networks by kind."""

    agent: str
    """The kind of agent that plays by it: the word before the colon in the agent's name, 'dmc' or 'ppo'."""
    rules: Any
    """The rules that it was trained on; None if it is told the rules."""
    network: NetworkSpec
    """Specification of the network."""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """Origin: 'frames', the number of decisions in training, and other facts."""
    calibration: Calibrations = None
    """Calibration of its values, if measured."""

    @property
    def frames(self) -> int:
        """The decisions that it has learned from."""
        return int(self.provenance['frames'])

    def to_json(self) -> dict[str, Any]:
        """Return the settings as JSON can hold them."""
        return {
            'format': FORMAT,
            'game': self.game,
            'observation': self.observation,
            'agent': self.agent,
            'rules': self.rules and {'name': self.rules.name, **self.rules.fields()},
            'network': self.network.to_json(),
            **({} if self.calibration is None else {'calibration': self.calibration.to_json()}),
            'provenance': dict(self.provenance),
        }

    def plays_like(self, other: 'Settings') -> bool:
        """Return whether the two describe the same agent, perhaps at another time of its training."""
        return (self.agent, self.rules, self.network) == (other.agent, other.rules, other.network)

    @classmethod
    def load(cls: type[S], folder: Path, agent: str) -> S:
        """Read the settings of a saved network.

        Args:
            folder: of the network.
            agent: the kind of agent that it has to be of.

        Raises:
            CheckpointError: if they are missing or damaged, or of another game, observation or agent.
        """
        settings, carried = cls._read(folder, agent), cls._read_carried(folder, agent)
        if carried is None or carried.frames == settings.frames:
            return settings
        if not carried.plays_like(settings):
            raise CheckpointError(f'{folder}: {SETTINGS} and {NETWORK} are of two different networks')
        return carried

    @classmethod
    def parse(cls: type[S], source: str, stored: object, agent: str) -> S:
        """Return the settings that JSON describes; see `load`. `source` names it in errors."""
        try:
            description: Mapping[str, Any] = stored if isinstance(stored, Mapping) else {}
            expected = {'format': FORMAT, 'game': cls.game, 'observation': cls.observation, 'agent': agent}
            check_same(source, description, expected)
            network = parse_spec(description['network'], cls.specs)
            named = description['rules']
            rules = cls.rules_kind.from_json({k: v for k, v in named.items() if k != 'name'}) if named else None
            if (rules is None) != network.is_told_rules:
                raise ConfigError(f'rules: {named!r:.200} do not go with a network of {network}')
            calibration: Calibrations = None
            if 'calibration' in description:
                kind = CalibrationByRules if network.is_told_rules else Calibration
                calibration = kind.from_json(description['calibration'])
            return cls(agent, rules, network, _parse_provenance(description['provenance']), calibration)
        except CheckpointError:
            raise
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise CheckpointError(f'{source} cannot be used: {describe(error):.600}') from error

    @classmethod
    def _read(cls: type[S], folder: Path, agent: str) -> S:
        path = folder / SETTINGS
        if not os.path.lexists(path):
            raise CheckpointError(f'{folder} holds no trained network: there is no {path}')
        with _readable(path):
            stored = parse_json(path, read_file(path))
        return cls.parse(str(path), stored, agent)

    @classmethod
    def _read_carried(cls: type[S], folder: Path, agent: str) -> S | None:
        """Return the settings that a weights file carries, or None if it carries none of this format."""
        path = folder / NETWORK
        with _readable(path):
            read_file(path, LARGEST_FILE)  # or safetensors would wait for a pipe
            with safe_open(path, 'numpy') as file:
                stored = parse_json(path, (file.metadata() or {}).get('settings', 'null'))
        is_other = isinstance(stored, dict) and stored.get('format') != FORMAT  # as of two networks that are included
        return None if stored is None or is_other else cls.parse(str(path), stored, agent)


def check_same(source: str, stored: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    """Raise CheckpointError, naming both values, at the first key of `expected` that `stored` has otherwise."""
    for key, value in expected.items():
        if stored.get(key) != value:
            raise CheckpointError(f'{source} is of {key} {stored.get(key)!r:.400}: expected {value!r}')


def read_weights(folder: Path, shapes: Mapping[str, tuple[int, ...]] | None = None) -> dict[str, NDArray[Any]]:
    """Read the weights of a saved network, by name.

    Args:
        folder: of the network.
        shapes: that they must have, by name, if that is known.

    Raises:
        CheckpointError: if they cannot be read, or are no trained weights of these shapes.
    """
    path = folder / NETWORK
    try:
        with _readable(path):
            weights = load(read_file(path, LARGEST_FILE))
        check_weights(weights)
        if shapes is not None:
            check_shapes(weights, shapes)
    except WeightsError as error:
        raise CheckpointError(f'{path} cannot be used: {error}') from error
    return weights


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Convert errors of reading a damaged file to CheckpointError."""
    try:
        yield
    except FileError as error:
        raise CheckpointError(str(error)) from error
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f'{path} cannot be read: {error!s:.400}') from error
    except (TypeError, AttributeError, KeyError) as error:  # of safetensors, for a type that numpy does not have
        expected = ' or '.join(PRECISIONS)
        raise CheckpointError(f'{path} cannot be read: {error} among its weights; expected {expected}') from error


def _parse_provenance(description: object) -> Mapping[str, Any]:
    frames = description.get('frames') if isinstance(description, Mapping) else None
    if not isinstance(description, Mapping) or type(frames) is not int or not 0 <= frames < 1 << 63:
        raise ConfigError(f"provenance: expected 'frames', a whole number, and more by name, got {description!r:.200}")
    return description


class MissingTorchError(KitError):
    """A network that needs torch, which is not installed."""


def has_torch() -> bool:
    """Return whether torch is installed, without importing it."""
    try:
        return sys.modules['torch'] is not None if 'torch' in sys.modules else find_spec('torch') is not None
    except ImportError:
        return False


def require_torch(what: str) -> None:
    """Raise MissingTorchError, with the name of the feature, if torch is not installed."""
    if not has_torch():
        raise MissingTorchError(f'{what} needs torch: {installing("torch")}')
