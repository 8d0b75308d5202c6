"""A trained network as an agent."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from rlcard_big2.agents.base import BatchAgent, batch_of, choose_best
from rlcard_big2.lockstep.arrays import Int64Array
from rlcard_big2.lockstep.random import Streams
from rlcard_big2.nets.features import action_features, observation_features, owners_of, padded
from rlcard_big2.nets.saved import load_settings, load_weights_from
from rlcard_big2.nets.value import ValueNetwork, make_network

AGENT = 'dmc'


def load_network(folder: Path) -> ValueNetwork:
    """Read the network of a run's folder; CheckpointError says what is missing or wrong."""
    config = load_settings(folder, AGENT)['config']
    network = make_network(config['network'], config['hidden_size'], config['lstm_size'], config['inputs'])
    load_weights_from(folder, network)
    return network


class DMCAgent(BatchAgent):
    """Plays the move of the highest value.

    Args:
        network: the value network.
    """

    def __init__(self, network: ValueNetwork) -> None:
        super().__init__(seed=0)
        self.network = network.eval()

    @classmethod
    def load(cls, folder: Path) -> 'DMCAgent':
        """Load the agent of a run's folder; CheckpointError says what is wrong with it."""
        return cls(load_network(folder))

    def choose(self, observations: Int64Array, masks: Int64Array, offsets: Int64Array, random: Streams) -> Int64Array:
        """Choose the moves of the highest values; see `BatchAgent.choose`."""
        return self.evaluate(observations, masks, offsets)[1]

    def evaluate(
        self, observations: Int64Array, masks: Int64Array, offsets: Int64Array
    ) -> tuple[NDArray[np.float32], Int64Array]:
        """Return the values of all moves, float32 [M], and the places of each game's highest, int64 [N]."""
        values = action_values(self.network, observations, masks, offsets)
        places = np.empty(len(observations), np.int64)
        choose_best(values, offsets, places)
        return values, places

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the action id for a state, and the values by raw action in info['values'].

        A value is the payoff that is expected, in cards, with the `win_bonus` of the training.
        """
        values = action_values(self.network, *batch_of(state))
        named = dict(zip(state['raw_legal_actions'], values.tolist(), strict=True))
        return list(state['legal_actions'])[int(values.argmax())], {'values': named}


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
