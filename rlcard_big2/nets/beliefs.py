"""Belief network in numpy: scores of hidden hands, given an observation."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlcard_big2.engine.observation import OBSERVATION_SIZE, STATE_SIZE, Observations
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.nets.belief_features import HANDS_SIZE, hands_inputs
from rlcard_big2.nets.features import WIDTHS, observation_inputs
from rlcard_big2.nets.spec import BeliefSpec, Settings
from rlcard_big2.nets.value_numpy import CHUNK, SplitNetwork, layer_shapes
from rlcard_big2.rules import Rules
from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.nets.checkpoint import CheckpointError, read_weights
from rlcard_kit.process import one_thread

AGENT = 'beliefs'  # what settings call it
MOVES_SIZE = 32  # of the summary of the last 16 moves
STATE_INPUTS = STATE_SIZE + WIDTHS['afterstates'].observation - OBSERVATION_SIZE  # that are not of those moves
NUM_LAYERS = 2


class BeliefNetwork(SplitNetwork):
    """Log-odds of hidden hands against uniform deals, up to a constant.

    Args:
        spec: its size.
        weights: by name, as `dmc.big2.beliefs.BeliefModule` calls them; see `SplitNetwork`.
        rules: that it learned under.
    """

    def __init__(self, spec: BeliefSpec, weights: Mapping[str, NDArray[Any]], rules: Rules) -> None:
        super().__init__(weights, _shapes(spec), 'hands', NUM_LAYERS)
        self.rules = rules
        self._rules_arrays = tabulate(rules)

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
            worlds: int64 [N, W, 4], see `rlcard_big2.search.beliefs.sample_determinizations`.
        """
        count, width = worlds.shape[:2]
        owners, hands = np.repeat(np.arange(count), width), worlds.reshape(-1, worlds.shape[2])
        scores = np.empty(len(hands))
        with one_thread():
            inputs = observation_inputs(observations, 'afterstates')
            states = self._encode(inputs, self._summarise_by('moves', inputs))
            for start in range(0, len(hands), CHUNK):
                part = slice(start, start + CHUNK)
                held = hands_inputs(self._rules_arrays, observations, owners[part], hands[part])
                scores[part] = (self._join(held, owners[part], states) @ self._weights['score.weight'])[:, 0]
        return scores.reshape(count, width)


def _shapes(spec: BeliefSpec) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array of weights by its name."""
    size = spec.hidden_size
    layers = {'moves': (MOVES_SIZE, OBSERVATION_SIZE - STATE_SIZE), 'state': (size, STATE_INPUTS + MOVES_SIZE)}
    layers |= {f'layers.{layer}': (size, size) for layer in range(NUM_LAYERS)}
    return {'hands.weight': (size, HANDS_SIZE), 'score.weight': (1, size), **layer_shapes(layers)}
