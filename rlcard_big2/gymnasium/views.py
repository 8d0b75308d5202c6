"""Observations and actions of a learner of Big 2: three ways to number the legal moves."""

from typing import Any

import numpy as np
from typing_extensions import override

from rlcard_big2.agents.published import index_known
from rlcard_big2.cards import NUM_CARDS
from rlcard_big2.engine.batch import unpack_observations
from rlcard_big2.engine.charlesworth import NUM_INDICES
from rlcard_big2.engine.moves import MAX_LEGAL
from rlcard_big2.engine.observation import OBSERVATION_SIZE
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.gymnasium.options import NUM_OPTIONS, find_options
from rlcard_big2.rules import Rules
from rlcard_kit.arrays import BoolArray, Int8Array, Int64Array
from rlcard_kit.envs.gymnasium_env import View, spaces
from rlcard_kit.errors import ConfigError, KitError, check_whole
from rlcard_kit.positions import Positions

MOVE_FEATURES = NUM_CARDS + 1  # the cards, and 1 for a pass
VIEWS = {
    'slots': 'the 1695 places in the sorted hand',
    'scored': 'the index among the legal moves, whose features are in the observation',
    'reduced': 'some dozens of named options',
}


def make_view(rules: Rules, actions: str = 'slots', most_moves: int | None = None) -> View:
    """Make a view of `VIEWS`; ConfigError names them.

    Args:
        rules: to play by.
        actions: its name.
        most_moves: for 'scored' alone: the number of moves shown, all by default.
    """
    if actions not in VIEWS:
        raise ConfigError(f'actions={actions!r}: expected {", ".join(map(repr, VIEWS))}')
    if most_moves is not None and actions != 'scored':
        raise ConfigError(f"most_moves={most_moves!r} is for actions='scored', not {actions!r}")
    if actions == 'scored':
        return ScoredView(MAX_LEGAL if most_moves is None else most_moves)
    return SlotsView(rules) if actions == 'slots' else ReducedView(rules)


class FeatureView(View):
    """Observations are the features of `engine.observation.LAYOUT`, int8 [1339]."""

    def __init__(self) -> None:
        self.observation_space = spaces.Box(0, 1, (OBSERVATION_SIZE,), np.int8)

    @override
    def observe(self, positions: Positions) -> Any:
        out = np.empty((len(positions.observations), OBSERVATION_SIZE), np.int8)
        unpack_observations(positions.observations, out)
        return out


class SlotsView(FeatureView):
    """Actions are the 1695 indices of `rlcard_big2.charlesworth`: positions in the sorted hand. Every move has one."""

    num_actions = NUM_INDICES

    def __init__(self, rules: Rules) -> None:
        super().__init__()
        self._table = tabulate(rules)

    @override
    def masks(self, positions: Positions) -> BoolArray:
        out = np.zeros((len(positions.observations), NUM_INDICES), np.bool_)
        out[positions.owners, self._slots(positions)] = True
        return out

    @override
    def indices(self, positions: Positions, actions: Int64Array) -> Int64Array:
        return np.flatnonzero(self._slots(positions) == np.repeat(actions, positions.counts))

    def _slots(self, positions: Positions) -> Int64Array:
        """Return the action of each legal move, int64 [M]."""
        out = np.empty(len(positions.moves), np.int64)
        index_known(self._table, *positions, out)
        if (out < 0).any():
            raise KitError('a legal move has no place among the 1695 indices; these rules cannot be played by them')
        return out


class ScoredView(FeatureView):
    """Actions are indices among the legal moves, ascending by action id, whose features the observation has.

    Args:
        most_moves: the number of moves shown. If more are legal, those with the highest action ids are left out, but
            never the pass.
    """

    def __init__(self, most_moves: int) -> None:
        super().__init__()
        check_whole('most_moves', most_moves, 2, MAX_LEGAL)
        self.num_actions = int(most_moves)
        moves = spaces.Box(0, 1, (self.num_actions, MOVE_FEATURES), np.int8)
        self.observation_space = spaces.Dict({'observation': self.observation_space, 'moves': moves})

    @override
    def observe(self, positions: Positions) -> dict[str, Int8Array]:
        """Return 'observation', int8 [N, 1339], and 'moves', int8 [N, most_moves, 53], zeros beyond the last."""
        games, actions = np.nonzero(self.masks(positions))
        shown = positions.moves[self._moves_at(positions, games, actions)]
        moves = np.zeros((len(positions.observations), self.num_actions, MOVE_FEATURES), np.int8)
        moves[games, actions, :NUM_CARDS] = shown[:, None] >> np.arange(NUM_CARDS) & 1
        moves[games, actions, NUM_CARDS] = shown == 0
        return {'moves': moves, 'observation': super().observe(positions)}

    @override
    def masks(self, positions: Positions) -> BoolArray:
        masks: BoolArray = np.arange(self.num_actions) < positions.counts[:, None]
        return masks

    @override
    def indices(self, positions: Positions, actions: Int64Array) -> Int64Array:
        return self._moves_at(positions, np.arange(len(actions)), actions)

    def _moves_at(self, positions: Positions, games: Int64Array, actions: Int64Array) -> Int64Array:
        """Return the indices in `positions.moves` of actions in games, int64 [K] each; the last may be the pass."""
        last = positions.offsets[games + 1] - 1
        is_pass = (actions == self.num_actions - 1) & (positions.moves[last] == 0)
        return np.where(is_pass, last, positions.offsets[games] + actions)


class ReducedView(FeatureView):
    """Actions are the options of `rlcard_big2.gymnasium.options.OPTIONS`. At least one is always legal."""

    num_actions = NUM_OPTIONS

    def __init__(self, rules: Rules) -> None:
        super().__init__()
        self._table = tabulate(rules)

    @override
    def masks(self, positions: Positions) -> BoolArray:
        masks: BoolArray = self._moves(positions) >= 0
        return masks

    @override
    def indices(self, positions: Positions, actions: Int64Array) -> Int64Array:
        found: Int64Array = self._moves(positions)[np.arange(len(actions)), actions]
        return found

    def _moves(self, positions: Positions) -> Int64Array:
        """Return the index of the move of each option, or -1, int64 [N, NUM_OPTIONS]."""
        out = np.empty((len(positions.observations), NUM_OPTIONS), np.int64)
        find_options(self._table, *positions, out)
        return out
