"""The value networks of Chow and Cheng (2022) in torch: Q(state, action), a summary of the moves and five layers.

The first layer is split in two, a part for the state and a part for the action, so that many actions share
the work on one state. Beside the published inputs the networks take those of `rlcard_big2.nets.afterstates`.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from typing_extensions import override

from rlcard_big2.engine.observation import OBSERVATION_SIZE, STATE_SIZE
from rlcard_big2.nets.features import WIDTHS, action_inputs, observation_inputs
from rlcard_big2.nets.sparse_autograd import run_lstm, sum_rows
from rlcard_big2.nets.spec import STEP_SIZE, STEPS, ValueSpec
from rlcard_kit.agents import Positions
from rlcard_kit.arrays import Float32Array, Int8Array, Int64Array
from rlcard_kit.nets.policy import padded
from rlcard_kit.nets.value import MoveValueNetwork

MAX_THREADS = 2  # up to which sums of rows, in one thread, are faster than products


class ValueNetwork(MoveValueNetwork):
    """Estimates the payoff that follows a move, in cards. Its weights are drawn from torch's generator.

    Args:
        spec: its sizes and inputs.
    """

    spec: ValueSpec

    def __init__(self, spec: ValueSpec) -> None:
        super().__init__()
        self.spec = spec
        match spec.design.history:
            case 'lstm':
                self.lstm = nn.LSTM(STEP_SIZE, spec.lstm_size, batch_first=True)
            case 'layer':
                self.history = nn.Linear(STEPS * STEP_SIZE, spec.lstm_size)
        widths, size = WIDTHS[spec.inputs], spec.hidden_size
        self.state = nn.Linear(widths.observation - STEPS * STEP_SIZE + spec.history_size, size)
        self.action = nn.Linear(widths.action, size, bias=False)
        self.layers = nn.ModuleList(nn.Linear(size, size) for _ in range(4))
        self.value = nn.Linear(size, 1)

    def forward(self, observations: Tensor, actions: Tensor, owners: Tensor | None = None) -> Tensor:
        """Return the value of each action.

        Args:
            observations: `observation_inputs`, [N, ...], in the network's precision; or int8, see `is_sparse`: then
                rows of weights are summed in place of products.
            actions: `action_inputs`, [M, ...], likewise.
            owners: the observation that each action belongs to, int64 [M]; None if M = N and they pair up.

        Returns:
            Values in units of one card, float32 [M].
        """
        if observations.dtype == torch.int8:
            states, moves = self._sum_up(observations), sum_rows(actions, 0, self.action.weight)
        else:
            states, moves = self._encode(observations), self.action(actions)
        x = torch.relu((states if owners is None else states[owners]) + moves)
        for layer in self.layers:
            x = torch.relu(x + layer(x) if self.spec.design.residual else layer(x))
        values: Tensor = self.value(x)
        return values.squeeze(1).float()

    @override
    def evaluate(self, observations: Tensor, actions: Tensor, owners: Tensor) -> Tensor:
        return self(observations, actions, owners)

    def widen(self, other: 'ValueNetwork') -> None:
        """Take the weights of a network of the same sizes and fewer inputs; those of the others are 0."""
        weights = other.state_dict()
        for name, summary in (('state.weight', self.spec.history_size), ('action.weight', 0)):
            inputs, last = weights[name].tensor_split((weights[name].shape[1] - summary,), dim=1)
            more = self.get_parameter(name).shape[1] - weights[name].shape[1]
            weights[name] = torch.cat((inputs, inputs.new_zeros(len(inputs), more), last), dim=1)
        self.load_state_dict(weights)

    def values(self, positions: Positions) -> Float32Array:
        """Return the value of every legal move of N games, float32 [M]."""
        observations, moves, _ = positions
        owners = padded(positions.owners)
        with torch.inference_mode():
            states = self.unpack(padded(observations))
            actions = self._tensor(action_inputs(observations, padded(moves), owners, self.spec.inputs))
            values = self(states, actions, torch.from_numpy(owners).to(self.device))
        result: Float32Array = values[: len(moves)].cpu().numpy()
        return result

    @override
    def inputs(self, observations: NDArray[Any], moves: Int64Array) -> tuple[Tensor, ...]:
        actions = action_inputs(observations, moves, np.arange(len(moves)), self.spec.inputs)
        return self.unpack(observations), self._tensor(actions)

    @override
    def unpack(self, observations: NDArray[Any]) -> Tensor:
        return self._tensor(observation_inputs(observations, self.spec.inputs))

    def _tensor(self, inputs: Int8Array) -> Tensor:
        return torch.from_numpy(inputs).to(self.device).to(torch.int8 if self.is_sparse else self.dtype)

    @property
    def is_sparse(self) -> bool:
        """Whether it now sums rows of weights in place of products, see `MoveValueNetwork.is_sparse`.

        In training that is faster in float32 on the CPU, unless many threads share the products.
        """
        in_float32 = self.dtype == torch.float32 and self.device.type == 'cpu'
        return self.in_training and in_float32 and torch.get_num_threads() <= MAX_THREADS

    def _encode(self, observations: Tensor) -> Tensor:
        """Return the state's part of the first layer, [N, hidden_size]."""
        state, moves, more = observations.tensor_split((STATE_SIZE, OBSERVATION_SIZE), dim=1)
        encoded: Tensor = self.state(torch.cat((state, more, self._summarise(moves)), dim=1))
        return encoded

    def _sum_up(self, observations: Tensor) -> Tensor:
        """Return the result of `_encode`, given int8."""
        kept = self.state.in_features - self.spec.history_size
        state, more, summary = self.state.weight.tensor_split((STATE_SIZE, kept), dim=1)
        encoded = sum_rows(observations, 0, state) + sum_rows(observations, OBSERVATION_SIZE, more) + self.state.bias
        match self.spec.design.history:
            case 'lstm':
                return encoded + run_lstm(observations, STATE_SIZE, self.lstm, STEPS) @ summary.t()
            case 'layer':
                moves = sum_rows(observations, STATE_SIZE, self.history.weight) + self.history.bias
                return encoded + torch.relu(moves) @ summary.t()
            case 'none':
                return encoded

    def _summarise(self, moves: Tensor) -> Tensor:
        """Return the summary of the last 16 moves, [N, 832], oldest first: [N, summary_size]."""
        summary: Tensor
        match self.spec.design.history:
            case 'lstm':
                summary = self.lstm(moves.reshape(-1, STEPS, STEP_SIZE))[0][:, -1]
            case 'layer':
                summary = torch.relu(self.history(moves))
            case 'none':
                summary = moves[:, :0]
        return summary
