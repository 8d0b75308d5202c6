"""Networks in numpy: policies, and kernels: products with zeros and ones as sums of rows, activations, LSTM steps."""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.agents import Positions
from rlcard_kit.arrays import Float32Array, Float64Array, Int8Array, Int64Array
from rlcard_kit.jit import kernel

UInt16Array = NDArray[np.uint16]

LARGEST = np.float32(7.9)
A0, A1, A2, A3, A4, A5, A6 = np.array(
    (1, 1.3128132586e-1, 3.1536487565e-3, 1.1689531841e-5, -2.2525509000e-8, 6.4828367692e-11, -1.1924444850e-13),
    np.float32,
)
B0, B1, B2, B3 = np.array((1, 4.6461464325e-1, 2.4691890845e-2, 2.6193323331e-4), np.float32)


@kernel
def add_rows(inputs: Int8Array, first: int, weights: Float32Array, out: Float32Array) -> None:
    """Add `inputs[:, first : first + K] @ weights` to `out`: a few dozen of a network's 1400 inputs are ones.

    Args:
        inputs: zeros and ones, int8 [N, K or more].
        first: of the columns that count.
        weights: float32 [K, M].
        out: float32 [N, M].
    """
    ones = np.empty(len(weights) + 1, np.int64)
    for i in range(len(inputs)):
        count, row = np.uint64(0), inputs[i, first : first + len(weights)]
        for k in range(len(weights)):
            ones[count] = k  # an index without a sign takes two thirds of the time: none is below 0
            count += np.uint64(row[k])
        _add_chosen(ones[:count], weights, out[i])


@kernel
def _add_chosen(chosen: Int64Array, weights: Float32Array, out: Float32Array) -> None:
    """Add the chosen rows of weights, four at a time, since `out` is written once for all of them."""
    rest = len(chosen) % 4
    for i in range(rest):
        row = weights[chosen[i]]
        for j in range(out.size):
            out[j] += row[j]
    for i in range(rest, len(chosen), 4):
        a, b, c, d = weights[chosen[i]], weights[chosen[i + 1]], weights[chosen[i + 2]], weights[chosen[i + 3]]
        for j in range(out.size):
            out[j] += (a[j] + b[j]) + (c[j] + d[j])


@kernel
def add_bias(bias: Float32Array, out: Float32Array) -> None:
    """Replace each x of `out`, float32 [N, M], by max(x + bias, 0), given a bias for each column, float32 [M]."""
    for i in range(len(out)):
        for j in range(out.shape[1]):
            out[i, j] = max(out[i, j] + bias[j], np.float32(0))


@kernel
def add_states(states: Float32Array, owners: Int64Array, out: Float32Array) -> None:
    """Replace each row x of `out`, float32 [M, K], by max(x + states[owner], 0), given states, float32 [N, K]."""
    for i in range(len(out)):
        state = states[owners[i]]
        for j in range(out.shape[1]):
            out[i, j] = max(out[i, j] + state[j], np.float32(0))


@kernel
def add_states_bfloat16(states: UInt16Array, owners: Int64Array, out: UInt16Array) -> None:
    """Do as `add_states`, with numbers of bfloat16, which are the upper halves of those of float32."""
    sums, others = np.empty((2, out.shape[1]), np.float32)
    sum_bits, other_bits = sums.view(np.uint32), others.view(np.uint32)
    shift, half, one = np.uint32(16), np.uint32(0x7FFF), np.uint32(1)
    for i in range(len(out)):
        state, row = states[owners[i]], out[i]
        for j in range(row.size):
            sum_bits[j], other_bits[j] = np.uint32(state[j]) << shift, np.uint32(row[j]) << shift
        for j in range(row.size):
            sums[j] = max(sums[j] + others[j], np.float32(0))
        for j in range(row.size):
            row[j] = (sum_bits[j] + half + ((sum_bits[j] >> shift) & one)) >> shift  # to the nearest, halves to even


