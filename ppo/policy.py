"""Sampling policy that stores log-probabilities and values."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from typing_extensions import override

from rlcard_kit.agents.base import Agent, choose_by_probability
from rlcard_kit.nets.policy import PolicyNetwork, log_sums
from rlcard_kit.positions import Decision, Positions
from rlcard_kit.rng import Streams
from training.machine import autocast


class Evaluated(NamedTuple):
    """The network's output for N positions with M legal moves."""

    log_probabilities: Tensor  # of the moves, float32 [M]
    owners: Tensor  # the position of each, int64 [M]
    log_partitions: Tensor  # log-sums of the logits, float32 [N]
    values: Tensor  # float32 [N]


class Sampler(Agent):
    """Samples moves from a policy.

    Args:
        network: that is asked, as it is at the time.
        dtype: precision of the matrix products.
    """

    def __init__(self, network: PolicyNetwork, dtype: torch.dtype) -> None:
        self.network = network
        self._dtype = dtype

    @override
    def choose(self, positions: Positions, random: Streams) -> Decision:
        with torch.no_grad():
            evaluated = self.evaluate(positions)
        chances = evaluated.log_probabilities.cpu().double().numpy()
        indices = choose_by_probability(np.exp(chances), positions.offsets, random)
        return Decision(indices, evaluated.values.cpu().numpy(), chances[indices].astype(np.float32))

    def evaluate(self, positions: Positions) -> Evaluated:
        """Return the outputs of the network for N positions."""
        device = next(self.network.parameters()).device
        with autocast(device.type, self._dtype):
            logits, values = self.network(positions)
        owners = torch.from_numpy(positions.owners).to(device)
        log_partitions = log_sums(logits, owners, len(values))
        return Evaluated(logits - log_partitions[owners], owners, log_partitions, values)
