"""The published PPO agent: the network of Charlesworth (2018), read from a parameter file of its format."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from typing_extensions import override

from rlcard_big2.agents._joblib import FloatArray, ParameterFileError, load_arrays
from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.engine.charlesworth import NUM_INDICES, OBSERVATION_SIZE, index_known, write_inputs
from rlcard_big2.engine.observation import Observations
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.rules import Rules
from rlcard_kit.agents import Decision, Positions, pick
from rlcard_kit.arrays import Float32Array, Float64Array, Int8Array, Int64Array
from rlcard_kit.jit import kernel
from rlcard_kit.nets.sparse import add_bias, add_rows
from rlcard_kit.process import one_thread
from rlcard_kit.rng import Streams

# The weights of each layer and its biases, in the order of the file.
LAYERS = ((OBSERVATION_SIZE, 512), (512, 256), (256, NUM_INDICES), (512, 256), (256, 1))
SHAPES = [shape for inputs, outputs in LAYERS for shape in ((inputs, outputs), (outputs,))]
PAYOFF_UNIT = 5  # payoffs were divided by it in training

PAPER_TABLE = tabulate(Rules())


class PublishedAgent(BatchAgent):
    """Plays as the published PPO network does, under any rules.

    Hands that the paper's rules do not know, such as four of a kind with a kicker, are not played unless
    nothing else is legal.

    Args:
        parameters: ten arrays of SHAPES; anything else raises ParameterFileError.
        greedy: plays the likeliest action; otherwise actions are drawn by their probabilities, as in the paper.
        seed: of the stream from which `step` and `eval_step` draw; None takes one from the operating system.
    """

    plays_any_size = False

    def __init__(self, parameters: Sequence[FloatArray], greedy: bool = False, seed: int | None = None) -> None:
        super().__init__(seed)
        shapes = [array.shape for array in parameters]
        if shapes != SHAPES:
            raise ParameterFileError(f'the network takes arrays of the shapes {SHAPES}, not {shapes}')
        self._parameters = [np.ascontiguousarray(array, np.float32) for array in parameters]
        self._actions = np.ascontiguousarray(self._parameters[4].T)  # by index
        self.greedy = greedy
        self.trained_on = Rules()

    @classmethod
    def load(cls, path: str | Path, greedy: bool = False, seed: int | None = None) -> 'PublishedAgent':
        """Load the agent from a file that joblib dumped; ParameterFileError names the fault."""
        return cls(load_arrays(path), greedy, seed)

    @override
    def choose(self, positions: Positions, random: Streams) -> Decision:
        return Decision(pick(self.probabilities(positions), positions.offsets, random, self.greedy))

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the action id for a state, with the network's opinion.

        info['probs'] holds the probability of each raw legal action, 0 for those that the network does not
        know; info['value'] is the payoff that it expects, in units of one card.
        """
        positions = self.positions_of(state)
        probabilities = self.probabilities(positions)
        index = int(pick(probabilities, positions.offsets, self._stream, self.greedy)[0])
        named = dict(zip(state['raw_legal_actions'], probabilities.tolist(), strict=True))
        value = float(self.values(positions.observations)[0])
        return list(state['legal_actions'])[index], {'probs': named, 'value': value}

    def probabilities(self, positions: Positions) -> Float64Array:
        """Return the probability of each legal move, float64 [M]."""
        observations, moves, offsets = positions
        out = np.ones(len(moves))
        several = np.flatnonzero(positions.counts > 1)
        if several.size:
            indices = published_slots(positions)
            hidden = self._hidden(observations.take(several), *self._parameters[2:4])
            write_probabilities(hidden, self._actions, self._parameters[5], several, indices, offsets, out)
        return out

    def values(self, observations: Observations) -> Float32Array:
        """Return the payoffs that the network expects, float32 [N], in units of one card."""
        w1, b1, w2, b2 = self._parameters[6:]
        return PAYOFF_UNIT * (self._hidden(observations, w1, b1) @ w2 + b2)[:, 0]

    def _hidden(self, observations: Observations, weights: Float32Array, biases: Float32Array) -> Float32Array:
        """Return the layer of these weights, the policy's own or the value's, float32 [N, 256], after that of both."""
        inputs = published_inputs(observations)
        shared = np.zeros((len(inputs), len(self._parameters[1])), np.float32)
        add_rows(inputs, 0, self._parameters[0], shared)
        add_bias(self._parameters[1], shared)
        with one_thread():
            hidden: Float32Array = shared @ weights
        add_bias(biases, hidden)
        return hidden


def published_inputs(observations: Observations) -> Int8Array:
    """Return the published inputs of packed observations, [N], as zeros and ones, int8 [N, 412]."""
    out = np.empty((len(observations), OBSERVATION_SIZE), np.int8)
    write_inputs(observations, out)
    return out


def published_slots(positions: Positions) -> Int64Array:
    """Return the index of each legal move among the published 1695, int64 [M]; -1 if it is not among them."""
    out = np.empty(len(positions.moves), np.int64)
    index_known(PAPER_TABLE, *positions, out)
    return out


@kernel
def write_probabilities(
    hidden: Float32Array,
    weights: Float32Array,
    biases: Float32Array,
    games: Int64Array,
    indices: Int64Array,
    offsets: Int64Array,
    out: Float64Array,
) -> None:
    """Write the probabilities of the legal moves of some games into `out`, float64 [M]: few of the 1695 are legal.

    Args:
        hidden: the last layer of the games at indices `games`, float32 [K, 256].
        weights: float32 [1695, 256].
        biases: float32 [1695].
        games: those indices.
        indices: int64 [M], of the legal moves of all games; -1 for a move to avoid.
        offsets: int64 [N + 1], where each game's moves begin.
        out: receives 0 for moves to avoid, or equal probabilities if a game has no others.
    """
    for j in range(games.size):
        row, start = hidden[j], offsets[games[j]]
        probabilities = out[start : offsets[games[j] + 1]]
        for i in range(probabilities.size):
            index, logit = indices[start + i], np.float32(-np.inf)
            if index >= 0:
                logit, column = biases[index], weights[index]
                for k in range(row.size):
                    logit += row[k] * column[k]
            probabilities[i] = logit
        best, total = probabilities.max(), 0.0
        for i in range(probabilities.size):
            probabilities[i] = math.exp(probabilities[i] - best) if best > -np.inf else 1.0
            total += probabilities[i]
        probabilities /= total
