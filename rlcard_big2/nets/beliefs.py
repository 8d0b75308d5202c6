"""Belief network in numpy: scores of hidden hands, given an observation."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlcard_big2.engine.observation import OBSERVATION_SIZE, STATE_SIZE, Observations
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.nets.belief_features import HANDS_SIZE, hands_inputs
from rlcard_big2.nets.checkpoint import Settings
from rlcard_big2.nets.features import WIDTHS, observation_inputs
from rlcard_big2.nets.spec import BeliefSpec
from rlcard_big2.nets.value_numpy import inputs_first, layer_shapes
from rlcard_big2.rules import Rules
from rlcard_kit.arrays import Float32Array, Float64Array, Int8Array, Int64Array
from rlcard_kit.nets.checkpoint import CheckpointError, check_shapes, read_weights
from rlcard_kit.nets.sparse import add_bias, add_rows, add_states
from rlcard_kit.process import one_thread

AGENT = 'beliefs'  # what settings call it
MOVES_SIZE = 32  # of the summary of the last 16 moves
STATE_INPUTS = STATE_SIZE + WIDTHS['afterstates'].observation - OBSERVATION_SIZE  # that are not of those moves
NUM_LAYERS = 2
CHUNK = 512  # worlds at once, so that what is between two layers stays in the cache


class BeliefNetwork:
    """Log-odds of hidden hands against uniform deals, up to a constant.

    Args:
        spec: its size.
        weights: by name, as `dmc.big2.beliefs.BeliefModule` calls them; of any precision, computed with in float32.
        rules: that it learned under.

    Raises:
        WeightsError: if weights are missing, unknown or of another shape.
    """

    def __init__(self, spec: BeliefSpec, weights: Mapping[str, NDArray[Any]], rules: Rules) -> None:
        check_shapes(weights, _shapes(spec))
        self.rules = rules
        self._rules_arrays = tabulate(rules)
        self._size = spec.hidden_size
        self._weights = inputs_first(weights, NUM_LAYERS)

    @classmethod
    def load(cls, folder: str | Path) -> 'BeliefNetwork':
        """Load a network from its folder.

        Raises:
            CheckpointError: if the folder holds no such network, or one that this version cannot read.
        """
        folder = Path(folder)
        settings = Settings.load(folder, AGENT)
        if not isinstance(settings.network, BeliefSpec):
            raise CheckpointError(f'{folder} holds a network of kind {settings.network.kind!r}: expected beliefs')
        return cls(settings.network, read_weights(folder, _shapes(settings.network)), settings.rules)

    def scores(self, observations: Observations, worlds: Int64Array) -> Float64Array:
        """Return the scores of W determinizations of each of N observations, float64 [N, W].

        Args:
            observations: packed, [N].
            worlds: int64 [N, W, 4], see `rlcard_big2.search.determinization.sample_determinizations`.
        """
        count, width = worlds.shape[:2]
        owners, hands = np.repeat(np.arange(count), width), worlds.reshape(-1, worlds.shape[2])
        scores = np.empty(len(hands))
        with one_thread():
            states = self._encode(observation_inputs(observations, 'afterstates'))
            for start in range(0, len(hands), CHUNK):
                part = slice(start, start + CHUNK)
                inputs = hands_inputs(self._rules_arrays, observations, owners[part], hands[part])
                scores[part] = self._rate(states, owners[part], inputs)
        return scores.reshape(count, width)

    def _encode(self, inputs: Int8Array) -> Float32Array:
        """Return the observations' part of the first layer, [N, hidden_size]."""
        weights = self._weights
        weight, moves = weights['state.weight'], np.zeros((len(inputs), MOVES_SIZE), np.float32)
        add_rows(inputs, STATE_SIZE, weights['moves.weight'], moves)
        add_bias(weights['moves.bias'], moves)
        states: Float32Array = moves @ weight[STATE_INPUTS:]
        states += weights['state.bias']
        add_rows(inputs, 0, weight[:STATE_SIZE], states)
        add_rows(inputs, OBSERVATION_SIZE, weight[STATE_SIZE:STATE_INPUTS], states)
        return states

    def _rate(self, states: Float32Array, owners: Int64Array, hands: Int8Array) -> Float32Array:
        weights = self._weights
        x: Float32Array = np.zeros((len(hands), self._size), np.float32)
        add_rows(hands, 0, weights['hands.weight'], x)
        add_states(states, owners, x)
        for layer in range(NUM_LAYERS):
            x = x @ weights[f'layers.{layer}.weight']
            add_bias(weights[f'layers.{layer}.bias'], x)
        scores: Float32Array = (x @ weights['score.weight'])[:, 0]
        return scores


def _shapes(spec: BeliefSpec) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array of weights by its name."""
    size = spec.hidden_size
    layers = {'moves': (MOVES_SIZE, OBSERVATION_SIZE - STATE_SIZE), 'state': (size, STATE_INPUTS + MOVES_SIZE)}
    layers |= {f'layers.{layer}': (size, size) for layer in range(NUM_LAYERS)}
    return {'hands.weight': (size, HANDS_SIZE), 'score.weight': (1, size), **layer_shapes(layers)}
