"""The published network: Von York's actor after 20,000 iterations, read from your copy of its file.

Four dense layers, tanh between them, softmax over the 64 actions at the end. Actions that are not legal get probability
0, and the rest is renormalised. The file is HDF5 with Keras' names; of it only arrays of numbers are read.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from rlcard_catch5.actions import NUM_ACTIONS
from rlcard_catch5.agents.base import Catch5Agent
from rlcard_catch5.engine.batch import unpack_inputs
from rlcard_catch5.engine.observation import PUBLISHED_SIZE, Observations
from rlcard_catch5.rules import PRESETS
from rlcard_kit.agents import Decision, Positions, pick
from rlcard_kit.arrays import Float32Array, Float64Array, Int8Array
from rlcard_kit.errors import FileError, installing, text_of
from rlcard_kit.files import check_file
from rlcard_kit.nets.sparse import write_softmax
from rlcard_kit.rng import Streams

HIDDEN = (512, 256, 256)  # sizes of the layers between inputs and logits
SIZES = (PUBLISHED_SIZE, *HIDDEN, NUM_ACTIONS)
SHAPES = [shape for inputs, outputs in pairwise(SIZES) for shape in ((inputs, outputs), (outputs,))]


class ParameterFileError(FileError):
    """Raised for a file that does not hold the published network."""


class PublishedAgent(Catch5Agent):
    """Plays as the published network does, under any rules.

    Args:
        parameters: eight arrays of SHAPES, weights and biases in turn; anything else raises ParameterFileError.
        greedy: plays the likeliest action, as in the paper's evaluation; otherwise actions are drawn.
        seed: of the stream from which `step` and `eval_step` draw; None takes one from the operating system.
    """

    def __init__(self, parameters: Sequence[NDArray[Any]], greedy: bool = False, seed: int | None = None) -> None:
        super().__init__(seed)
        shapes = [np.shape(array) for array in parameters]
        if shapes != SHAPES:
            raise ParameterFileError(f'the network takes arrays of the shapes {SHAPES}, not {shapes}')
        self._layers = [np.ascontiguousarray(array, np.float32) for array in parameters]
        if not all(np.isfinite(array).all() for array in self._layers):
            raise ParameterFileError('the network has weights that are NaN or infinite')
        self._greedy = greedy
        self.trained_on = PRESETS['march']

    @classmethod
    def load(cls, path: str | Path, greedy: bool = False, seed: int | None = None) -> 'PublishedAgent':
        """Load the agent from an HDF5 file of Keras; ParameterFileError names the fault."""
        return cls(read_layers(Path(path)), greedy, seed)

    @override
    def choose(self, positions: Positions, random: Streams) -> Decision:
        return Decision(pick(self.probabilities(positions), positions.offsets, random, self._greedy))

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the action id for a state; info['probs'] holds the probability of each raw legal action."""
        positions = self.positions_of(state)
        probabilities = self.probabilities(positions)
        index = int(pick(probabilities, positions.offsets, self._stream, self._greedy)[0])
        named = dict(zip(state['raw_legal_actions'], probabilities.tolist(), strict=True))
        return list(state['legal_actions'])[index], {'probs': named}

    def probabilities(self, positions: Positions) -> Float64Array:
        """Return the probability of each legal move, float64 [M]."""
        inputs = published_inputs(positions.observations)
        out = np.empty(len(positions.moves))
        write_softmax(self.logits(inputs.astype(np.float32)), positions.moves, positions.offsets, out)
        return out

    def logits(self, inputs: Float32Array) -> Float32Array:
        """Return the logits of all actions, float32 [N, 64], for the published features, float32 [N, 504]."""
        hidden = inputs
        for layer in range(0, len(self._layers) - 2, 2):
            hidden = np.tanh(hidden @ self._layers[layer] + self._layers[layer + 1])
        return hidden @ self._layers[-2] + self._layers[-1]


def published_inputs(observations: Observations) -> Int8Array:
    """Return the published features of packed observations, [N], as zeros and ones, int8 [N, 504]."""
    out = np.empty((len(observations), PUBLISHED_SIZE), np.int8)
    unpack_inputs(observations, out)
    return out


def read_layers(path: Path) -> list[NDArray[Any]]:
    """Return the weights and biases of the layers in a file of Keras, in the order of the layers.

    Raises:
        ParameterFileError: if it cannot be read, or does not hold them.
        ImportError: if h5py is not installed.
    """
    try:
        import h5py
    except ModuleNotFoundError as error:
        raise ImportError(f'the published network needs h5py: {installing("catch5")}') from error
    try:
        check_file(path)
        with h5py.File(path, 'r') as file:
            arrays = _arrays_of(file, h5py)
            return [arrays[name] for name in _names_of(file)]
    except ParameterFileError:
        raise
    except Exception as error:  # a damaged file may raise anything
        raise ParameterFileError(f'{path} does not hold layers of Keras: {text_of(error)}') from error


def _arrays_of(file: Any, h5py: Any) -> dict[str, NDArray[Any]]:
    """Return the arrays in an HDF5 file by name; links, and data in other files, are not followed."""
    arrays: dict[str, NDArray[Any]] = {}

    def note(name: str, item: Any) -> None:
        if not isinstance(item, h5py.Dataset):
            return
        if item.shape not in SHAPES or item.dtype.kind != 'f' or item.external or item.is_virtual:
            raise ParameterFileError(f'{name} is {item.dtype} {list(item.shape)}: expected arrays of {SHAPES}')
        arrays[name] = np.asarray(item, np.float32)

    file.visititems(note)
    return arrays


def _names_of(file: Any) -> list[str]:
    """Return the names of the arrays in the order of the layers, weights before biases."""
    layers = map(_decoded, file.attrs['layer_names'])
    return [f'{layer}/{_decoded(name)}' for layer in layers for name in file[layer].attrs['weight_names']]


def _decoded(name: bytes | str) -> str:
    """Return a name, which some versions of Keras write as bytes."""
    return name.decode() if isinstance(name, bytes) else name
