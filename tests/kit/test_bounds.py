"""Bounds that stand at the fields of settings."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import pytest

from rlcard_kit.bounds import Above, AtLeast, AtMost, Below, NaturalFloat, PositiveInt, Share, check_settings
from rlcard_kit.errors import ConfigError
from training.config import KeptOnResume

NAN = float('nan')


@dataclass
class Settings:
    kind: ClassVar[str] = 'none'
    size: PositiveInt = 1
    rate: Annotated[float, Above(0), AtMost(2), KeptOnResume()] = 1.0
    limit: NaturalFloat | None = None
    share: Share = 0.5
    least: Annotated[int, AtLeast(2)] = 2
    alpha: Annotated[float, Below(1)] = 0.0
    word: Literal['this', 'that'] = 'this'
    fixed_word: Annotated[Literal['this', 'that'], KeptOnResume()] = 'this'
    names: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    either: Literal['this', 'that'] | None = None
    is_set: bool = False


WRONG = [
    ('size', 0, 'above 0'), ('rate', 2.5, 'above 0 and at most 2'), ('rate', NAN, 'above 0'),
    ('limit', -0.1, 'at least 0'), ('limit', NAN, ''), ('share', 1.1, 'at least 0 and at most 1'),
    ('least', 1, 'at least 2'), ('alpha', 1.0, 'below 1'), ('word', 'other', 'this, that'), ('size', True, 'number'),
    ('size', 1.0, 'whole number'), ('rate', '1', 'number'), ('limit', '1', 'number or None'), ('names', ('a', 1), ''),
    ('names', 'ab', 'names'), ('is_set', 1, 'true or false'), ('fixed_word', 'other', 'this, that'),
]  # fmt: skip


@pytest.mark.parametrize(('name', 'value', 'expected'), WRONG)
def test_values_out_of_bounds_are_refused(name, value, expected):
    with pytest.raises(ConfigError) as raised:
        check_settings(Settings(**{name: value}))
    assert f'{name}={value!r}' in str(raised.value)
    assert expected in str(raised.value)


def test_values_within_bounds_pass():
    values = {'limit': [0.0], 'rate': [2.0, 1], 'share': [0.0, 1.0], 'least': [2], 'names': [('a',)]}
    for name, right in {**values, 'size': [1], 'pairs': [(('a', 'b'),)], 'either': ['this']}.items():
        for value in right:
            check_settings(Settings(**{name: value}))


@dataclass
class Unbounded:
    size: int | None = None


@dataclass
class NotANumber:
    word: Annotated[str, Above(0)] = ''


@pytest.mark.parametrize('settings', [Unbounded(), NotANumber()])
def test_a_bound_cannot_be_forgotten_or_misplaced(settings):
    with pytest.raises(TypeError):
        check_settings(settings)
