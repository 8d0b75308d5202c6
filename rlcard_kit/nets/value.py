"""Value networks in torch, which take packed observations and moves."""

from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from rlcard_kit.agents import Positions
from rlcard_kit.arrays import Float32Array, Int64Array
from rlcard_kit.nets.spec import NetworkSpec


class Network(nn.Module):
    """A network with its device and precision."""

    @property
    def device(self) -> torch.device:
        """The device of its weights."""
        return next(self.parameters()).device

    @property
    def dtype(self) -> torch.dtype:
        """The precision of its matrix products and inputs: that of its weights, unless autocast sets another."""
        kind = self.device.type
        stored = next(self.parameters()).dtype
        return torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else stored

    def as_input(self, array: NDArray[Any]) -> Tensor:
        """Return an array as a tensor on the device and in the precision of the network."""
        return torch.from_numpy(array).to(self.device).to(self.dtype)


class MoveValueNetwork(Network):
    """Estimates the payoff that follows a move. Its weights are drawn from torch's generator.

    Args:
        spec: its sizes and inputs.
    """

    spec: NetworkSpec
    in_training: bool = False
    """Whether it is learning, so that rounding may depend on the size of the batch."""

    def values(self, positions: Positions) -> Float32Array:
        """Return the value of every legal move of N games, float32 [M]."""
        raise NotImplementedError

    def evaluate(self, observations: Tensor, actions: Tensor, owners: Tensor) -> Tensor:
        """Return values, float32 [M], given the inputs that `NetworkModule` describes, in the network's precision."""
        raise NotImplementedError

    def inputs(self, observations: NDArray[Any], moves: Int64Array) -> tuple[Tensor, ...]:
        """Return what `forward` takes, to learn the value of one move, int64 [N], in each of N packed observations."""
        raise NotImplementedError

    def unpack(self, observations: NDArray[Any]) -> Tensor:
        """Return packed observations, [N], as the network takes them, [N, features]."""
        raise NotImplementedError

    @property
    def is_sparse(self) -> bool:
        """Whether products with sparse inputs are sums of rows of weights."""
        return False
