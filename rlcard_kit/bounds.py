"""Bounds of settings, declared at the field: `batch_size: Annotated[int, Above(0)] = 768`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from math import inf
from operator import ge, gt, le, lt
from pathlib import Path
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

from rlcard_kit.errors import ConfigError


@dataclass(frozen=True)
class Bound:
    """A limit of a number, which NaN does not keep."""

    words: str
    holds: Callable[[float, float], bool]  # for the value and the limit
    limit: float

    def __str__(self) -> str:
        return f'{self.words} {self.limit:,}' if isinstance(self.limit, int) else f'{self.words} {self.limit:g}'


Above, AtLeast = partial(Bound, 'above', gt), partial(Bound, 'at least', ge)
Below, AtMost = partial(Bound, 'below', lt), partial(Bound, 'at most', le)
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
    kind: Any = type(settings)  # of which mypy knows no hash
    for name, types, bounds, words in _declared(kind):
        value, meaning = getattr(settings, name), meanings.get(name, {})
        if words and value not in words:
            choices = [f'{word!r} ({meaning[word]})' if word in meaning else word for word in words]
            raise ConfigError(f'{name}={value!r:.80}: choose one of {", ".join(choices)}')
        if all(part in _WORDS for part in types) and not any(_is_of(part, value) for part in types):
            raise ConfigError(f'{name}={value!r:.80}: expected {" or ".join(_WORDS[part] for part in types)}')
        if value is not None and not all(bound.holds(value, bound.limit) for bound in bounds):
            raise ConfigError(f'{name}={value!r:.80}: it must be {" and ".join(map(str, bounds))}')


def choices_of(kind: type) -> dict[str, list[Any]]:
    """Return the words of each field of a dataclass that has some, and the limits of each that is a number."""
    found = {name: [*words, *(bound.limit for bound in bounds)] for name, _, bounds, words in _declared(kind)}
    return {name: values for name, values in found.items() if values}


@cache
def _declared(kind: type) -> list[tuple[str, list[Any], list[Bound], tuple[str, ...]]]:
    """Return the name, types, bounds and words of each field of a dataclass; only a `Literal` has words."""
    declared = []
    for name, hint in get_type_hints(kind, include_extras=True).items():
        if get_origin(hint) is not ClassVar:
            types, bounds = _parts(hint)
            if bool(bounds) != any(part in (int, float) for part in types):
                raise TypeError(f'{name}: {hint} is to declare a bound if and only if it is a number')
            words = get_args(types[0]) if get_origin(types[0]) is Literal and len(types) == 1 else ()
            declared.append((name, types, bounds, words))
    return declared


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


def _parts(kind: Any) -> tuple[list[Any], list[Bound]]:
    """Return the types of a union or annotated type, and the bounds that it declares, as in `PositiveInt | None`."""
    if get_origin(kind) is Annotated:
        types, bounds = _parts(kind.__origin__)
        return types, bounds + [note for note in kind.__metadata__ if isinstance(note, Bound)]
    if get_origin(kind) not in (Union, UnionType):
        return [kind], []
    parts = [_parts(part) for part in get_args(kind)]
    return [part for types, _ in parts for part in types], [bound for _, bounds in parts for bound in bounds]


def _is_of(kind: Any, value: object) -> bool:
    if kind in (int, float):
        return isinstance(value, int if kind is int else int | float) and not isinstance(value, bool)
    if kind == tuple[str, ...]:
        return isinstance(value, tuple) and all(isinstance(part, str) for part in value)
    return isinstance(value, kind)
