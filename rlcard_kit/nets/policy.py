"""Policy networks with a value, in torch, and distributions over legal moves."""

from typing import Any, TypeVar, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from rlcard_kit.agents import Positions
from rlcard_kit.arrays import Float64Array
from rlcard_kit.nets.spec import PolicySpec
from rlcard_kit.nets.value import Network

SHAPE_STEP = 64
UNIFORM_GAIN = 0.01  # of the layer of logits, so that a policy starts almost uniform

Array = TypeVar('Array', bound=NDArray[Any])


class PolicyNetwork(Network):
    """Logits of legal moves, and the value of the position. Weights are drawn from torch's generator.

    Args:
        spec: its sizes and inputs.
    """

    def __init__(self, spec: PolicySpec) -> None:
        super().__init__()
        self.spec = spec

    def forward(self, positions: Positions) -> tuple[Tensor, Tensor]:
        """Return logits of all legal moves and values of all games.

        Returns:
            Logits, float32 [M], and values in units of `payoff_unit` cards, float32 [N].
        """
        raise NotImplementedError

    def evaluate(self, observations: Tensor, actions: Tensor, owners: Tensor) -> tuple[Tensor, Tensor]:
        """Return what `forward` does, given the inputs that `NetworkModule` describes, in the network's precision."""
        raise NotImplementedError

    def probabilities(self, positions: Positions) -> tuple[Float64Array, Float64Array]:
        """Return the probability of each legal move, [M], and the value of each game in cards, [N], both float64."""
        with torch.inference_mode():
            logits, values = self(positions)
            owners = torch.from_numpy(positions.owners).to(logits.device)
            log_probabilities = log_softmax(logits, owners, len(values))
        return log_probabilities.cpu().double().exp().numpy(), values.cpu().double().numpy() * self.spec.payoff_unit


def exactly(layer: nn.Linear, x: Tensor) -> Tensor:
    """Apply a last layer in float32: rounded logits would take the ratios of an unchanged policy far from 1."""
    with torch.autocast(x.device.type, enabled=False):
        return layer(x.float())


def start_orthogonal(layer: nn.Linear, gain: float) -> None:
    """Draw orthogonal weights of some gain; biases are 0."""
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)


def padded(rows: Array) -> Array:
    """Return rows, [N, ...], with zeros appended up to a multiple of 64, beyond 64.

    torch keeps a kernel for every shape of matrix that it meets. Without padding, batches with as many rows as there
    happen to be legal moves would fill the memory with kernels.
    """
    size = -(-len(rows) // SHAPE_STEP) * SHAPE_STEP if len(rows) > SHAPE_STEP else len(rows)
    out = np.zeros((size, *rows.shape[1:]), rows.dtype)
    out[: len(rows)] = rows
    return cast(Array, out)


def log_sums(logits: Tensor, owners: Tensor, count: int) -> Tensor:
    """Return the logarithm of the sum of each game's exponentiated logits, float32 [N].

    Args:
        logits: of all legal moves, float32 [M].
        owners: the game of each, int64 [M], ascending.
        count: of games, N.
    """
    best = logits.new_full((count,), -torch.inf)
    best = best.scatter_reduce(0, owners, logits.detach(), 'amax')
    return best + _sums((logits - best[owners]).exp(), owners, count).log()


def log_softmax(logits: Tensor, owners: Tensor, count: int) -> Tensor:
    """Return the log-probability of each legal move among those of its game, float32 [M]; see `log_sums`."""
    return logits - log_sums(logits, owners, count)[owners]


def entropies(log_probabilities: Tensor, owners: Tensor, count: int) -> Tensor:
    """Return the entropy of each game's distribution in nats, float32 [N]; see `log_softmax`."""
    return _sums(-log_probabilities.exp() * log_probabilities, owners, count)


def uniform_divergences(log_probabilities: Tensor, owners: Tensor, counts: Tensor) -> Tensor:
    """Return the Kullback-Leibler divergence KL(uniform, policy) of each game in nats, float32 [N].

    Unlike the entropy it keeps growing, and keeps its gradient, as a move becomes too unlikely to be ever played.
    `counts`, float32 [N], are the numbers of legal moves; see `log_sums` for the others.
    """
    return -_sums(log_probabilities, owners, len(counts)) / counts - counts.log()


def _sums(terms: Tensor, owners: Tensor, count: int) -> Tensor:
    """Sum the terms of each game, float32 [M], to float32 [N]."""
    return terms.new_zeros(count).index_add(0, owners, terms)
