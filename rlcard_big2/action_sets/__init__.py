"""Sets of actions of Big 2 beside the action ids, for every environment."""

from collections.abc import Callable
from functools import cache

import numpy as np
from typing_extensions import override

from rlcard_big2.action_sets.options import NUM_OPTIONS, OPTIONS, find_options
from rlcard_big2.actions import ACTION_FEATURES
from rlcard_big2.engine.actions import ACTION_MASKS, PASS_ID, number_of
from rlcard_big2.engine.charlesworth import NUM_INDICES, index_known
from rlcard_big2.engine.ruleset import strength, tabulate
from rlcard_big2.rules import Rules
from rlcard_kit.agents import Positions
from rlcard_kit.arrays import Int8Array, Int64Array
from rlcard_kit.envs.action_set import ActionSet, Legal, Numbered
from rlcard_kit.errors import KitError
from rlcard_kit.jit import kernel


class Slots(Numbered):
    """The 1695 indices of `rlcard_big2.charlesworth`: places in the sorted hand.

    Args:
        rules: to play by; RulesError unless four players hold thirteen cards.
    """

    def __init__(self, rules: Rules) -> None:
        rules.need_usual_size("actions='slots', unlike the other sets,")
        super().__init__(NUM_INDICES)
        self._rules_arrays = tabulate(rules)

    @override
    def numbers(self, positions: Positions) -> Int64Array:
        out = np.empty(len(positions.moves), np.int64)
        index_known(self._rules_arrays, *positions, out)
        if (out < 0).any():
            raise KitError('a legal move has no place among the 1695 indices; these rules cannot be played by them')
        return out


class Ids(Numbered):
    """Some action ids, numbered from 0 in their order.

    Args:
        ids: ascending, int64 [actions]; the pass is last.
    """

    def __init__(self, ids: Int64Array) -> None:
        self.ids = ids
        super().__init__(len(ids))

    @property
    @override
    def features(self) -> Int8Array:
        """The cards of each action, int8 [actions, 52]."""
        return ACTION_FEATURES[self.ids]

    @override
    def numbers(self, positions: Positions) -> Int64Array:
        ids = np.empty(len(positions.moves), np.int64)
        write_ids(positions.moves, ids)
        return np.searchsorted(self.ids, ids)


class Compact(Ids):
    """The action ids of the combinations that the pack, the hands and the rules allow.

    Args:
        rules: to play by.
    """

    def __init__(self, rules: Rules) -> None:
        (table,) = tabulate(rules)
        masks = ACTION_MASKS[:PASS_ID].tolist()
        known = [mask & ~rules.pack == 0 and bool(strength(table, mask)) for mask in masks]
        small = [mask.bit_count() <= rules.most_cards for mask in masks]
        super().__init__(np.flatnonzero([*np.logical_and(known, small), True]))


class Reduced(ActionSet):
    """The options of `OPTIONS`, at least one of which is always legal; several may mean the same move.

    Args:
        rules: to play by.
    """

    num_actions = NUM_OPTIONS
    labels = tuple(option.text for option in OPTIONS)

    def __init__(self, rules: Rules) -> None:
        self._rules_arrays = tabulate(rules)

    @override
    def legal(self, positions: Positions) -> Legal:
        table = np.empty((len(positions.observations), NUM_OPTIONS), np.int64)
        find_options(self._rules_arrays, *positions, table)
        games, actions = np.nonzero(table >= 0)
        return games, actions, table[games, actions]


ACTION_SETS: dict[str, Callable[[Rules], ActionSet]] = {'slots': Slots, 'reduced': Reduced, 'compact': Compact}


@cache
def action_set(rules: Rules, name: str) -> ActionSet:
    """Return the set of that name, one of ACTION_SETS."""
    return ACTION_SETS[name](rules)


@kernel
def write_ids(moves: Int64Array, out: Int64Array) -> None:
    """Write the action id of each move into `out`, int64 [M]."""
    for index in range(moves.size):
        out[index] = number_of(moves[index])
