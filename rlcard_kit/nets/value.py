"""Value networks in torch, which take packed observations and moves."""

from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from rlcard_kit.arrays import Float32Array, Int64Array
from rlcard_kit.nets.spec import NetworkSpec
from rlcard_kit.positions import Positions


class MoveValueNetwork(nn.Module):
    """Estimates the payoff that follows a move. Its weights are drawn from torch's generator.

    Args:
        spec: its sizes and inputs.
    """

    spec: NetworkSpec
    in_training: bool = False
    """Whether it is learning, and a rounding that depends on how many values it is asked for does no harm."""

    def values(self, positions: Positions) -> Float32Array:
        """Return the value of every legal move of N games, float32 [M]."""
        raise NotImplementedError

    def of_moves(self, observations: NDArray[Any], moves: Int64Array) -> Tensor:
        """Return the value of one move in each of N positions, float32 [N], to learn from.

        Args:
            observations: packed, [N] of the game's observation.
            moves: int64 [N].
        """
        raise NotImplementedError

    def unpack(self, observations: NDArray[Any]) -> Tensor:
        """Return packed observations, [N], as the network takes them, [N, features]."""
        raise NotImplementedError

    @property
    def dtype(self) -> torch.dtype:
        """The precision of its matrix products and inputs: that of its weights, unless autocast says otherwise."""
        kind = self.device.type
        own = next(self.parameters()).dtype
        return torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else own

    @property
    def sums(self) -> bool:
        """Whether sparse inputs are multiplied by sums of rows of weights."""
        return False

    @property
    def device(self) -> torch.device:
        """The device of its weights."""
        return next(self.parameters()).device
