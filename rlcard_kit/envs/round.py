"""The round: whose turn it is, the trace of moves, and the states before them."""

from abc import ABC, abstractmethod
from typing import Any

from numpy.typing import NDArray

from rlcard_kit.arrays import Int64Array


class KeptRound(ABC):
    """Carries the play of one game forwards and, if states are kept, backwards.

    Args:
        games: [1] of the game's record, which has a field 'player': the seat to move.
        keep_states: keep every earlier state, for `step_back`.
    """

    def __init__(self, games: NDArray[Any], keep_states: bool) -> None:
        self.trace: list[tuple[int, str]] = []  # (player, text of the action)
        self._games = games
        self._keep_states = keep_states
        self._earlier: list[NDArray[Any]] = []

    @property
    def current_player(self) -> int:
        """The seat to move."""
        return int(self._games['player'].item())

    def proceed_round(self, move: Int64Array, action: str) -> None:
        """Make a legal move, int64 [1]; `action` is its text for the trace."""
        if self._keep_states:
            self._earlier.append(self._games.copy())
        self.trace.append((self.current_player, action))
        self._make(move)

    @abstractmethod
    def _make(self, move: Int64Array) -> None:
        """Make a legal move, int64 [1]."""

    def step_back(self) -> bool:
        """Undo the last move; False if there is none."""
        if not self._earlier:
            return False
        self._games[:] = self._earlier.pop()
        self.trace.pop()
        return True
