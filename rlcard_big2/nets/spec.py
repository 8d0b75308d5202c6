"""What a network is: its kind, sizes and inputs, as plain settings that JSON can hold. Nothing here needs torch."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Literal, get_args, get_origin, get_type_hints

from rlcard_big2.errors import ConfigError

Inputs = Literal['cards', 'afterstates']
"""The published inputs alone, or with the derived features of `rlcard_big2.nets.afterstates`."""
Variant = Literal['plain', 'residual', 'convolutional', 'convolutional-residual']
"""The paper's value network, and what its layers 2 to 5 and its summary of the last moves may be instead."""

MAX_SIZE = 4096  # of a layer, so that settings from elsewhere cannot ask for all memory
MAX_UNIT = 1e6  # in cards, far beyond any payoff


@dataclass(frozen=True)
class NetworkSpec:
    """The settings that a network is made from. A value that is out of bounds raises ConfigError."""

    kind: ClassVar[str]

    def __post_init__(self) -> None:
        for name, expected in get_type_hints(type(self)).items():
            if get_origin(expected) is not ClassVar:
                _check(name, getattr(self, name), expected)

    def to_json(self) -> dict[str, Any]:
        """Return the settings as JSON can hold them; `parse_spec` is the inverse."""
        return {'kind': self.kind, **asdict(self)}


@dataclass(frozen=True)
class ValueSpec(NetworkSpec):
    """The value network of Deep Monte Carlo: a summary of the last 16 moves, then five layers."""

    kind: ClassVar[str] = 'value'

    variant: Variant = 'residual'
    """The paper's network, or one of its variants."""
    hidden_size: int = 256
    """Width of the layers."""
    lstm_size: int = 128
    """Width of the summary of the last 16 moves: of the LSTM, or of the convolutions."""
    inputs: Inputs = 'afterstates'
    """What the network is given."""

    @property
    def residual(self) -> bool:
        """Whether layers 2 to 5 add what they compute to their input."""
        return self.variant.endswith('residual')

    @property
    def convolutional(self) -> bool:
        """Whether convolutions summarise the last moves, instead of an LSTM."""
        return self.variant.startswith('convolutional')


@dataclass(frozen=True)
class PolicySpec(NetworkSpec):
    """A policy with a value."""

    payoff_unit: float = 5.0
    """Cards in one unit of its values: payoffs were divided by it in training."""


@dataclass(frozen=True)
class ActionSpec(PolicySpec):
    """A policy that scores each legal action by its cards, under all rules."""

    kind: ClassVar[str] = 'actions'

    hidden_size: int = 512
    """Width of the layers that embed the state."""
    action_size: int = 256
    """Width of the layers in which state and action meet."""
    inputs: Inputs = 'afterstates'
    """What the network is given."""


@dataclass(frozen=True)
class CharlesworthSpec(PolicySpec):
    """The published policy, whose sizes and inputs are fixed."""

    kind: ClassVar[str] = 'charlesworth'


SPECS: Mapping[str, type[NetworkSpec]] = {spec.kind: spec for spec in (ValueSpec, ActionSpec, CharlesworthSpec)}


def parse_spec(description: object) -> NetworkSpec:
    """Return the spec that `NetworkSpec.to_json` described.

    Raises:
        ConfigError: if the kind is unknown, a setting is missing, unknown or out of bounds.
    """
    if not isinstance(description, Mapping):
        raise ConfigError(f'network: expected settings by name, got {description!r:.200}')
    kind, settings = description.get('kind'), {key: value for key, value in description.items() if key != 'kind'}
    if not isinstance(kind, str) or kind not in SPECS:
        raise ConfigError(f'network kind {kind!r:.80} is unknown: choose one of {", ".join(SPECS)}')
    expected = {field.name for field in fields(SPECS[kind])}
    if settings.keys() != expected:
        raise ConfigError(f'network kind {kind!r} has the settings {sorted(expected)}, got {sorted(settings)!s:.400}')
    return SPECS[kind](**settings)


def _check(name: str, value: object, expected: object) -> None:
    if get_origin(expected) is Literal and value not in get_args(expected):
        raise ConfigError(f'{name}={value!r:.80}: choose one of {", ".join(get_args(expected))}')
    if expected is int and not (type(value) is int and 1 <= value <= MAX_SIZE):
        raise ConfigError(f'{name}={value!r:.80}: expected a whole number from 1 to {MAX_SIZE}')
    if expected is float and not (isinstance(value, int | float) and value is not True and 0 < value <= MAX_UNIT):
        raise ConfigError(f'{name}={value!r:.80}: expected a number above 0, at most {MAX_UNIT:g}')
