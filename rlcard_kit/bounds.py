"""Bounds of settings, declared at the field: `batch_size: Annotated[int, Above(0)] = 768`."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from types import MappingProxyType, NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from rlcard_kit.errors import ConfigError


@dataclass(frozen=True)
class Above:
    """The value must be greater than a limit."""

    limit: float

    def holds(self, value: float) -> bool:
        """Whether a value is within the bound; NaN is not."""
        return value > self.limit

    def __str__(self) -> str:
        return f'above {_text(self.limit)}'


@dataclass(frozen=True)
class AtLeast:
    """The value must not be less than a limit."""

    limit: float

    def holds(self, value: float) -> bool:
        """Whether a value is within the bound; NaN is not."""
        return value >= self.limit

    def __str__(self) -> str:
        return f'at least {_text(self.limit)}'


@dataclass(frozen=True)
class Below:
    """The value must be less than a limit."""

    limit: float

    def holds(self, value: float) -> bool:
        """Whether a value is within the bound; NaN is not."""
        return value < self.limit

    def __str__(self) -> str:
        return f'below {_text(self.limit)}'


@dataclass(frozen=True)
class AtMost:
    """The value must not be greater than a limit."""

    limit: float

    def holds(self, value: float) -> bool:
        """Whether a value is within the bound; NaN is not."""
        return value <= self.limit

    def __str__(self) -> str:
        return f'at most {_text(self.limit)}'


def _text(limit: float) -> str:
    return f'{limit:,}' if isinstance(limit, int) else f'{limit:g}'


Bound = Above | AtLeast | Below | AtMost
Meanings = Mapping[str, Mapping[str, str]]  # of words, by field

LARGEST_INT = 2**63 - 1  # that arrays and random generators take
PositiveInt = Annotated[int, Above(0), AtMost(LARGEST_INT)]
PositiveFloat = Annotated[float, Above(0), Below(inf)]
NaturalInt = Annotated[int, AtLeast(0), AtMost(LARGEST_INT)]
NaturalFloat = Annotated[float, AtLeast(0), Below(inf)]
Share = Annotated[float, AtLeast(0), AtMost(1)]


def check_settings(settings: object, meanings: Meanings = MappingProxyType({})) -> None:
    """Check the fields of a dataclass against their types: numbers by their bounds, words by their `Literal`.

    Args:
        settings: the dataclass.
        meanings: of the words of a field, for its error.

    Raises:
        ConfigError: if a value is of another type, out of bounds, or not one of the words.
        TypeError: if a field is a number and declares no bound, or declares one and is not a number.
    """
    for name, kind in get_type_hints(type(settings), include_extras=True).items():
        if get_origin(kind) is not ClassVar:
            _check(name, kind, getattr(settings, name), meanings.get(name, {}))


def _check(name: str, kind: Any, value: Any, meanings: Mapping[str, str]) -> None:
    bounds = _bounds(kind)
    if bool(bounds) != _is_number(kind):
        raise TypeError(f'{name}: {kind} is to declare a bound if and only if it is a number')
    words = get_args(_plain(kind)) if get_origin(_plain(kind)) is Literal else (value,)
    if value not in words:
        choices = [f'{word!r} ({meanings[word]})' if word in meanings else word for word in words]
        raise ConfigError(f'{name}={value!r:.80}: choose one of {", ".join(choices)}')
    types = _types(kind)
    if all(part in _WORDS for part in types) and not any(_is_of(part, value) for part in types):
        raise ConfigError(f'{name}={value!r:.80}: expected {" or ".join(_WORDS[part] for part in types)}')
    if value is not None and not all(bound.holds(value) for bound in bounds):
        raise ConfigError(f'{name}={value!r:.80}: it must be {" and ".join(map(str, bounds))}')


# The types that are checked, as errors name them.
_WORDS = {
    int: 'a whole number',
    float: 'a number',
    bool: 'true or false',
    str: 'text',
    Path: 'a path',
    tuple[str, ...]: 'names',
    NoneType: 'None',
}


def _types(kind: Any) -> list[Any]:
    """Return the types that a value may have, without their annotations."""
    parts = _parts(kind)
    return [found for part in parts for found in _types(part)] if parts else [kind]


def _is_of(kind: Any, value: object) -> bool:
    if kind in (int, float):
        return isinstance(value, int if kind is int else int | float) and not isinstance(value, bool)
    if kind == tuple[str, ...]:
        return isinstance(value, tuple) and all(isinstance(part, str) for part in value)
    return isinstance(value, kind)


def _bounds(kind: Any) -> list[Bound]:
    """Return the bounds that a type declares, also as a part of another, as in `PositiveInt | None`."""
    own = [note for note in getattr(kind, '__metadata__', ()) if isinstance(note, Bound)]
    return own + [bound for part in _parts(kind) for bound in _bounds(part)]


def _is_number(kind: Any) -> bool:
    return kind in (int, float) or any(map(_is_number, _parts(kind)))


def _parts(kind: Any) -> tuple[Any, ...]:
    """Return the types that a value may have, if the type is a union or annotated."""
    if _plain(kind) is not kind:
        return (_plain(kind),)
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else ()


def _plain(kind: Any) -> Any:
    """Return a type without its annotations."""
    return kind.__origin__ if get_origin(kind) is Annotated else kind
