"""Trained networks in numpy: all that it takes to play by them. They compute what those of `networks` do in torch."""

from abc import ABC, abstractmethod
from itertools import pairwise
from pathlib import Path

import numpy as np

from rlcard_big2.errors import ConfigError
from rlcard_big2.lockstep.arrays import Float32Array, Float64Array, Int64Array
from rlcard_big2.lockstep.positions import Positions
from rlcard_big2.neural.saved import read_weights
from rlcard_big2.neural.spec import NetworkSpec
from rlcard_catch5.actions import NUM_ACTIONS
from rlcard_catch5.engine.batch import unpack_inputs
from rlcard_catch5.engine.observation import OBSERVATION_SIZE, PUBLISHED_SIZE
from rlcard_catch5.nets.softmax import write_softmax
from rlcard_catch5.nets.spec import HIDDEN, SLOPE, SuitsSpec, VonYorkSpec
from rlcard_catch5.nets.suits import rename_moves, write_sorted

Layer = tuple[Float32Array, Float32Array]  # weights [inputs, outputs] and biases


class NumpyPolicy(ABC):
    """A policy with a value, as `rlcard_big2.neural.agent.Policy`.

    Args:
        folder: whose weights are loaded.
        sizes: of its layers, inputs and outputs, by name.
        unit: points in one unit of its values.

    Raises:
        CheckpointError: if the weights cannot be read or do not fit.
    """

    def __init__(self, folder: Path, sizes: dict[str, tuple[int, int]], unit: float) -> None:
        shapes: dict[str, tuple[int, ...]] = {f'{name}.weight': (outs, ins) for name, (ins, outs) in sizes.items()}
        shapes |= {f'{name}.bias': (outs,) for name, (_, outs) in sizes.items()}
        weights = {name: np.asarray(array, np.float32) for name, array in read_weights(folder, shapes).items()}
        self._layers: dict[str, Layer] = {
            name: (np.ascontiguousarray(weights[f'{name}.weight'].T), weights[f'{name}.bias']) for name in sizes
        }
        self._unit = unit

    def probabilities(self, positions: Positions) -> tuple[Float64Array, Float64Array]:
        """Return the probability of each legal move, [M], and the value of each game in points, [N], both float64."""
        logits, moves, values = self._evaluate(positions)
        out = np.empty(len(moves))
        write_softmax(logits, moves, positions.offsets, out)
        return out, values[:, 0].astype(np.float64) * self._unit

    @abstractmethod
    def _evaluate(self, positions: Positions) -> tuple[Float32Array, Int64Array, Float32Array]:
        """Return the logits of all actions, [N, 64], the moves as the network knows them, and values, [N, 1]."""

    def _apply(self, name: str, x: Float32Array) -> Float32Array:
        weights, biases = self._layers[name]
        return x @ weights + biases


class NumpySuits(NumpyPolicy):
    """Plays as `rlcard_catch5.nets.networks.SuitsNetwork` does; see `NumpyPolicy`."""

    def __init__(self, folder: Path, spec: SuitsSpec) -> None:
        size = spec.hidden_size
        self._hidden = [f'layers.{i}' for i in range(spec.num_layers)]
        sizes = {'state': (OBSERVATION_SIZE, size), 'logits': (size, NUM_ACTIONS), 'value': (size, 1)}
        super().__init__(folder, sizes | dict.fromkeys(self._hidden, (size, size)), spec.payoff_unit)

    def _evaluate(self, positions: Positions) -> tuple[Float32Array, Int64Array, Float32Array]:
        observations, moves, _ = positions
        count = len(observations)
        inputs, places = np.empty((count, OBSERVATION_SIZE), np.int8), np.empty((count, 4), np.int8)
        write_sorted(observations, inputs, places)
        x = np.maximum(self._apply('state', inputs.astype(np.float32)), 0)
        for name in self._hidden:
            x = np.maximum(x + self._apply(name, x), 0)
        return self._apply('logits', x), rename_moves(moves, positions.owners, places), self._apply('value', x)


class NumpyVonYork(NumpyPolicy):
    """Plays as `rlcard_catch5.nets.networks.VonYorkNetwork` does; see `NumpyPolicy`."""

    def __init__(self, folder: Path, spec: VonYorkSpec) -> None:
        named = (('actor', NUM_ACTIONS), ('critic', 1))
        pairs = {part: list(pairwise((PUBLISHED_SIZE, *HIDDEN, size))) for part, size in named}
        self._is_leaky = spec.activation == 'leaky'
        sizes = {f'{part}.{i}': pair for part, own in pairs.items() for i, pair in enumerate(own)}
        super().__init__(folder, sizes, spec.payoff_unit)

    def _evaluate(self, positions: Positions) -> tuple[Float32Array, Int64Array, Float32Array]:
        observations, moves, _ = positions
        inputs = np.empty((len(observations), PUBLISHED_SIZE), np.int8)
        unpack_inputs(observations, inputs)
        logits, values = (self._pass(part, inputs.astype(np.float32)) for part in ('actor', 'critic'))
        return logits, moves, np.tanh(values)

    def _pass(self, part: str, x: Float32Array) -> Float32Array:
        for i in range(len(HIDDEN)):
            x = self._apply(f'{part}.{i}', x)
            x = np.maximum(x, SLOPE * x) if self._is_leaky else np.tanh(x)
        return self._apply(f'{part}.{len(HIDDEN)}', x)


def load_player(folder: Path, spec: NetworkSpec) -> NumpyPolicy:
    """Return the policy that a spec describes, with the weights in a folder.

    Raises:
        CheckpointError: if the weights cannot be read or do not fit.
        ConfigError: if there is no such policy.
    """
    match spec:
        case SuitsSpec():
            return NumpySuits(folder, spec)
        case VonYorkSpec():
            return NumpyVonYork(folder, spec)
    raise ConfigError(f'{spec!r} is not the spec of a policy')
