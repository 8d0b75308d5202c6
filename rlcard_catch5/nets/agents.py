"""Trained networks as agents, which play in numpy: nothing needs torch. The networks equal those of `networks`."""

from itertools import pairwise
from pathlib import Path

import numpy as np
from typing_extensions import override

from rlcard_catch5.actions import NUM_ACTIONS
from rlcard_catch5.agents.base import Catch5Agent
from rlcard_catch5.agents.published import HIDDEN, published_inputs
from rlcard_catch5.engine.observation import OBSERVATION_SIZE, PUBLISHED_SIZE
from rlcard_catch5.engine.ruleset import tabulate
from rlcard_catch5.nets.equal_moves import fold_moves
from rlcard_catch5.nets.spec import SLOPE, Settings, SuitsSpec, SuitsValueSpec, VonYorkSpec
from rlcard_catch5.nets.suits import rename_moves, sorted_inputs
from rlcard_catch5.rules import Rules
from rlcard_kit.agents import Positions
from rlcard_kit.arrays import Float32Array, Float64Array, Int64Array
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.agents import PolicyAgent, ValueAgent
from rlcard_kit.nets.checkpoint import read_weights
from rlcard_kit.nets.sparse import NumpyPolicy
from rlcard_kit.nets.spec import PolicySpec

Layer = tuple[Float32Array, Float32Array]  # weights [inputs, outputs] and biases


class Layers:
    """Linear layers by name, with the weights of a folder.

    Args:
        folder: whose weights are loaded.
        sizes: inputs and outputs of each layer, by name.

    Raises:
        CheckpointError: if the weights cannot be read or do not fit.
    """

    def __init__(self, folder: Path, sizes: dict[str, tuple[int, int]]) -> None:
        shapes: dict[str, tuple[int, ...]] = {f'{name}.weight': (outs, ins) for name, (ins, outs) in sizes.items()}
        shapes |= {f'{name}.bias': (outs,) for name, (_, outs) in sizes.items()}
        weights = {name: np.asarray(array, np.float32) for name, array in read_weights(folder, shapes).items()}
        self._layers: dict[str, Layer] = {
            name: (np.ascontiguousarray(weights[f'{name}.weight'].T), weights[f'{name}.bias']) for name in sizes
        }

    def apply(self, name: str, x: Float32Array) -> Float32Array:
        """Return the outputs of a layer, float32 [N, outputs]."""
        weights, biases = self._layers[name]
        return x @ weights + biases


class ResidualLayers(Layers):
    """The layers of the networks to which suits are alike.

    Args:
        folder: whose weights are loaded.
        spec: their sizes.
        outputs: of the last layers, by name.
    """

    def __init__(self, folder: Path, spec: SuitsSpec | SuitsValueSpec, outputs: dict[str, int]) -> None:
        size = spec.hidden_size
        self._hidden = [f'layers.{i}' for i in range(spec.num_layers)]
        last = {name: (size, count) for name, count in outputs.items()}
        super().__init__(folder, {'state': (OBSERVATION_SIZE, size)} | dict.fromkeys(self._hidden, (size, size)) | last)

    def embed(self, positions: Positions) -> tuple[Float32Array, Int64Array]:
        """Return the input of the last layers, float32 [N, hidden_size], and the moves in sorted suits, [M]."""
        inputs, new_suits = sorted_inputs(positions.observations)
        x = np.maximum(self.apply('state', inputs.astype(np.float32)), 0)
        for name in self._hidden:
            x = np.maximum(x + self.apply(name, x), 0)
        return x, rename_moves(positions.moves, positions.owners, new_suits)


class NumpySuits(NumpyPolicy):
    """Plays as `rlcard_catch5.nets.networks.SuitsNetwork` does; see `NumpyPolicy`."""

    def __init__(self, folder: Path, spec: SuitsSpec) -> None:
        super().__init__(spec.payoff_unit)
        self._layers = ResidualLayers(folder, spec, {'logits': NUM_ACTIONS, 'value': 1})

    def _evaluate(self, positions: Positions) -> tuple[Float32Array, Int64Array, Float32Array]:
        x, moves = self._layers.embed(positions)
        return self._layers.apply('logits', x), moves, self._layers.apply('value', x)


