"""What a network is, whatever the game: its kind, sizes and inputs, as plain settings that JSON can hold."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Literal, get_args, get_origin, get_type_hints

from rlcard_kit.errors import ConfigError

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
class PolicySpec(NetworkSpec):
    """A policy with a value."""

    payoff_unit: float = 5.0
    """Cards in one unit of its values: payoffs were divided by it in training."""


def parse_spec(description: object, specs: Mapping[str, type[NetworkSpec]]) -> NetworkSpec:
    """Return the spec that `NetworkSpec.to_json` described, of the kinds that there are.

    Raises:
        ConfigError: if the kind is unknown, a setting is missing, unknown or out of bounds.
    """
    if not isinstance(description, Mapping):
        raise ConfigError(f'network: expected settings by name, got {description!r:.200}')
    kind, settings = description.get('kind'), {key: value for key, value in description.items() if key != 'kind'}
    if not isinstance(kind, str) or kind not in specs:
        raise ConfigError(f'network kind {kind!r:.80} is unknown: choose one of {", ".join(specs)}')
    expected = {field.name for field in fields(specs[kind])}
    if settings.keys() != expected:
        raise ConfigError(f'network kind {kind!r} has the settings {sorted(expected)}, got {sorted(settings)!s:.400}')
    return specs[kind](**settings)


def _check(name: str, value: object, expected: object) -> None:
    if get_origin(expected) is Literal and value not in get_args(expected):
        raise ConfigError(f'{name}={value!r:.80}: choose one of {", ".join(get_args(expected))}')
    if expected is int and not (type(value) is int and 1 <= value <= MAX_SIZE):
        raise ConfigError(f'{name}={value!r:.80}: expected a whole number from 1 to {MAX_SIZE}')
    if expected is float and not (isinstance(value, int | float) and value is not True and 0 < value <= MAX_UNIT):
        raise ConfigError(f'{name}={value!r:.80}: expected a number above 0, at most {MAX_UNIT:g}')
