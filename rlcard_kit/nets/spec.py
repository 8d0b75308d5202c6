"""Specifications of networks: kind, sizes and inputs, as JSON."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any, ClassVar

from numpy.typing import NDArray

from rlcard_kit.bounds import Above, AtMost, check_settings
from rlcard_kit.errors import ConfigError

MAX_SIZE = 4096
Size = Annotated[int, Above(0), AtMost(MAX_SIZE)]  # of a layer: settings from elsewhere cannot ask for all memory
Unit = Annotated[float, Above(0), AtMost(1e6)]  # in cards, far beyond any payoff
NetworkInputs = dict[str, NDArray[Any]]  # arrays by name, in the order in which a network takes them
Columns = Mapping[str, int] | str  # of an array: the sizes of its blocks by meaning, in order; or what its numbers are


@dataclass(frozen=True)
class NetworkSpec:
    """The settings that a network is made from. A value that is out of bounds raises ConfigError."""

    kind: ClassVar[str]

    def __post_init__(self) -> None:
        check_settings(self)

    @property
    def is_told_rules(self) -> bool:
        """Whether the rules of the game are among the inputs, so that it plays by all."""
        return False

    def to_json(self) -> dict[str, Any]:
        """Return the settings as JSON can hold them; `parse_spec` is the inverse."""
        return {'kind': self.kind, **asdict(self)}


@dataclass(frozen=True)
class PolicySpec(NetworkSpec):
    """A policy with a value."""

    payoff_unit: Unit = 5.0
    """Cards in one unit of its values: payoffs were divided by it in training."""


def parse_spec(description: object, specs: Mapping[str, type[NetworkSpec]]) -> NetworkSpec:
    """Return the spec that `NetworkSpec.to_json` described; ConfigError for an unknown kind or invalid settings."""
    if not isinstance(description, Mapping):
        raise ConfigError(f'network: expected settings by name, got {description!r:.200}')
    kind, settings = description.get('kind'), {key: value for key, value in description.items() if key != 'kind'}
    if not isinstance(kind, str) or kind not in specs:
        raise ConfigError(f'network kind {kind!r:.80} is unknown: choose one of {", ".join(specs)}')
    expected = {field.name for field in fields(specs[kind])}
    if settings.keys() != expected:
        raise ConfigError(f'network kind {kind!r} has the settings {sorted(expected)}, got {sorted(settings)!s:.400}')
    return specs[kind](**settings)
