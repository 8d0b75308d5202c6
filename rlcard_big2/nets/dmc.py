"""A trained network as an agent."""

from pathlib import Path
from typing import Any

import torch

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.lockstep.agent import choose_highest
from rlcard_big2.lockstep.arrays import Float32Array
from rlcard_big2.lockstep.positions import Choice, Positions
from rlcard_big2.lockstep.random import Streams
from rlcard_big2.nets.features import action_features, observation_features, padded
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

    def choose(self, positions: Positions, random: Streams) -> Choice:
        """Choose the moves of the highest values; see `Chooser.choose`."""
        return self.evaluate(positions)[1]

    def evaluate(self, positions: Positions) -> tuple[Float32Array, Choice]:
        """Return the values of all legal moves, float32 [M], and the choice of each game's highest."""
        values = action_values(self.network, positions)
        indices = choose_highest(values, positions.offsets)
        return values, Choice(indices, values[indices])

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the action id for a state, and the values by raw action in info['values'].

        A value is the payoff that is expected, in cards, with the `win_bonus` of the training.
        """
        values, choice = self.evaluate(self.positions_of(state))
        named = dict(zip(state['raw_legal_actions'], values.tolist(), strict=True))
        return list(state['legal_actions'])[choice.indices[0]], {'values': named}


def action_values(network: ValueNetwork, positions: Positions) -> Float32Array:
    """Return the value of every legal move of N games, float32 [M]."""
    dtype, device = network.value.weight.dtype, network.value.weight.device
    observations, moves, _ = positions
    owners = padded(positions.owners)
    with torch.inference_mode():
        states = observation_features(padded(observations), network.inputs, dtype, device)
        actions = action_features(observations, padded(moves), owners, network.inputs, dtype, device)
        values = network(states, actions, torch.from_numpy(owners).to(device))
    result: Float32Array = values[: len(moves)].cpu().numpy()
    return result
