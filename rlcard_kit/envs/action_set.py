"""Sets of actions: ways to number the legal moves of a position, for every environment."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from typing_extensions import override

from rlcard_kit.agents import Positions
from rlcard_kit.arrays import BoolArray, Int8Array, Int64Array

Legal = tuple[Int64Array, Int64Array, Int64Array]


class ActionSet(ABC):
    """The actions among which a player chooses: each legal one means a legal move."""

    num_actions: int
    labels: tuple[str, ...] = ()
    """A text for each action, if its move alone does not tell it from the others."""

    @property
    def features(self) -> Int8Array:
        """The features of each action for RLCard, int8 [actions, features]; by default one-hot."""
        return np.eye(self.num_actions, dtype=np.int8)

    @abstractmethod
    def legal(self, positions: Positions) -> Legal:
        """Return the legal actions of N games, game by game: the game, the action, and the index of its move.

        All int64 [K]; `positions.moves` has the move.
        """

    def masks(self, positions: Positions) -> BoolArray:
        """Return whether each action is legal, bool [N, actions]; none is once a game is over."""
        games, actions, _ = self.legal(positions)
        out = np.zeros((len(positions.observations), self.num_actions), np.bool_)
        out[games, actions] = True
        return out

    def indices(self, positions: Positions, actions: Int64Array) -> Int64Array:
        """Return the index in `positions.moves` of one legal action of each game, int64 [N]."""
        games, legal, indices = self.legal(positions)
        chosen: Int64Array = indices[legal == actions[games]]
        return chosen

    def of_one(self, positions: Positions) -> tuple[Int64Array, Int64Array]:
        """Return the legal actions of one game and the index of each one's move, in the order of the moves."""
        _, actions, indices = self.legal(positions)
        order = indices.argsort(kind='stable')
        return actions[order], indices[order]

    def __deepcopy__(self, memo: dict[int, Any]) -> 'ActionSet':
        """Return itself, since it never changes."""
        return self


class Numbered(ActionSet):
    """Every legal move has one action; by default, the move itself.

    Args:
        num_actions: the number of actions.
    """

    def __init__(self, num_actions: int) -> None:
        self.num_actions = num_actions

    def numbers(self, positions: Positions) -> Int64Array:
        """Return the action of each legal move, int64 [M]."""
        return positions.moves

    @override
    def legal(self, positions: Positions) -> Legal:
        return positions.owners, self.numbers(positions), np.arange(len(positions.moves))
