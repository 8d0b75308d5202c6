"""The value network of Chow and Cheng (2022): Q(state, action), an LSTM over the moves and five layers of 512.

This is their residual variant, the best of the paper. The first layer is split in two, a part for the
state and a part for the action, so that many actions share the work on one state.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from rlcard_big2.cards import NUM_CARDS
from rlcard_big2.engine.observation import OBSERVATION_SIZE, STATE_SIZE

ROWS, ROW_SIZE = 4, 208  # the last 16 moves, four to a row


class ValueNetwork(nn.Module):
    """Estimates the payoff that follows a move.

    Args:
        hidden_size: width of the layers.
        lstm_size: width of the LSTM over the moves.
    """

    def __init__(self, hidden_size: int = 512, lstm_size: int = 128) -> None:
        super().__init__()
        self.lstm = nn.LSTM(ROW_SIZE, lstm_size, batch_first=True)
        self.state = nn.Linear(STATE_SIZE + lstm_size, hidden_size)
        self.action = nn.Linear(NUM_CARDS, hidden_size, bias=False)
        self.layers = nn.ModuleList(nn.Linear(hidden_size, hidden_size) for _ in range(4))
        self.value = nn.Linear(hidden_size, 1)

    def forward(self, observations: Tensor, actions: Tensor, owners: Tensor | None = None) -> Tensor:
        """Return the value of each action.

        Args:
            observations: unpacked, [N, 1339], zeros and ones in the network's precision.
            actions: card features, [M, 52].
            owners: the observation that each action belongs to, int64 [M]; None where M = N and they pair up.

        Returns values in units of one card, float32 [M].
        """
        states = self._encode(observations)
        x = torch.relu((states if owners is None else states[owners]) + self.action(actions))
        for layer in self.layers:
            x = torch.relu(x + layer(x))
        values: Tensor = self.value(x)
        return values.squeeze(1).float()

    def _encode(self, observations: Tensor) -> Tensor:
        moves = observations[:, STATE_SIZE:OBSERVATION_SIZE].reshape(-1, ROWS, ROW_SIZE)
        outputs, _ = self.lstm(moves)
        encoded: Tensor = self.state(torch.cat((observations[:, :STATE_SIZE], outputs[:, -1]), dim=1))
        return encoded


def num_weights(network: nn.Module) -> int:
    """Count a network's weights."""
    return sum(parameter.numel() for parameter in network.parameters())


def dump_weights(network: nn.Module) -> NDArray[np.float32]:
    """Return all weights in one array, float32 [num_weights]."""
    flat: NDArray[np.float32] = nn.utils.parameters_to_vector(network.parameters()).detach().numpy()
    return flat


def load_weights(network: nn.Module, weights: NDArray[np.float32]) -> None:
    """Set all weights from one array, the inverse of `dump_weights`, whatever the network's precision."""
    vector = torch.from_numpy(weights).to(next(network.parameters()).dtype)
    nn.utils.vector_to_parameters(vector, network.parameters())