def gate_scale(size: int) -> Float32Array:
    """Return the factors of an LSTM's gates before their tanh, float32 [4 * size]; see `lstm_step`.

    The content stays as it is, and the logistic function of x is 1/2 + tanh(x / 2) / 2.
    """
    scale = np.full(4 * size, 0.5, np.float32)
    scale[2 * size : 3 * size] = 1
    return scale


@kernel
def lstm_step(
    gates: Float32Array, before: Float32Array, cell: Float32Array, shown: Float32Array, out: Float32Array
) -> None:
    """Make one step of an LSTM.

    Args:
        gates: of input and forgetting, new content, of output, before their functions and scaled, see `gate_scale`;
            float32 [N, 4 * K]. Each is replaced by its tanh.
        before: the cell before the step, float32 [N, K].
        cell: receives the cell; it may be `before`.
        shown: receives tanh of the cell.
        out: receives the output; it may be `shown`.
    """
    half, size = np.float32(0.5), cell.shape[1]
    for i in range(len(gates)):
        gate = gates[i]
        apply_tanh(gate)
        for j in range(size):
            enter, keep = half + half * gate[j], half + half * gate[size + j]
            cell[i, j] = keep * before[i, j] + enter * gate[2 * size + j]
            shown[i, j] = cell[i, j]
        apply_tanh(shown[i])
        for j in range(size):
            out[i, j] = shown[i, j] * (half + half * gate[3 * size + j])


@kernel
def apply_tanh(x: Float32Array) -> None:
    """Replace each number of `x`, float32 [K], by its tanh, within 4e-7: a vector at a time, as few libraries do.

    The fraction was fitted by least squares, of relative errors, up to LARGEST; beyond, tanh is 1 but for rounding.
    """
    for j in range(x.size):
        z = x[j]
        z = LARGEST if z > LARGEST else (-LARGEST if z < -LARGEST else z)  # NaN stays
        s = z * z
        above = z * (A0 + s * (A1 + s * (A2 + s * (A3 + s * (A4 + s * (A5 + s * A6))))))
        x[j] = np.true_divide(above, B0 + s * (B1 + s * (B2 + s * B3)))  # `/` would look for zeros


class NumpyPolicy(ABC):
    """A policy with a value, as `rlcard_kit.nets.agents.Policy`.

    Args:
        unit: payoff in one unit of its values.
    """

    def __init__(self, unit: float) -> None:
        self._unit = unit

    def probabilities(self, positions: Positions) -> tuple[Float64Array, Float64Array]:
        """Return the probability of each legal move, [M], and the value of each game in payoff, [N], both float64."""
        logits, moves, values = self._evaluate(positions)
        out = np.empty(len(moves))
        write_softmax(logits, moves, positions.offsets, out)
        return out, values[:, 0].astype(np.float64) * self._unit

    @abstractmethod
    def _evaluate(self, positions: Positions) -> tuple[Float32Array, Int64Array, Float32Array]:
        """Return the logits of all A actions, [N, A], the moves as the network knows them, and values, [N, 1]."""


@kernel
def write_softmax(logits: Float32Array, moves: Int64Array, offsets: Int64Array, out: Float64Array) -> None:
    """Write the softmax over the legal actions of each game into `out`, float64 [M].

    Args:
        logits: float32 [N, A], of all A actions.
        moves: action ids, int64 [M].
        offsets: int64 [N + 1], see `Positions`.
        out: receives the probabilities.
    """
    for i in range(len(offsets) - 1):
        best = -np.inf
        for index in range(offsets[i], offsets[i + 1]):
            best = max(best, np.float64(logits[i, moves[index]]))
        total = 0.0
        for index in range(offsets[i], offsets[i + 1]):
            out[index] = np.exp(np.float64(logits[i, moves[index]]) - best)
            total += out[index]
        for index in range(offsets[i], offsets[i + 1]):
            out[index] /= total
