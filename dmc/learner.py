"""The learner: regresses the network on what followed the actors' decisions."""

import numpy as np
import torch
from torch import nn

from dmc.config import Config
from dmc.fleet.shared_memory import Decisions
from dmc.optimizer import make_optimizer
from rlcard_big2.engine.observation import observations_of
from rlcard_big2.nets.features import InputSpec, action_features, observation_features
from rlcard_big2.nets.networks import make_network
from rlcard_big2.nets.value import ValueNetwork
from training.learner import GradientLearner


class Learner(GradientLearner[ValueNetwork]):
    """Holds the value network.

    Args:
        config: of the run.
        dtype: precision of the matrix products.
        device: where to learn.
    """

    def __init__(self, config: Config, dtype: torch.dtype, device: str = 'cpu') -> None:
        torch.manual_seed(config.seed)
        network = make_network(config.spec).to(device)
        optimizer = make_optimizer(config, network.parameters())
        super().__init__(network, optimizer, dtype, config.averaging, config.max_grad_norm)

    def update(self, decisions: Decisions) -> float:
        """Take one step on decisions, [batch_size]; return the mean squared error before it.

        FloatingPointError where the error or a gradient is no number; the weights are then as they were.
        """
        packed, moves = observations_of(decisions), np.ascontiguousarray(decisions['action'])
        inputs = InputSpec(self.network.spec.inputs, self.dtype, self.device)
        observations = observation_features(packed, inputs)
        actions = action_features(packed, moves, np.arange(len(decisions)), inputs)
        targets = torch.from_numpy(np.ascontiguousarray(decisions['target'])).to(self.device)
        with self.autocast():
            values = self.network(observations, actions)
        loss = nn.functional.mse_loss(values, targets)
        self.descend(loss)
        return loss.item()
