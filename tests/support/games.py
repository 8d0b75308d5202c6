"""Both games, for tests that hold for each."""

from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import pytest
import rlcard

import rlcard_big2  # noqa: F401  # registers 'big2'
import rlcard_catch5  # noqa: F401  # registers 'catch5'
from rlcard_big2.rules import PRESETS as BIG2_PRESETS
from rlcard_catch5.rules import PRESETS as CATCH5_PRESETS
from tests.support.helpers import digest


class GameFacts(NamedTuple):
    """Facts of a game that its environments show."""

    name: str  # in RLCard
    package: str
    title: str
    observation_size: int
    feature_size: int
    num_actions: int
    presets: tuple[str, ...]
    deal: dict[str, Any]  # arguments of `reset`
    opening: str  # a legal first move of that deal
    illegal: str  # an illegal first move
    illegal_reward: float
    own_rules: dict[str, Any]  # fields in which rules of one's own differ from the first preset

    def module(self, name: str = '') -> ModuleType:
        """Import a module of the game's package."""
        return import_module(f'{self.package}.{name}'.rstrip('.'))


BIG2 = GameFacts(
    'big2', 'rlcard_big2', 'Big2', 1339, 52, 23740, tuple(BIG2_PRESETS),
    {'hands': [list(range(suit, 52, 4)) for suit in range(4)]}, '3d', '4d', -13.0,
    {'straights': 'T2A', 'penalty_thresholds': (7, 9), 'unplayed_twos': True},
)  # fmt: skip
CATCH5 = GameFacts(
    'catch5', 'rlcard_catch5', 'Catch5', 948, 64, 64, tuple(CATCH5_PRESETS),
    {'deal': {'dealer': 3, 'hands': [list(range(9 * seat, 9 * seat + 9)) for seat in range(4)]}}, 'bid 5', '5h', -9.0,
    {'least_bid': 4, 'low': 'dealt', 'target': 25},
)  # fmt: skip
GAMES = BIG2, CATCH5


def other(game: GameFacts) -> GameFacts:
    """Return the other game."""
    return next(one for one in GAMES if one is not game)


EACH_GAME = pytest.mark.parametrize('game', GAMES, ids=lambda game: game.name)
RULES = [(game, rules) for game in GAMES for rules in game.presets]
EACH_PRESET = pytest.mark.parametrize(('game', 'rules'), RULES, ids=lambda value: getattr(value, 'name', value))


def make(game: GameFacts, **config: Any) -> Any:
    """Make the environment of RLCard."""
    return rlcard.make(game.name, config=config)


def random_states(env: Any, draws: Any, **reset: Any) -> Any:
    """Reset and yield each (state, player) of a game of random moves, the state after the end included."""
    state, player = env.reset(**reset)
    while not env.is_over():
        yield state, player
        state, player = env.step(int(draws.choice(list(state['legal_actions']))))
    yield state, player


def play_digests(env: Any, draws: Any, games: int = 2) -> list[dict[str, Any]]:
    """Play random games; return their states as values that == compares."""
    return [digest(state) for _ in range(games) for state, _ in random_states(env, draws)]
