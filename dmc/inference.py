"""A network's values of legal moves."""

import numpy as np
import torch
from numpy.typing import NDArray

from dmc.network import ValueNetwork
from rlcard_big2.engine.bitboard import Int64Array
from training.features import action_features, observation_features, owners_of, padded


def action_values(
    network: ValueNetwork, observations: Int64Array, masks: Int64Array, offsets: Int64Array
) -> NDArray[np.float32]:
    """Return the value of every legal move of N games, float32 [M]; see `BatchAgent.choose`."""
    dtype, device = network.value.weight.dtype, network.value.weight.device
    owners = padded(owners_of(offsets))
    with torch.inference_mode():
        states = observation_features(padded(observations), network.inputs, dtype, device)
        actions = action_features(observations, padded(masks), owners, network.inputs, dtype, device)
        values = network(states, actions, torch.from_numpy(owners).to(device))
    result: NDArray[np.float32] = values[: len(masks)].cpu().numpy()
    return result
