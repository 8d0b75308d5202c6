"""The optimisers that a learner may use, and how their rate falls."""

from collections.abc import Iterable

import torch
from torch import nn

from dmc.config import Config

LEAST_RATE = 0.1  # of the learning rate, when a run ends


def make_optimizer(config: Config, parameters: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
    """Make the optimiser that the settings name, over a network's parameters."""
    if config.optimizer == 'adam':
        return torch.optim.Adam(parameters, lr=config.learning_rate, fused=True)
    return torch.optim.RMSprop(
        parameters, lr=config.learning_rate, alpha=config.alpha, eps=config.epsilon, momentum=config.momentum
    )


def rate_factor(done: float, decay: float) -> float:
    """Return what part of its learning rate a run is at.

    Args:
        done: part of the run that is over, 0..1.
        decay: part of it, at its end, in which the rate falls from 1 to 0.1 in a straight line.
    """
    left = min(1.0, (1 - done) / decay) if decay else 1.0
    return LEAST_RATE + (1 - LEAST_RATE) * left
