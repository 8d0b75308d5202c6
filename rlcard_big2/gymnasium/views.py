"""Observations and actions of a learner of Big 2: four ways to number the legal moves."""

import numpy as np
from typing_extensions import override

from rlcard_big2.action_sets import ACTION_SETS, action_set
from rlcard_big2.actions import ACTION_FEATURES
from rlcard_big2.cards import NUM_CARDS
from rlcard_big2.engine.actions import number_of
from rlcard_big2.engine.big2 import big2_for, features_of
from rlcard_big2.rules import Rules
from rlcard_kit.agents import Positions
from rlcard_kit.arrays import Int8Array, Int64Array
from rlcard_kit.envs.action_set import ActionSet, Legal
from rlcard_kit.envs.gymnasium_env import FeaturesView, View, spaces
from rlcard_kit.errors import ConfigError, check_whole
from rlcard_kit.jit import kernel

MOVE_FEATURES = NUM_CARDS + 1  # the cards, and 1 for a pass
VIEWS = ('slots', 'scored', 'reduced', 'compact')


def make_view(rules: Rules, actions: str = 'slots', most_moves: int | None = None) -> View:
    """Make a view; ConfigError names those that exist.

    Args:
        rules: to play by.
        actions: 'scored', or the name of an action set.
        most_moves: of 'scored' alone: how many moves are shown, all by default.
    """
    if actions not in VIEWS:
        raise ConfigError(f'actions={actions!r}: expected {", ".join(map(repr, VIEWS))}')
    if most_moves is not None and actions != 'scored':
        raise ConfigError(f"most_moves={most_moves!r} is for actions='scored', not {actions!r}")
    if actions in ACTION_SETS:
        return FeaturesView(*features_of(rules), action_set(rules, actions))
    return ScoredView(rules, big2_for(rules).max_legal if most_moves is None else most_moves)


class Scored(ActionSet):
    """Indices among the legal moves, ascending by action id.

    Args:
        num_actions: how many are shown. If more are legal, the last of them make way: first those with the highest
            action ids, and never the pass.
    """

    def __init__(self, num_actions: int) -> None:
        self.num_actions = num_actions

    @override
    def legal(self, positions: Positions) -> Legal:
        games, indices = positions.owners, np.arange(len(positions.moves))
        places, last = indices - positions.offsets[games], self.num_actions - 1
        passes = (positions.moves == 0) & (places > last)  # the last of its game, which takes the last place
        ousted = np.isin(games, games[passes]) & (places == last) if passes.any() else passes
        shown = ((places <= last) | passes) & ~ousted
        return games[shown], np.minimum(places, last)[shown], indices[shown]


class ScoredView(FeaturesView):
    """Actions are indices among the legal moves, whose features the observation has; see `Scored`.

    Args:
        rules: to play by.
        most_moves: that are shown.
    """

    def __init__(self, rules: Rules, most_moves: int) -> None:
        check_whole('most_moves', most_moves, 2, big2_for(rules).max_legal)
        super().__init__(*features_of(rules), Scored(int(most_moves)))
        moves = spaces.Box(0, 1, (self.actions.num_actions, MOVE_FEATURES), np.int8)
        self.observation_space = spaces.Dict({'observation': self.observation_space, 'moves': moves})

    @override
    def observe(self, positions: Positions) -> dict[str, Int8Array]:
        """Return 'observation', int8 [N, 1339], and 'moves', int8 [N, most_moves, 53], zeros beyond the last."""
        moves = np.zeros((len(positions.observations), self.actions.num_actions, MOVE_FEATURES), np.int8)
        write_moves(positions.moves, *self.actions.legal(positions), ACTION_FEATURES, moves)
        return {'moves': moves, 'observation': super().observe(positions)}


@kernel
def write_moves(
    moves: Int64Array,
    games: Int64Array,
    actions: Int64Array,
    indices: Int64Array,
    features: Int8Array,
    out: Int8Array,
) -> None:
    """Write the features of the legal moves that are shown into `out`, zeros int8 [N, most, 53]."""
    for k in range(games.size):
        move, row = moves[indices[k]], out[games[k], actions[k]]
        row[:NUM_CARDS] = features[number_of(move)]
        row[NUM_CARDS] = move == 0
