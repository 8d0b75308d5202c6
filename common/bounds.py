"""Bounds of settings, declared at their fields: `deals: Annotated[int, AtLeast(2)] = 1000`."""

from dataclasses import dataclass, fields
from typing import Any, get_type_hints

from rlcard_big2.errors import ConfigError


@dataclass(frozen=True)
class AtLeast:
    """A setting may be this, or more."""

    limit: float

    def __str__(self) -> str:
        return f'at least {self.limit:g}'

    def holds(self, value: float) -> bool:
        """Tell whether a value keeps to the bound; NaN does not."""
        return value >= self.limit


@dataclass(frozen=True)
class Above:
    """A setting must be more than this."""

    limit: float

    def __str__(self) -> str:
        return f'above {self.limit:g}'

    def holds(self, value: float) -> bool:
        """Tell whether a value keeps to the bound; NaN does not."""
        return value > self.limit


@dataclass(frozen=True)
class AtMost:
    """A setting may be this, or less."""

    limit: float

    def __str__(self) -> str:
        return f'at most {self.limit:g}'

    def holds(self, value: float) -> bool:
        """Tell whether a value keeps to the bound; NaN does not."""
        return value <= self.limit


Bound = AtLeast | Above | AtMost


def check_bounds(settings: Any) -> None:
    """Check each field of a dataclass against the bounds that annotate it; None keeps to all.

    Raises:
        ConfigError: naming the first field that breaks one, its value and the bound.
    """
    hints = get_type_hints(type(settings), include_extras=True)
    for field in fields(settings):
        value = getattr(settings, field.name)
        for bound in getattr(hints[field.name], '__metadata__', ()):
            if isinstance(bound, Bound) and value is not None and not bound.holds(value):
                raise ConfigError(f'{field.name}={value}: it must be {bound}')
