"""The learner: regresses the network on the targets of the actors' decisions."""

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn

from dmc.config import Config, DMCLearningSettings
from dmc.muon import Muon
from dmc.workers.base import ReplayRows
from rlcard_kit.arrays import records_of
from rlcard_kit.nets.agents import DMC
from rlcard_kit.nets.value import MoveValueNetwork
from training.checkpoint import init_weights
from training.cuda_graph import graphed
from training.games import LearnedGame
from training.learner import GradientLearner
from training.optimizers import Adam, RMSprop

MAX_GRAD_NORM = 40.0
ALPHA, EPSILON = 0.99, 1e-5  # of RMSprop, as in the paper


class Learner(GradientLearner[MoveValueNetwork]):
    """Holds the value network.

    Args:
        config: settings of the run.
        game: that is learned.
        dtype: precision of the matrix products.
        device: to learn on.
    """

    def __init__(self, config: Config, game: LearnedGame, dtype: torch.dtype, device: str = 'cpu') -> None:
        torch.manual_seed(config.run.seed)
        network = init_weights(config.run, game, DMC, game.make_network(config.spec)).to(device)
        network.in_training = True
        self._game = game.card
        optimizer = _make_optimizer(config.learning, network.parameters(), dtype)
        super().__init__(network, optimizer, dtype, config.learning.averaging, MAX_GRAD_NORM)
        self._batch_size = config.learning.batch_size
        self._graph: Callable[..., Tensor] | None = None  # the error of a batch, on a GPU

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
        self._last = partial(self._loss, rows)
        return self.descend(self._last())

    def _loss(self, rows: ReplayRows) -> Tensor:
        observations = records_of(rows['observation'], self._game.observation)
        targets = torch.from_numpy(np.ascontiguousarray(rows['target'])).to(self.device)
        with self.autocast():
            inputs = self.network.inputs(observations, np.ascontiguousarray(rows['action']))
        if self.device.type != 'cuda' or len(rows) != self._batch_size:
            return self._error(targets, *inputs)
        if self._graph is None:
            self._graph = graphed(self._error, self.network, (targets, *inputs))
        return self._graph(targets, *inputs)

    def _error(self, targets: Tensor, *inputs: Tensor) -> Tensor:
        """Return the mean squared error of values, given targets, [K], and the inputs of the network."""
        with self.autocast():
            values = self.network(*inputs)
        return nn.functional.mse_loss(values, targets)


def _make_optimizer(
    settings: DMCLearningSettings, parameters: Iterable[nn.Parameter], dtype: torch.dtype
) -> torch.optim.Optimizer:
    rate = settings.learning_rate
    match settings.optimizer:
        case 'muon':
            return Muon(parameters, rate, dtype)
        case 'adam':
            return Adam(parameters, rate, fused=True)
        case 'rmsprop':
            return RMSprop(parameters, rate, alpha=ALPHA, eps=EPSILON)
