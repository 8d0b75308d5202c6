"""Hidden layers, and layers for inference on the CPU, whose weights are packed once.

torch packs the weights of a layer again at every call, and computes rectifiers and sums apart from products. Packed
layers use the operators of oneDNN that torch's compiler calls. They are no part of torch's documented interface:
`can_pack` tells whether this torch has them, on this machine.
"""

from collections.abc import Iterable
from copy import copy
from typing import Any, TypeVar, cast

import torch
from torch import Tensor, nn
from typing_extensions import override

from rlcard_kit.nets.sparse import add_states, add_states_bfloat16
from rlcard_kit.nets.value import Network

LSTM = 2  # among the kinds of recurrent layers

N = TypeVar('N', bound=Network)


class HiddenLayers(nn.ModuleList):
    """Linear layers of one width, with a rectifier after each.

    Args:
        size: the width.
        count: of the layers.
        residual: whether each adds its output to its input.
    """

    def __init__(self, size: int, count: int, residual: bool = True) -> None:
        super().__init__(nn.Linear(size, size) for _ in range(count))
        self.residual = residual

    @override
    def forward(self, x: Tensor) -> Tensor:
        for layer in self:
            x = torch.relu(x + layer(x) if self.residual else layer(x))
        return x


class PackedLinear(nn.Module):
    """A linear layer.

    Args:
        layer: whose weights are taken.
        dtype: precision.
        activation: after it, 'none' or 'relu'.
        residual: whether it adds its output to its input: in one product, since the identity joins the weights.
    """

    def __init__(self, layer: nn.Linear, dtype: torch.dtype, activation: str = 'none', residual: bool = False) -> None:
        super().__init__()
        weight = layer.weight.detach()
        weight = weight + torch.eye(len(weight)) if residual else weight
        self._weight = torch.ops.mkldnn._reorder_linear_weight(weight.to(dtype), None)
        self._bias = None if layer.bias is None else layer.bias.detach().to(dtype, copy=True)
        self._activation = activation

    @override
    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = torch.ops.mkldnn._linear_pointwise.default(x, self._weight, self._bias, self._activation, [], '')
        return out


class PackedLSTM(nn.Module):
    """An LSTM of one layer whose inputs are [N, steps, inputs].

    Args:
        lstm: whose weights are taken.
        dtype: precision.
    """

    def __init__(self, lstm: nn.LSTM, dtype: torch.dtype) -> None:
        super().__init__()
        names = ('weight_ih_l0', 'weight_hh_l0', 'bias_ih_l0', 'bias_hh_l0')
        enter, again, *self._biases = (lstm.get_parameter(name).detach().to(dtype, copy=True) for name in names)
        self._size = lstm.hidden_size
        self._weights = torch.ops.mkldnn._reorder_mkldnn_rnn_layer_weight(enter, again, self._size, False, True, False)

    @override
    def forward(self, x: Tensor) -> tuple[Tensor, None]:
        """Return the outputs of all steps, [N, steps, size]."""
        x, zeros = x.transpose(0, 1).contiguous(), x.new_zeros(1, len(x), self._size)
        rest: tuple[Any, ...] = zeros, zeros, False, [], LSTM, self._size, 1, True, False, False, False
        out: Tensor = torch.ops.aten.mkldnn_rnn_layer.default(x, *self._weights, *self._biases, *rest)[0]
        return out.transpose(0, 1), None


class ExactLinear(nn.Module):
    """A linear layer in float32, whatever its input.

    Args:
        layer: whose weights are taken.
    """

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self._weight, self._bias = layer.weight.detach().clone(), layer.bias.detach().clone()

    @override
    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.linear(x.float(), self._weight, self._bias)


def join(states: Tensor, owners: Tensor, moves: Tensor) -> Tensor:
    """Return the rectified sums of parts of the first layer, in the place of `moves`, on the CPU.

    Args:
        states: the states' part, [N, size], in float32 or bfloat16.
        owners: the state of each move, int64 [M].
        moves: the moves' part, [M, size], likewise.
    """
    if moves.dtype == torch.float32:
        add_states(states.numpy(), owners.numpy(), moves.numpy())
    else:
        add_states_bfloat16(states.view(torch.uint16).numpy(), owners.numpy(), moves.view(torch.uint16).numpy())
    return moves


def packed(network: N, dtype: torch.dtype) -> N:
    """Return a network that computes with packed copies of the weights, and its last layer in float32.

    Args:
        network: in float32, on the CPU, of layers that `can_pack` accepts.
        dtype: precision of all other layers.
    """
    out = copy(network)
    *others, last = network.named_children()
    modules = {name: _packed(layer, dtype) for name, layer in others}
    out._modules = {**modules, last[0]: ExactLinear(cast(nn.Linear, last[1]))}
    out.packed_dtype = dtype
    return out


def _packed(layer: nn.Module, dtype: torch.dtype) -> nn.Module:
    if isinstance(layer, HiddenLayers):
        linears = cast(Iterable[nn.Linear], layer)
        return nn.Sequential(*(PackedLinear(linear, dtype, 'relu', layer.residual) for linear in linears))
    return PackedLSTM(layer, dtype) if isinstance(layer, nn.LSTM) else PackedLinear(cast(nn.Linear, layer), dtype)


def can_pack(network: nn.Module, dtype: torch.dtype) -> bool:
    """Return whether a network has layers that can be packed, and this torch, on this machine, the operators."""
    *others, last = network.children()
    if not isinstance(last, nn.Linear) or not all(map(_is_packable, others)):
        return False
    try:
        with torch.inference_mode():
            PackedLinear(nn.Linear(16, 16), dtype, 'relu')(torch.zeros(4, 16, dtype=dtype))
            PackedLSTM(nn.LSTM(16, 16), dtype)(torch.zeros(4, 2, 16, dtype=dtype))
    except (AttributeError, RuntimeError):
        return False
    return True


def _is_packable(layer: nn.Module) -> bool:
    if isinstance(layer, nn.LSTM):
        return layer.num_layers == 1 and layer.batch_first and layer.bias and not layer.bidirectional
    return isinstance(layer, HiddenLayers | nn.Linear)
