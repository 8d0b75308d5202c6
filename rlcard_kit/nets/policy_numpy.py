"""Policy networks with a value, in numpy: probabilities of legal moves from logits of all actions."""

from abc import ABC, abstractmethod

import numpy as np

from rlcard_kit.agents import Positions
from rlcard_kit.arrays import Float32Array, Float64Array, Int64Array
from rlcard_kit.jit import kernel


class NumpyPolicy(ABC):
    """A policy with a value, as `rlcard_kit.nets.agents.Policy`.

    Args:
        unit: payoff in one unit of its values.
    """

    def __init__(self, unit: float) -> None:
        self._unit = unit

    def probabilities(self, positions: Positions) -> tuple[Float64Array, Float64Array]:
        """Return the probability of each legal move, [M], and the value of each game in payoff, [N], both float64."""
        logits, moves, values = self._evaluate(positions)
        out = np.empty(len(moves))
        write_softmax(logits, moves, positions.offsets, out)
        return out, values[:, 0].astype(np.float64) * self._unit

    @abstractmethod
    def _evaluate(self, positions: Positions) -> tuple[Float32Array, Int64Array, Float32Array]:
        """Return the logits of all A actions, [N, A], the moves as the network knows them, and values, [N, 1]."""


@kernel
def write_softmax(logits: Float32Array, moves: Int64Array, offsets: Int64Array, out: Float64Array) -> None:
    """Write the softmax over the legal actions of each game into `out`, float64 [M].

    Args:
        logits: float32 [N, A], of all A actions.
        moves: action ids, int64 [M].
        offsets: int64 [N + 1], see `Positions`.
        out: receives the probabilities.
    """
    for i in range(len(offsets) - 1):
        best = -np.inf
        for index in range(offsets[i], offsets[i + 1]):
            best = max(best, np.float64(logits[i, moves[index]]))
        total = 0.0
        for index in range(offsets[i], offsets[i + 1]):
            out[index] = np.exp(np.float64(logits[i, moves[index]]) - best)
            total += out[index]
        for index in range(offsets[i], offsets[i + 1]):
            out[index] /= total
