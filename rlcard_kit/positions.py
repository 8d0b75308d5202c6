"""Positions to decide on, and decisions, as passed between tables and agents."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.arrays import Float32Array, Int64Array
from rlcard_kit.jit import kernel


class Positions(NamedTuple):
    """Observations and legal moves of N seats to move."""

    observations: NDArray[Any]  # [N] of the game's observation
    moves: Int64Array  # [M], legal moves; game i's are moves[offsets[i]:offsets[i + 1]], ascending by action id
    offsets: Int64Array  # [N + 1]

    @property
    def counts(self) -> Int64Array:
        """The number of legal moves of each game, int64 [N]; 0 once a game is over."""
        return self.offsets[1:] - self.offsets[:-1]

    @property
    def owners(self) -> Int64Array:
        """The game that each legal move belongs to, int64 [M]."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.counts)

    def select(self, games: Int64Array) -> 'Positions':
        """Return copies of some of the positions, by their indices, int64 [K]."""
        moves, offsets = select_moves(self.moves, self.offsets, games)
        return Positions(self.observations.take(games), moves, offsets)  # [games] copies records field by field


class Decision(NamedTuple):
    """Moves chosen in N games, with the values and log-probabilities of the chooser, if it has them."""

    indices: Int64Array  # [N], of the moves chosen, in `Positions.moves`
    values: Float32Array | None = None  # [N], of its best move, or of the position
    log_probabilities: Float32Array | None = None  # [N], of the moves chosen


@kernel
def select_moves(moves: Int64Array, offsets: Int64Array, games: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return the legal moves of some games, int64 [K], as `Positions` has them, and their offsets, int64 [K + 1]."""
    own_offsets = np.zeros(games.size + 1, np.int64)
    for i in range(games.size):
        own_offsets[i + 1] = own_offsets[i] + offsets[games[i] + 1] - offsets[games[i]]
    own_moves = np.empty(own_offsets[-1], np.int64)
    for i in range(games.size):
        own_moves[own_offsets[i] : own_offsets[i + 1]] = moves[offsets[games[i]] : offsets[games[i] + 1]]
    return own_moves, own_offsets
