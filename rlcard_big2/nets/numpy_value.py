"""The value networks with an LSTM in numpy, to play if torch is not installed.

A decision is a handful of small products. They run in one thread, since waking more takes longer than they do.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from rlcard_big2.engine.observation import OBSERVATION_SIZE, STATE_SIZE
from rlcard_big2.lockstep.arrays import Float32Array, Int64Array
from rlcard_big2.lockstep.positions import Positions
from rlcard_big2.nets.backend import MissingTorchError
from rlcard_big2.nets.inputs import WIDTHS, action_inputs, observation_inputs
from rlcard_big2.nets.saved import check_shapes, read_weights
from rlcard_big2.nets.spec import ValueSpec

STEPS, STEP_SIZE = 4, 208  # of the LSTM: the last 16 moves, four at a time
NUM_LAYERS = 4


class NumpyValueNetwork:
    """Estimates the payoff that follows a move, as `rlcard_big2.nets.value.ValueNetwork` does.

    Args:
        spec: its sizes and inputs, with an LSTM.
        weights: by name, as that network calls them; of any precision, computed with in float32.

    Raises:
        CheckpointError: if weights are missing, unknown or of another shape.
        MissingTorchError: if the network has convolutions, which need torch.
    """

    def __init__(self, spec: ValueSpec, weights: Mapping[str, NDArray[Any]]) -> None:
        check_shapes(weights, _shapes(spec))
        self.spec = spec
        self._weights = {name: np.ascontiguousarray(array.T, np.float32) for name, array in weights.items()}

    def values(self, positions: Positions) -> Float32Array:
        """Return the value of every legal move of N games, float32 [M]."""
        observations, moves, _ = positions
        owners = positions.owners
        states = observation_inputs(observations, self.spec.inputs).astype(np.float32)
        actions = action_inputs(observations, moves, owners, self.spec.inputs).astype(np.float32)
        with _blas().limit(limits=1, user_api='blas'):
            return self._forward(states, actions, owners)

    def _forward(self, states: Float32Array, actions: Float32Array, owners: Int64Array) -> Float32Array:
        """Return values, [M], of actions, [M, ...], in states, [N, ...]."""
        weights = self._weights
        x: Float32Array = actions @ weights['action.weight']
        x += self._encode(states)[owners]
        np.maximum(x, 0, out=x)
        for layer in range(NUM_LAYERS):
            y = x @ weights[f'layers.{layer}.weight']
            y += weights[f'layers.{layer}.bias']
            if self.spec.residual:
                y += x
            x = np.maximum(y, 0, out=y)
        values: Float32Array = (x @ weights['value.weight'] + weights['value.bias'])[:, 0]
        return values

    def _encode(self, states: Float32Array) -> Float32Array:
        """Return the state's part of the first layer, [N, hidden_size]."""
        state, moves, more = np.split(states, (STATE_SIZE, OBSERVATION_SIZE), axis=1)
        joined = np.concatenate((state, more, self._summarise(moves)), axis=1)
        encoded: Float32Array = joined @ self._weights['state.weight'] + self._weights['state.bias']
        return encoded

    def _summarise(self, moves: Float32Array) -> Float32Array:
        """Return the LSTM's last output over the last 16 moves, [N, 832], oldest first: [N, lstm_size]."""
        weights, size = self._weights, self.spec.lstm_size
        steps = moves.reshape(-1, STEP_SIZE) @ weights['lstm.weight_ih_l0']
        steps += weights['lstm.bias_ih_l0'] + weights['lstm.bias_hh_l0']
        gates = steps.reshape(-1, STEPS, 4 * size)
        hidden = cell = np.zeros((len(moves), size), np.float32)
        for step in range(STEPS):
            x = gates[:, step] + hidden @ weights['lstm.weight_hh_l0']
            enter, keep, show = (_sigmoid(x[:, i * size : (i + 1) * size]) for i in (0, 1, 3))
            cell = keep * cell + enter * np.tanh(x[:, 2 * size : 3 * size])
            hidden = show * np.tanh(cell)
        return hidden


def load_numpy_network(folder: Path, spec: ValueSpec) -> NumpyValueNetwork:
    """Load the value network of a folder, to play without torch.

    Raises:
        CheckpointError: if the weights cannot be read or do not fit.
        MissingTorchError: if the network has convolutions, which need torch.
    """
    return NumpyValueNetwork(spec, read_weights(folder, _shapes(spec)))


def _shapes(spec: ValueSpec) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array of weights by its name; MissingTorchError if the network has convolutions."""
    if spec.convolutional:
        raise MissingTorchError(f'a {spec.variant} network')
    widths, size, gates = WIDTHS[spec.inputs], spec.hidden_size, 4 * spec.lstm_size
    layers = {f'layers.{i}.{part}': shape for i in range(NUM_LAYERS) for part, shape in _layer(size, size).items()}
    state = _layer(size, widths.observation - STEPS * STEP_SIZE + spec.lstm_size)
    return {
        'lstm.weight_ih_l0': (gates, STEP_SIZE),
        'lstm.weight_hh_l0': (gates, spec.lstm_size),
        'lstm.bias_ih_l0': (gates,),
        'lstm.bias_hh_l0': (gates,),
        **{f'state.{part}': shape for part, shape in state.items()},
        'action.weight': (size, widths.action),
        **layers,
        **{f'value.{part}': shape for part, shape in _layer(1, size).items()},
    }


def _layer(outputs: int, inputs: int) -> dict[str, tuple[int, ...]]:
    return {'weight': (outputs, inputs), 'bias': (outputs,)}


def _sigmoid(x: Float32Array) -> Float32Array:
    """Return the logistic function of x, in a form that cannot overflow."""
    result: Float32Array = 0.5 * np.tanh(0.5 * x) + 0.5
    return result


@cache
def _blas() -> ThreadpoolController:
    """Return what limits the threads of numpy's products; looking for the libraries takes a millisecond."""
    return ThreadpoolController()
