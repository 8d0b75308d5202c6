"""Weights of a saved network for a network of torch."""

from pathlib import Path

import torch
from torch import nn

from rlcard_big2.neural.saved import read_weights


def load_weights_from(folder: Path, network: nn.Module) -> None:
    """Set a network to the weights in a folder.

    Raises:
        CheckpointError: if the weights cannot be read or do not fit.
    """
    shapes = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    weights = read_weights(folder, shapes)
    network.load_state_dict({name: torch.tensor(array) for name, array in weights.items()})
