"""Record the forward and backward pass of a module as one CUDA graph."""

import warnings
from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor, nn


def graphed(module: nn.Module, example: tuple[Tensor, ...]) -> Callable[..., Tensor]:
    """Return a call that computes a module, and its gradient, as one graph, for inputs of the shapes of `example`.

    Starting the 150 kernels of an update one by one takes ten times as long as they do.

    Args:
        module: whose shapes do not depend on its inputs' content; its weights keep their storage.
        example: its inputs, on the GPU.
    """
    warnings.filterwarnings('ignore', "The AccumulateGrad node's stream")  # of the recording
    return cast(Callable[..., Tensor], torch.cuda.make_graphed_callables(module, example))
