"""The learner: regresses the network on what followed the actors' decisions."""

import warnings
from collections.abc import Callable, Iterable
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn
from typing_extensions import override

from dmc.config import Config
from dmc.muon import Muon
from dmc.workers.base import ReplayRows
from rlcard_kit.arrays import records_of
from rlcard_kit.nets.value import MoveValueNetwork
from training.checkpoint import init_weights
from training.learner import GradientLearner

MAX_GRAD_NORM = 40.0
ALPHA, EPSILON = 0.99, 1e-5  # of RMSprop, as in the paper
Error = Callable[..., Tensor]


class Learner(GradientLearner[MoveValueNetwork]):
    """Holds the value network.

    Args:
        config: settings of the run.
        dtype: precision of the matrix products.
        device: to learn on.
    """

    def __init__(self, config: Config, dtype: torch.dtype, device: str = 'cpu') -> None:
        torch.manual_seed(config.run.seed)
        network = init_weights(config, config.learned.make_value_network(config.spec)).to(device)
        network.in_training = True
        self._game = config.learned.card
        optimizer = _make_optimizer(config, network.parameters(), dtype)
        super().__init__(network, optimizer, dtype, config.learning.averaging, MAX_GRAD_NORM)
        self._last: ReplayRows | None = None  # batch
        self._batch_size = config.learning.batch_size
        self._error = _SquaredError(network, self.autocast)
        self._recorded: Error | None = None  # the same for a batch, as one graph of a GPU

    @property
    def is_sparse(self) -> bool:
        """Whether its network sums rows of weights, see `MoveValueNetwork.is_sparse`."""
        with self.autocast():
            return self.network.is_sparse

    def update(self, rows: ReplayRows) -> float:
        """Take one step on decisions, [batch_size]; return the mean squared error before it.

        Inputs are computed here a second time, after the actor's first: a row with them would be many times as long.

        Raises:
            FloatingPointError: if the error or its gradient is NaN or infinite; the weights are left unchanged.
        """
        self._last = rows
        return self.descend(self._loss(rows))

    @override
    def last_loss(self) -> float:
        with torch.no_grad():
            return 0.0 if self._last is None else self._loss(self._last).item()

    def _loss(self, rows: ReplayRows) -> Tensor:
        observations = records_of(rows['observation'], self._game.observation)
        targets = torch.from_numpy(np.ascontiguousarray(rows['target'])).to(self.device)
        with self.autocast():
            inputs = self.network.inputs(observations, np.ascontiguousarray(rows['action']))
        return self._error_of(len(rows), targets, *inputs)(targets, *inputs)

    def _error_of(self, count: int, *arguments: Tensor) -> Error:
        """Return what computes the loss of `count` decisions; on a GPU, record it for a batch, given its arguments.

        Starting the 150 kernels of an update one by one takes ten times as long as they do.
        """
        if self.device.type != 'cuda' or count != self._batch_size:
            return self._error
        if self._recorded is None:
            warnings.filterwarnings('ignore', "The AccumulateGrad node's stream")  # of the recording
            error = _SquaredError(self.network, self.autocast)
            self._recorded = cast(Error, torch.cuda.make_graphed_callables(error, arguments))
        return self._recorded


class _SquaredError(nn.Module):
    """The mean squared error of a network's values, given targets and what the network takes."""

    def __init__(self, network: MoveValueNetwork, autocast: Callable[[], torch.autocast]) -> None:
        super().__init__()
        self._network, self._autocast = network, autocast

    @override
    def forward(self, targets: Tensor, *inputs: Tensor) -> Tensor:
        with self._autocast():
            values = self._network(*inputs)
        return nn.functional.mse_loss(values, targets)


def _make_optimizer(config: Config, parameters: Iterable[nn.Parameter], dtype: torch.dtype) -> torch.optim.Optimizer:
    rate = config.learning.learning_rate
    match config.learning.optimizer:
        case 'muon':
            return Muon(parameters, rate, dtype)
        case 'adam':
            return torch.optim.Adam(parameters, rate, fused=True)
        case 'rmsprop':
            return torch.optim.RMSprop(parameters, rate, alpha=ALPHA, eps=EPSILON)
