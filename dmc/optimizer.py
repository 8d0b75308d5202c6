"""The optimisers that a learner may use."""

from collections.abc import Iterable

import torch
from torch import nn

from dmc.config import Config


def make_optimizer(config: Config, parameters: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
    """Make the optimiser that the settings name, over a network's parameters."""
    if config.optimizer == 'adam':
        return torch.optim.Adam(parameters, lr=config.learning_rate, fused=True)
    return torch.optim.RMSprop(
        parameters, lr=config.learning_rate, alpha=config.alpha, eps=config.epsilon, momentum=config.momentum
    )
