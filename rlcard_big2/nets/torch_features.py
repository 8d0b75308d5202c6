"""The inputs of networks as torch's tensors."""

from typing import NamedTuple

import torch
from torch import Tensor

from rlcard_big2.engine.observation import Observations
from rlcard_big2.nets.features import action_inputs, observation_inputs
from rlcard_big2.nets.spec import Inputs
from rlcard_kit.arrays import Int64Array


class InputSpec(NamedTuple):
    """Set of inputs, and the type and device of their tensors."""

    inputs: Inputs
    dtype: torch.dtype = torch.float32
    device: torch.device | str = 'cpu'


def observation_features(observations: Observations, spec: InputSpec) -> Tensor:
    """Write packed observations, [N], as a network's inputs, [N, WIDTHS[inputs].observation]."""
    return torch.from_numpy(observation_inputs(observations, spec.inputs)).to(spec.device).to(spec.dtype)


def action_features(observations: Observations, moves: Int64Array, owners: Int64Array, spec: InputSpec) -> Tensor:
    """Write moves as a network's inputs, [M, WIDTHS[inputs].action]; see `action_inputs`."""
    return torch.from_numpy(action_inputs(observations, moves, owners, spec.inputs)).to(spec.device).to(spec.dtype)
