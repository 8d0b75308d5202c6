"""Hidden layers, and layers for inference on the CPU, whose weights are packed once.

torch packs the weights of a layer again at every call, and computes rectifiers and sums apart from products. Packed
layers use the operators of oneDNN that torch's compiler calls. They are no part of torch's documented interface:
`can_pack` tells whether this torch has them, on this machine.
"""

from copy import copy
from typing import TypeVar

import torch
from torch import Tensor, nn
from typing_extensions import override

LSTM = 2  # among the kinds of recurrent layers

Network = TypeVar('Network', bound=nn.Module)


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
        self._bias = None if layer.bias is None else layer.bias.detach().to(dtype)
        self._activation = activation

    @override
    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = torch.ops.mkldnn._linear_pointwise(x, self._weight, self._bias, self._activation, [], '')
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
        enter, again, *self._biases = (lstm.get_parameter(name).detach().to(dtype) for name in names)
        self._size = lstm.hidden_size
        self._weights = torch.ops.mkldnn._reorder_mkldnn_rnn_layer_weight(enter, again, self._size, False, True, False)

    @override
    def forward(self, x: Tensor) -> tuple[Tensor, None]:
        """Return the outputs of all steps, [N, steps, size]."""
        x, zeros = x.transpose(0, 1).contiguous(), x.new_zeros(1, len(x), self._size)
        options = False, [], LSTM, self._size, 1, True, False, False, False
        out = torch.ops.aten.mkldnn_rnn_layer(x, *self._weights, *self._biases, zeros, zeros, *options)[0]
        return out.transpose(0, 1), None


class ExactLinear(nn.Module):
    """A linear layer in float32, whatever its input.

    Args:
        layer: whose weights are taken.
    """

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self._weight, self._bias = layer.weight.detach().float(), layer.bias.detach().float()

    @override
    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.linear(x.float(), self._weight, self._bias)


def packed(network: Network, dtype: torch.dtype) -> Network:
    """Return a network that computes with copies of the weights, packed; its last layer is computed in float32.

    Args:
        network: in float32, on the CPU.
        dtype: precision of all other layers.
    """
    out, *others, last = copy(network), *network._modules
    out._modules = {name: _packed_layer(network.get_submodule(name), dtype) for name in others}
    out.packed_dtype = dtype
    out._modules[last] = ExactLinear(network.get_submodule(last))
    return out


def _packed_layer(layer: nn.Module, dtype: torch.dtype) -> nn.Module:
    match layer:
        case HiddenLayers():
            return nn.Sequential(*(PackedLinear(each, dtype, 'relu', layer.residual) for each in layer))
        case nn.LSTM():
            return PackedLSTM(layer, dtype)
        case nn.Linear():
            return PackedLinear(layer, dtype)
    raise TypeError(f'{layer} cannot be packed')


def can_pack(dtype: torch.dtype) -> bool:
    """Return whether this torch, on this machine, has the operators, in a precision."""
    try:
        with torch.inference_mode():
            PackedLSTM(nn.LSTM(16, 16), dtype)(torch.zeros(4, 2, 16, dtype=dtype))
            PackedLinear(nn.Linear(16, 16), dtype, 'relu')(torch.zeros(4, 16, dtype=dtype))
    except (AttributeError, RuntimeError):
        return False
    return True
