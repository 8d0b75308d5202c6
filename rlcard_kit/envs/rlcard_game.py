"""One game in RLCard's shape: what does not depend on which game it is."""

from abc import ABC, abstractmethod
from bisect import bisect_left
from typing import Any

import numpy as np

from rlcard_kit.arrays import Int64Array
from rlcard_kit.envs.round import KeptRound
from rlcard_kit.errors import GameOverError, IllegalActionError, check_whole

NUM_PLAYERS = 4
OVER = 'the game is over, or not dealt yet: call reset() before the next move'


class SingleGame(ABC):
    """Runs one game; actions are texts.

    Args:
        allow_step_back: keep every state, for `step_back`.
    """

    round: KeptRound
    player_id: int
    """The seat to move."""
    legal_ids: list[int]
    """Its legal actions, ascending."""
    legal_texts: list[str]
    """Their texts."""

    def __init__(self, allow_step_back: bool = False) -> None:
        self.allow_step_back = allow_step_back
        self.np_random = np.random.RandomState()
        self.num_players = NUM_PLAYERS

    def step(self, action: str) -> tuple[dict[str, Any], int]:
        """Play an action's text for the seat to move; return the next seat's raw state and that seat."""
        return self.play(self.index_of_text(action))

    def play(self, index: int) -> tuple[dict[str, Any], int]:
        """Play the legal action of that index; return the next seat's raw state and that seat."""
        self.round.proceed_round(self._move_of(self.legal_ids[index]), self.legal_texts[index])
        self._look()
        return self._state_of(self.player_id), self.player_id

    def index_of(self, action: int) -> int:
        """Return the index of an action id among the legal ones; an error says why it may not be played."""
        index = bisect_left(self.legal_ids, action)
        if index < len(self.legal_ids) and self.legal_ids[index] == action:
            return index
        if self.is_over():
            raise GameOverError(OVER)
        raise IllegalActionError(self._explain(self.text_of(action)))

    def index_of_text(self, action: object) -> int:
        """Return the index of an action's text among the legal ones; an error says why it may not be played."""
        if action in self.legal_texts:
            return self.legal_texts.index(action)
        if self.is_over():
            raise GameOverError(OVER)
        return self.index_of(self._parse(action))

    def step_back(self) -> bool:
        """Undo the last move; False at the start of the game."""
        if not self.round.step_back():
            return False
        self._look()
        return True

    @abstractmethod
    def text_of(self, action: int) -> str:
        """Return the text of an action id."""

    def examples(self) -> str:
        """Say how many actions are legal, and name the first of them."""
        examples = ', '.join(self.legal_texts[:4]) + (', ...' if len(self.legal_texts) > 4 else '')
        return f'{len(self.legal_texts)} actions are legal: {examples}'

    def get_state(self, player_id: int) -> dict[str, Any]:
        """Return what a seat sees, at any ply; ConfigError if there is no such seat."""
        check_seat(player_id)
        return self._state_of(player_id)

    def get_player_id(self) -> int:
        """Return the seat to move."""
        return self.player_id

    def get_num_players(self) -> int:
        """Return the number of seats."""
        return self.num_players

    def is_over(self) -> bool:
        """Tell whether the game has ended, or nothing was dealt yet."""
        return not self.legal_ids

    @abstractmethod
    def _look(self) -> None:
        """Note who is to move, and how."""

    @abstractmethod
    def _state_of(self, player_id: int) -> dict[str, Any]:
        """Return what a seat sees."""

    @abstractmethod
    def _move_of(self, action: int) -> Int64Array:
        """Return an action id as a move of the engine, int64 [1]."""

    @abstractmethod
    def _parse(self, action: object) -> int:
        """Return the action id of a text; an error says what is wrong with it."""

    @abstractmethod
    def _explain(self, text: str) -> str:
        """Say why an action is not legal for the seat to move."""


def check_seat(seat: object) -> None:
    """Raise ConfigError if something is not a seat; kernels would read beyond the game."""
    check_whole('seat', seat, 0, NUM_PLAYERS - 1)