class NumpySuitsValues:
    """Equals `rlcard_catch5.nets.networks.SuitsValueNetwork`, as a `rlcard_kit.agents.ValueFunction`.

    Args:
        folder: whose weights are loaded.
        spec: the network's sizes.

    Raises:
        CheckpointError: if the weights cannot be read or do not fit.
    """

    def __init__(self, folder: Path, spec: SuitsValueSpec) -> None:
        self._layers = ResidualLayers(folder, spec, {'actions': NUM_ACTIONS})

    def values(self, positions: Positions) -> Float32Array:
        """Return the value of every legal move of N games in points, float32 [M]."""
        x, moves = self._layers.embed(positions)
        values: Float32Array = self._layers.apply('actions', x)[positions.owners, moves]
        return values


class NumpyVonYork(NumpyPolicy):
    """Plays as `rlcard_catch5.nets.networks.VonYorkNetwork` does; see `NumpyPolicy`."""

    def __init__(self, folder: Path, spec: VonYorkSpec) -> None:
        named = (('actor', NUM_ACTIONS), ('critic', 1))
        pairs = {part: list(pairwise((PUBLISHED_SIZE, *HIDDEN, size))) for part, size in named}
        self._is_leaky = spec.activation == 'leaky'
        sizes = {f'{part}.{i}': pair for part, layers in pairs.items() for i, pair in enumerate(layers)}
        super().__init__(spec.payoff_unit)
        self._layers = Layers(folder, sizes)

    def _evaluate(self, positions: Positions) -> tuple[Float32Array, Int64Array, Float32Array]:
        observations, moves, _ = positions
        inputs = published_inputs(observations).astype(np.float32)
        logits, values = (self._pass(part, inputs) for part in ('actor', 'critic'))
        return logits, moves, np.tanh(values)

    def _pass(self, part: str, x: Float32Array) -> Float32Array:
        for i in range(len(HIDDEN)):
            x = self._layers.apply(f'{part}.{i}', x)
            x = np.maximum(x, SLOPE * x) if self._is_leaky else np.tanh(x)
        return self._layers.apply(f'{part}.{len(HIDDEN)}', x)


class PPOAgent(PolicyAgent, Catch5Agent):
    """Plays by a policy network; info['value'] of `eval_step` is in points. See `PolicyAgent`.

    Moves that count as one: see `rlcard_catch5.nets.equal_moves`.
    """

    settings_type, package = Settings, __package__

    @staticmethod
    @override
    def load_network(folder: Path, spec: PolicySpec) -> NumpyPolicy:
        match spec:
            case SuitsSpec():
                return NumpySuits(folder, spec)
            case VonYorkSpec():
                return NumpyVonYork(folder, spec)
        raise ConfigError(f'{spec!r} is not the spec of a policy')

    @override
    def prepare(self, rules: Rules) -> None:
        super().prepare(rules)
        self._rule_table = tabulate(rules)

    @override
    def fold(self, positions: Positions, probabilities: Float64Array) -> tuple[Float64Array, Int64Array]:
        folded, chosen = probabilities.copy(), np.empty(len(probabilities), np.int64)
        fold_moves(self._rule_table, *positions, folded, chosen)
        return folded, chosen


class DMCAgent(ValueAgent, Catch5Agent):
    """Plays the action of the highest value; values are in points. See `ValueAgent`."""

    settings_type, spec_type, package = Settings, SuitsValueSpec, __package__

    @staticmethod
    @override
    def load_network(folder: Path, spec: SuitsValueSpec, numpy: bool) -> NumpySuitsValues:
        return NumpySuitsValues(folder, spec)
