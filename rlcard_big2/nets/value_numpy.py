"""Value networks in numpy, for inference without torch.

A decision is a handful of small products. They run in one thread, since waking more takes longer than they do.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlcard_big2.engine.observation import OBSERVATION_SIZE, STATE_SIZE
from rlcard_big2.nets.features import WIDTHS, action_inputs, observation_inputs
from rlcard_big2.nets.spec import STEP_SIZE, STEPS, ValueSpec
from rlcard_kit.agents import Positions
from rlcard_kit.arrays import Float32Array, Int8Array, Int64Array
from rlcard_kit.nets.checkpoint import check_shapes
from rlcard_kit.nets.sparse import add_bias, add_rows, add_states, gate_scale, lstm_step
from rlcard_kit.process import one_thread

NUM_LAYERS = 4
CHUNK = 512  # moves or hands at once, so that what is between two layers stays in the cache


class SplitNetwork:
    """Layers of which the first is split in two: a part for the states, and one for what joins them.

    Args:
        weights: by name; of any precision, computed with in float32.
        shapes: that they must have, by name.
        joining: the name of the part for what joins the states.
        num_layers: after the first.
        residual: whether these add their output to their input, which is one product here.

    Raises:
        WeightsError: if weights are missing, unknown or of another shape.
    """

    def __init__(
        self,
        weights: Mapping[str, NDArray[Any]],
        shapes: Mapping[str, tuple[int, ...]],
        joining: str,
        num_layers: int,
        residual: bool = True,
    ) -> None:
        check_shapes(weights, shapes)
        self._weights = {name: np.array(array.T, np.float32, order='C') for name, array in weights.items()}
        self._joining = self._weights[f'{joining}.weight']  # inputs first, as all weights
        self._layers = [f'layers.{layer}' for layer in range(num_layers)]
        for layer in self._layers if residual else ():
            self._weights[f'{layer}.weight'] += np.eye(self._joining.shape[1], dtype=np.float32)

    def _encode(self, states: Int8Array, summary: Float32Array) -> Float32Array:
        """Return the states' part of the first layer, [N, hidden_size], given a summary of their moves."""
        weight = self._weights['state.weight']
        kept = len(weight) - summary.shape[1]  # inputs that are not of those moves
        encoded: Float32Array = summary @ weight[kept:]
        encoded += self._weights['state.bias']
        add_rows(states, 0, weight[:STATE_SIZE], encoded)
        add_rows(states, OBSERVATION_SIZE, weight[STATE_SIZE:kept], encoded)
        return encoded

    def _summarise_by(self, layer: str, states: Int8Array) -> Float32Array:
        """Return the output of a layer for the last 16 moves, oldest first, [N, summary_size]."""
        summary = np.zeros((len(states), len(self._weights[f'{layer}.bias'])), np.float32)
        add_rows(states, STATE_SIZE, self._weights[f'{layer}.weight'], summary)
        add_bias(self._weights[f'{layer}.bias'], summary)
        return summary

    def _join(self, inputs: Int8Array, owners: Int64Array, encoded: Float32Array) -> Float32Array:
        """Return the last hidden layer, [M, hidden_size], of what joins states, [M, ...], given `_encode`, [N, ...]."""
        x = np.zeros((len(inputs), encoded.shape[1]), np.float32)
        y = np.empty_like(x)
        add_rows(inputs, 0, self._joining, x)
        add_states(encoded, owners, x)
        for layer in self._layers:
            np.matmul(x, self._weights[f'{layer}.weight'], out=y)
            add_bias(self._weights[f'{layer}.bias'], y)
            x, y = y, x
        return x


class NumpyValueNetwork(SplitNetwork):
    """Estimates the payoff that follows a move, as `rlcard_big2.nets.value.ValueNetwork` does.

    Args:
        spec: its sizes and inputs.
        weights: by name, as that network calls them; see `SplitNetwork`.
    """

    def __init__(self, spec: ValueSpec, weights: Mapping[str, NDArray[Any]]) -> None:
        super().__init__(weights, value_shapes(spec), 'action', NUM_LAYERS, spec.design.residual)
        self.spec = spec
        for name in self._weights:
            if name.startswith('lstm.'):
                self._weights[name] *= gate_scale(spec.lstm_size)

    def values(self, positions: Positions) -> Float32Array:
        """Return the value of every legal move of N games, float32 [M]."""
        observations, moves, _ = positions
        owners, weights = positions.owners, self._weights
        states = observation_inputs(observations, self.spec.inputs)
        actions = action_inputs(observations, moves, owners, self.spec.inputs)
        values = np.empty(len(moves), np.float32)
        with one_thread():
            encoded = self._encode(states, self._summarise(states))
            for start in range(0, len(moves), CHUNK):
                chunk = slice(start, start + CHUNK)
                joined = self._join(actions[chunk], owners[chunk], encoded)
                values[chunk] = (joined @ weights['value.weight'] + weights['value.bias'])[:, 0]
        return values

    def _summarise(self, states: Int8Array) -> Float32Array:
        """Return the summary of the last 16 moves, oldest first, [N, summary_size]."""
        match self.spec.design.history:
            case 'lstm':
                return self._remember(states)
            case 'layer':
                return self._summarise_by('history', states)
            case _:
                return np.zeros((len(states), 0), np.float32)

    def _remember(self, states: Int8Array) -> Float32Array:
        """Return the LSTM's last output, [N, lstm_size]."""
        weights, shape = self._weights, (len(states), self.spec.lstm_size)
        hidden, cell = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        bias = weights['lstm.bias_ih_l0'] + weights['lstm.bias_hh_l0']
        for step in range(STEPS):
            gates = np.repeat(bias[None], len(states), axis=0)
            add_rows(states, STATE_SIZE + step * STEP_SIZE, weights['lstm.weight_ih_l0'], gates)
            if step > 0:
                gates += hidden @ weights['lstm.weight_hh_l0']
            lstm_step(gates, cell, cell, hidden, hidden)
        return hidden


def value_shapes(spec: ValueSpec) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array of weights by its name."""
    widths, size, gates = WIDTHS[spec.inputs], spec.hidden_size, 4 * spec.lstm_size
    layers = {'state': (size, widths.observation - STEPS * STEP_SIZE + spec.history_size), 'value': (1, size)}
    layers |= {f'layers.{layer}': (size, size) for layer in range(NUM_LAYERS)}
    if spec.design.history == 'layer':
        layers['history'] = (spec.lstm_size, STEPS * STEP_SIZE)
    shapes = {'action.weight': (size, widths.action), **layer_shapes(layers)}
    if spec.design.history == 'lstm':
        for part, inputs in (('ih_l0', STEP_SIZE), ('hh_l0', spec.lstm_size)):
            shapes |= {f'lstm.weight_{part}': (gates, inputs), f'lstm.bias_{part}': (gates,)}
    return shapes


def layer_shapes(layers: Mapping[str, tuple[int, int]]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the weights and biases of linear layers, (outputs, inputs) by name."""
    biases = {f'{name}.bias': (outputs,) for name, (outputs, _) in layers.items()}
    return {**{f'{name}.weight': shape for name, shape in layers.items()}, **biases}
