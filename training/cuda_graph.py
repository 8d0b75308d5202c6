"""Record the forward and backward pass of a function of a network as one CUDA graph."""

import warnings
from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor, nn
from typing_extensions import override


class _Call(nn.Module):
    """A function as a module that has the weights of a network."""

    def __init__(self, function: Callable[..., Tensor], network: nn.Module) -> None:
        super().__init__()
        self._function, self._network = function, network

    @override
    def forward(self, *inputs: Tensor) -> Tensor:
        return self._function(*inputs)


def graphed(function: Callable[..., Tensor], network: nn.Module, example: tuple[Tensor, ...]) -> Callable[..., Tensor]:
    """Return a function of a network that computes it, and the gradient, as one graph, for inputs of certain shapes.

    Starting the 150 kernels of an update one by one takes ten times as long as they do.

    Args:
        function: of tensors on the GPU; its shapes depend on theirs alone.
        network: that it evaluates, whose weights keep their storage.
        example: inputs of those shapes.
    """
    warnings.filterwarnings('ignore', "The AccumulateGrad node's stream")  # of the recording
    return cast(Callable[..., Tensor], torch.cuda.make_graphed_callables(_Call(function, network), example))
