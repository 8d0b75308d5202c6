"""Weights of torch networks: load them from a checkpoint, and copy them to and from one flat array."""

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from rlcard_kit.nets.checkpoint import read_weights


def load_weights_from(folder: Path, network: nn.Module) -> None:
    """Set a network to the weights in a folder.

    Raises:
        CheckpointError: if the weights cannot be read or do not fit.
    """
    shapes = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    weights = read_weights(folder, shapes)
    network.load_state_dict({name: torch.tensor(array) for name, array in weights.items()})


def dump_weights(network: nn.Module) -> NDArray[np.float32]:
    """Return all weights in one array, float32 [num_weights]."""
    flat: NDArray[np.float32] = nn.utils.parameters_to_vector(network.parameters()).detach().cpu().numpy()
    return flat


def load_weights(network: nn.Module, weights: NDArray[np.float32]) -> None:
    """Set all weights from one array, the inverse of `dump_weights`, in any precision and on any device."""
    parameters = list(network.parameters())
    parts = torch.split(torch.from_numpy(weights), [parameter.numel() for parameter in parameters])
    with torch.no_grad():
        for parameter, part in zip(parameters, parts, strict=True):
            parameter.copy_(part.view_as(parameter))
