"""Bounds of settings at their fields."""

from dataclasses import dataclass
from math import nan
from typing import Annotated

import pytest

from common.bounds import Above, AtLeast, AtMost, check_bounds
from rlcard_big2.errors import ConfigError


@dataclass
class Settings:
    deals: Annotated[int | None, AtLeast(2)] = None
    rate: Annotated[float, Above(0), 'help', AtMost(1)] = 0.5
    name: str = 'any'


@pytest.mark.parametrize('settings', [{}, {'deals': 2}, {'rate': 1}, {'rate': 1e-9, 'deals': None}])
def test_what_keeps_to_the_bounds_is_accepted(settings):
    check_bounds(Settings(**settings))


@pytest.mark.parametrize(
    ('settings', 'answer'),
    [
        ({'deals': 1}, 'deals=1: it must be at least 2'),
        ({'rate': 0}, 'rate=0: it must be above 0'),
        ({'rate': 1.5}, 'rate=1.5: it must be at most 1'),
        ({'rate': nan}, 'rate=nan: it must be above 0'),
    ],
)
def test_what_breaks_a_bound_is_named_with_it(settings, answer):
    with pytest.raises(ConfigError, match=answer):
        check_bounds(Settings(**settings))
