"""Layers on sparse inputs in torch, with gradients: learning is 1.9 times as fast as by dense products.

Measured in float32 on one core with AVX2 (docs/training.md). A few dozen of a network's 1,400 inputs are ones, whose
rows of weights are summed. Inputs are int8, on the CPU, and have no gradient; weights and results are float32.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rlcard_kit.arrays import Float32Array, Int8Array, Int64Array
from rlcard_kit.jit import kernel
from rlcard_kit.nets.sparse import add_rows, gate_scale, lstm_step


def sum_rows(inputs: Tensor, first: int, weight: Tensor) -> Tensor:
    """Return `inputs[:, first : first + K] @ weight.T`, float32 [N, M].

    Args:
        inputs: zeros and ones, int8 [N, K or more].
        first: of the columns that count.
        weight: float32 [M, K].
    """
    out: Tensor = _Sum.apply(inputs, first, weight)  # type: ignore[no-untyped-call]
    return out


def run_lstm(inputs: Tensor, first: int, lstm: torch.nn.LSTM, steps: int) -> Tensor:
    """Return the last output of an LSTM of one layer, float32 [N, H].

    Args:
        inputs: zeros and ones, int8 [N, steps * K or more]; K columns for each step, in order.
        first: of the columns that count.
        lstm: whose weights are float32.
        steps: how many.
    """
    names = ('weight_ih_l0', 'weight_hh_l0', 'bias_ih_l0', 'bias_hh_l0')
    enter, again, bias, other = (lstm.get_parameter(name) for name in names)
    out: Tensor = _Lstm.apply(inputs, first, steps, enter, again, bias + other)  # type: ignore[no-untyped-call]
    return out


class _Sum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, inputs: Tensor, first: int, weight: Tensor) -> Tensor:
        ctx.save_for_backward(inputs)
        ctx.first, ctx.size = first, weight.shape[1]
        out = weight.new_zeros(len(inputs), len(weight))
        add_rows(inputs.numpy(), first, _transposed(weight), out.numpy())
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[None, None, Tensor]:
        (inputs,) = ctx.saved_tensors
        out = gradient.new_zeros(ctx.size, gradient.shape[1])
        _scatter_rows(inputs.numpy(), ctx.first, gradient.contiguous().numpy(), out.numpy())
        return None, None, out.t()


class _Lstm(torch.autograd.Function):
    """Gates are in torch's order: of input and forgetting, new content, of output.

    A game's first moves leave a state's first steps blank: about a quarter of all. These are computed once, in row 0.
    Rows are sorted by their first step, at which they take over from row 0, so that the rows of a step are the first.
    """

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, first: int, steps: int, enter: Tensor, again: Tensor, bias: Tensor) -> Tensor:
        count, width, size = 1 + len(inputs), len(enter), again.shape[1]
        scale = torch.from_numpy(gate_scale(size))
        rows, recurrent = _transposed(enter * scale[:, None]), (again * scale[:, None]).t()
        starts = _first_steps(inputs.numpy(), first, steps, len(rows))
        order = torch.from_numpy(np.argsort(starts, kind='stable'))
        counts = [1, *(1 + np.cumsum(np.bincount(starts, minlength=steps))).tolist()]  # of rows by step
        inputs = torch.cat((torch.zeros_like(inputs[:1]), inputs[order]))
        gates, initial = bias.new_empty(steps, count, width), bias * scale
        cells, shown, hidden = (bias.new_zeros(steps + 1, count, size) for _ in range(3))
        for step, (before, now) in enumerate(pairwise(counts)):
            for state in (cells, hidden):
                state[step, before:now] = state[step, 0]
            torch.addmm(initial, hidden[step, :now], recurrent, out=gates[step, :now])
            add_rows(inputs[:now].numpy(), first + step * len(rows), rows, gates[step].numpy())
            arrays = gates[step], cells[step], cells[step + 1], shown[step + 1], hidden[step + 1]
            lstm_step(*(array[:now].numpy() for array in arrays))
        ctx.save_for_backward(inputs, again, gates, cells, shown, hidden, order)
        ctx.first, ctx.size, ctx.counts = first, enter.shape[1], counts
        out = bias.new_empty(len(order), size)
        out[order] = hidden[steps, 1:]
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[None, None, None, Tensor, Tensor, Tensor]:
        inputs, again, gates, cells, shown, hidden, order = ctx.saved_tensors
        towards_hidden = torch.cat((torch.zeros_like(gradient[:1]), gradient[order]))
        towards_cell, towards_rows = torch.zeros_like(towards_hidden), gates.new_zeros(ctx.size, gates.shape[2])
        towards_again, towards_bias = torch.zeros_like(again), again.new_zeros(len(again))
        towards = torch.empty_like(gates[0])
        for step, (before, now) in reversed(list(enumerate(pairwise(ctx.counts)))):
            arrays = (gates[step], cells[step], shown[step + 1], towards_hidden, towards_cell, towards)
            _step_back(*(array[:now].numpy() for array in arrays))
            _scatter_rows(inputs[:now].numpy(), ctx.first + step * ctx.size, towards.numpy(), towards_rows.numpy())
            torch.mm(towards[:now], again, out=towards_hidden[:now])
            towards_again.addmm_(towards[:now].t(), hidden[step, :now])
            towards_bias += towards[:now].sum(dim=0)
            for state in (towards_hidden, towards_cell):
                state[0] += state[before:now].sum(dim=0)
        return None, None, None, towards_rows.t(), towards_again, towards_bias


@kernel
def _first_steps(inputs: Int8Array, first: int, steps: int, size: int) -> Int64Array:
    """Return the first step of each row whose `size` inputs are not all 0, at most the last one; int64 [N]."""
    starts = np.full(len(inputs), steps - 1)
    for i in range(len(inputs)):
        for k in range(steps * size):
            if inputs[i, first + k] != 0:
                starts[i] = min(k // size, steps - 1)
                break
    return starts


def _transposed(weight: Tensor) -> Float32Array:
    return np.ascontiguousarray(weight.detach().numpy().T)


@kernel
def _scatter_rows(inputs: Int8Array, first: int, gradients: Float32Array, out: Float32Array) -> None:
    """Add each row of gradients, float32 [N, M], to the rows of `out`, float32 [K, M], whose inputs are ones."""
    for i in range(len(inputs)):
        gradient = gradients[i]
        for k in range(len(out)):
            if inputs[i, first + k] != 0:
                row = out[k]
                for j in range(gradient.size):
                    row[j] += gradient[j]


@kernel
def _step_back(
    gates: Float32Array,
    cell: Float32Array,
    shown: Float32Array,
    gradient: Float32Array,
    towards_cell: Float32Array,
    out: Float32Array,
) -> None:
    """Write the gradient of the gates of one step, before their functions, into `out`, float32 [N, 4 * H].

    Args:
        gates: see `lstm_step`, float32 [N, 4 * H].
        cell: before the step, float32 [N, H].
        shown: tanh of the cell after it, float32 [N, H].
        gradient: of the output, float32 [N, H].
        towards_cell: the gradient of the cell from later steps, float32 [N, H]; receives that of the cell before.
        out: receives the gradient.
    """
    half, unit, size = np.float32(0.5), np.float32(1), cell.shape[1]
    for i in range(len(cell)):
        for j in range(size):
            enter, keep = half + half * gates[i, j], half + half * gates[i, size + j]
            content, leave = gates[i, 2 * size + j], half + half * gates[i, 3 * size + j]
            to_cell = towards_cell[i, j] + gradient[i, j] * leave * (unit - shown[i, j] * shown[i, j])
            out[i, j] = to_cell * content * enter * (unit - enter)
            out[i, size + j] = to_cell * cell[i, j] * keep * (unit - keep)
            out[i, 2 * size + j] = to_cell * enter * (unit - content * content)
            out[i, 3 * size + j] = gradient[i, j] * shown[i, j] * leave * (unit - leave)
            towards_cell[i, j] = to_cell * keep
