"""Bounds that stand at the fields of settings."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import pytest

import dmc.config
import ppo.config
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


@pytest.mark.parametrize(
    ('changes', 'message'),
    [
        ({'size': 0}, 'size=0: it must be above 0'),
        ({'rate': 2.5}, 'rate=2.5: it must be above 0 and at most 2'),
        ({'rate': NAN}, 'rate=nan: it must be above 0'),
        ({'limit': -0.1}, 'limit=-0.1: it must be at least 0'),
        ({'limit': NAN}, 'limit=nan'),
        ({'share': 1.1}, 'share=1.1: it must be at least 0 and at most 1'),
        ({'least': 1}, 'least=1: it must be at least 2'),
        ({'alpha': 1.0}, 'alpha=1.0: it must be below 1'),
        ({'word': 'other'}, "word='other': choose one of this, that"),
        ({'size': True}, 'size=True: expected a whole number'),
        ({'size': 1.0}, r'size=1\.0: expected a whole number'),
        ({'rate': '1'}, "rate='1': expected a number"),
        ({'limit': '1'}, "limit='1': expected a number or None"),
        ({'names': ('a', 1)}, r"names=\('a', 1\): expected names"),
        ({'names': 'ab'}, "names='ab': expected names"),
        ({'is_set': 1}, 'is_set=1: expected true or false'),
        ({'fixed_word': 'other'}, "fixed_word='other': choose one of this, that"),
    ],
)
def test_values_out_of_bounds_are_refused(changes, message):
    with pytest.raises(ConfigError, match=message):
        check_settings(Settings(**changes))


@pytest.mark.parametrize(
    'changes',
    [
        {},
        {'limit': 0.0},
        {'rate': 2.0},
        {'share': 1.0},
        {'share': 0.0},
        {'least': 2},
        {'rate': 1},
        {'names': ('a',)},
        {'pairs': (('a', 'b'),)},
        {'either': 'this'},
    ],
)
def test_values_within_bounds_pass(changes):
    check_settings(Settings(**changes))


@dataclass
class Unbounded:
    size: int | None = None


@dataclass
class NotANumber:
    word: Annotated[str, Above(0)] = ''


@pytest.mark.parametrize('settings', [Unbounded(), NotANumber()])
def test_a_bound_cannot_be_forgotten_or_misplaced(settings):
    with pytest.raises(TypeError, match='if and only if it is a number'):
        check_settings(settings)


def test_a_run_keeps_what_its_state_depends_on():
    assert sorted(dmc.config.Config.kept_on_resume()) == [
        'game', 'hidden_size', 'inputs', 'lstm_size', 'network', 'optimizer', 'rules', 'start_from',
    ]  # fmt: skip
    assert set(ppo.config.Config.kept_on_resume()) == {
        'game', 'rules', 'start_from', 'inputs', 'network', 'hidden_size',
        'num_games', 'num_steps',
    }  # fmt: skip
