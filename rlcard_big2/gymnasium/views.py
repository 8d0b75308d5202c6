"""Observations and actions of a learner of Big 2: three ways to number the legal moves."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from rlcard_big2.actions import ACTION_FEATURES
from rlcard_big2.cards import NUM_CARDS
from rlcard_big2.engine.actions import number_of
from rlcard_big2.engine.big2 import big2_for, features_of
from rlcard_big2.engine.charlesworth import NUM_INDICES, index_of
from rlcard_big2.engine.observation import Observations
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.gymnasium.options import NUM_OPTIONS, find_options
from rlcard_big2.rules import Rules
from rlcard_kit.agents import Positions
from rlcard_kit.arrays import BoolArray, Int8Array, Int64Array
from rlcard_kit.envs.gymnasium_env import View, spaces
from rlcard_kit.errors import ConfigError, KitError, check_whole
from rlcard_kit.jit import kernel

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
        most_moves: of 'scored' alone: how many moves are shown, all by default.
    """
    if actions not in VIEWS:
        raise ConfigError(f'actions={actions!r}: expected {", ".join(map(repr, VIEWS))}')
    if most_moves is not None and actions != 'scored':
        raise ConfigError(f"most_moves={most_moves!r} is for actions='scored', not {actions!r}")
    if actions == 'scored':
        return ScoredView(rules, big2_for(rules).max_legal if most_moves is None else most_moves)
    if actions == 'reduced':
        return ReducedView(rules)
    rules.need_usual_size("actions='slots', unlike 'scored' and 'reduced',")
    return SlotsView(rules)


class FeaturesView(View):
    """Observations are the features of `engine.observation.layout_of`, int8 [N, 1339] for four players.

    Args:
        rules: to play by.
    """

    def __init__(self, rules: Rules) -> None:
        self._size, self._unpack = features_of(rules)
        self.observation_space = spaces.Box(0, 1, (self._size,), np.int8)

    @override
    def observe(self, positions: Positions) -> Any:
        out = np.empty((len(positions.observations), self._size), np.int8)
        self._unpack(positions.observations, out)
        return out


class SlotsView(FeaturesView):
    """Actions are the 1695 indices of `rlcard_big2.charlesworth`: places in the sorted hand. Every move has one."""

    num_actions = NUM_INDICES

    def masks(self, positions: Positions) -> BoolArray:
        """Return whether each index is legal, bool [N, 1695]."""
        out = np.zeros((len(positions.observations), NUM_INDICES), np.bool_)
        if not mark_slots(*positions, out):
            raise KitError('a legal move has no place among the 1695 indices; these rules cannot be played by them')
        return out

    def indices(self, positions: Positions, actions: Int64Array) -> Int64Array:
        """Return the index of the move that each action means, int64 [N]."""
        out = np.empty(len(actions), np.int64)
        find_slots(*positions, actions, out)
        return out


class ScoredView(FeaturesView):
    """Actions are indices among the legal moves, ascending by action id, whose features the observation has.

    Args:
        rules: to play by.
        most_moves: that are shown. If more are legal, the last of them make way: first those with the highest action
            ids, and never the pass.
    """

    def __init__(self, rules: Rules, most_moves: int) -> None:
        super().__init__(rules)
        check_whole('most_moves', most_moves, 2, big2_for(rules).max_legal)
        self.num_actions = int(most_moves)
        moves = spaces.Box(0, 1, (self.num_actions, MOVE_FEATURES), np.int8)
        self.observation_space = spaces.Dict({'observation': self.observation_space, 'moves': moves})

    def observe(self, positions: Positions) -> dict[str, Int8Array]:
        """Return 'observation', int8 [N, 1339], and 'moves', int8 [N, most_moves, 53], zeros beyond the last."""
        moves = np.zeros((len(positions.observations), self.num_actions, MOVE_FEATURES), np.int8)
        write_moves(positions.moves, positions.offsets, ACTION_FEATURES, moves)
        return {'moves': moves, 'observation': super().observe(positions)}

    def masks(self, positions: Positions) -> BoolArray:
        """Return whether each index is a move, bool [N, most_moves]."""
        masks: BoolArray = np.arange(self.num_actions) < positions.counts[:, None]
        return masks

    def indices(self, positions: Positions, actions: Int64Array) -> Int64Array:
        """Return the index of the move that each action means, int64 [N]."""
        out = np.empty(len(actions), np.int64)
        find_scored(positions.moves, positions.offsets, self.num_actions, actions, out)
        return out


class ReducedView(FeaturesView):
    """Actions are the options of `rlcard_big2.gymnasium.options.OPTIONS`. At least one is always legal.

    Args:
        rules: that are played by.
    """

    num_actions = NUM_OPTIONS

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self._rules_arrays = tabulate(rules)

    def masks(self, positions: Positions) -> BoolArray:
        """Return whether each option is a move, bool [N, NUM_OPTIONS]."""
        masks: BoolArray = self._moves(positions) >= 0
        return masks

    def indices(self, positions: Positions, actions: Int64Array) -> Int64Array:
        """Return the index of the move that each option means, int64 [N]."""
        indices: Int64Array = self._moves(positions)[np.arange(len(actions)), actions]
        return indices

    def _moves(self, positions: Positions) -> Int64Array:
        out = np.empty((len(positions.observations), NUM_OPTIONS), np.int64)
        find_options(self._rules_arrays, *positions, out)
        return out


@kernel
def mark_slots(observations: Observations, moves: Int64Array, offsets: Int64Array, out: NDArray[np.bool_]) -> bool:
    """Set `out`, zeros bool [N, 1695], to True at the index of each legal move; False if one has none."""
    for i in range(len(observations)):
        hand = observations[i].hand
        for index in range(offsets[i], offsets[i + 1]):
            slot = index_of(moves[index], hand)
            if slot < 0:
                return False
            out[i, slot] = True
    return True


@kernel
def find_slots(
    observations: Observations, moves: Int64Array, offsets: Int64Array, actions: Int64Array, out: Int64Array
) -> None:
    """Write which legal move each action, int64 [N], means into `out`, int64 [N]: its index in `moves`."""
    for i in range(actions.size):
        out[i] = offsets[i]
        for index in range(offsets[i], offsets[i + 1]):
            if index_of(moves[index], observations[i].hand) == actions[i]:
                out[i] = index
                break


@kernel
def write_moves(moves: Int64Array, offsets: Int64Array, features: Int8Array, out: NDArray[Any]) -> None:
    """Write the features of the legal moves that are shown into `out`, zeros int8 [N, most, 53]."""
    most = out.shape[1]
    for i in range(offsets.size - 1):
        for index in range(min(most, offsets[i + 1] - offsets[i])):
            move = moves[move_at(moves, offsets[i], offsets[i + 1], most, index)]
            out[i, index, :NUM_CARDS] = features[number_of(move)]
            out[i, index, NUM_CARDS] = move == 0


@kernel
def find_scored(moves: Int64Array, offsets: Int64Array, most: int, actions: Int64Array, out: Int64Array) -> None:
    """Write the index in `moves` of the move that each action means into `out`, int64 [N]."""
    for i in range(actions.size):
        out[i] = move_at(moves, offsets[i], offsets[i + 1], most, actions[i])


@kernel
def move_at(moves: Int64Array, start: int, end: int, most: int, index: int) -> int:
    """Return the index in `moves` of the move that is shown at an index; a pass, which is last, is always shown."""
    if end - start > most and index == most - 1 and moves[end - 1] == 0:
        return end - 1
    return start + index
