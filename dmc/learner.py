"""The learner: regresses the network on the payoffs that followed the actors' decisions."""

from copy import deepcopy

import numpy as np
import torch
from torch import Tensor, nn

from dmc.config import Config
from dmc.network import make_network
from dmc.optimizer import make_optimizer
from dmc.shared import ACTION, PAYOFF
from rlcard_big2.engine.bitboard import Int64Array
from rlcard_big2.engine.observation import PACKED_SIZE
from training.checkpoint import optimizer_tensors, restore_optimizer, under
from training.features import action_features, observation_features


class Learner:
    """Holds the network in float32, its average over the latest updates, and its optimiser.

    Args:
        config: of the run.
        dtype: precision of the matrix products.
        device: where to learn.
    """

    def __init__(self, config: Config, dtype: torch.dtype, device: str = 'cpu') -> None:
        self.config = config
        self.dtype = dtype
        self.device = torch.device(device)
        torch.manual_seed(config.seed)
        self.network = make_network(config.network, config.hidden_size, config.lstm_size).to(self.device)
        self.average = deepcopy(self.network).requires_grad_(False)
        self.optimizer = make_optimizer(config, self.network.parameters())
        self.updates = 0

    def set_rate(self, factor: float) -> None:
        """Learn at a part of the settings' rate from now on."""
        for group in self.optimizer.param_groups:
            group['lr'] = factor * self.config.learning_rate

    @property
    def rate(self) -> float:
        """The learning rate of now."""
        return float(self.optimizer.param_groups[0]['lr'])

    def tensors(self) -> dict[str, Tensor]:
        """Return what a resumed run goes on from."""
        networks = (('network', self.network), ('average', self.average))
        tensors = {f'{prefix}.{name}': t for prefix, network in networks for name, t in network.state_dict().items()}
        optimizer = {f'optimizer.{name}': t for name, t in optimizer_tensors(self.optimizer).items()}
        return {**tensors, **optimizer, 'updates': torch.tensor(self.updates)}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Take over what `tensors` returned."""
        self.network.load_state_dict(under('network.', tensors))
        self.average.load_state_dict(under('average.', tensors))
        restore_optimizer(self.optimizer, under('optimizer.', tensors))
        self.updates = int(tensors['updates'])

    def update(self, rows: Int64Array) -> float:
        """Take one step on decisions, int64 [batch_size, 29]; return the mean squared error before it.

        FloatingPointError where the error or a gradient is no number; the weights are then as they were.
        """
        observations = observation_features(np.ascontiguousarray(rows[:, :PACKED_SIZE]), self.dtype, self.device)
        actions = action_features(rows[:, ACTION], self.dtype, self.device)
        payoffs = torch.from_numpy(rows[:, PAYOFF].astype(np.float32)).to(self.device)
        with torch.autocast(self.device.type, self.dtype, enabled=self.dtype != torch.float32):
            values = self.network(observations, actions)
        loss = nn.functional.mse_loss(values, payoffs)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), self.config.max_grad_norm)
        if not torch.isfinite(norm + loss):
            raise FloatingPointError(
                f'loss {loss.item()} with a gradient of norm {norm.item()}: the update was left out'
            )
        self.optimizer.step()
        self.updates += 1
        self._average()
        return loss.item()

    def _average(self) -> None:
        """Move the average towards the network; at first it spans a tenth of all updates, to forget the start."""
        span = min(self.config.averaging, 1 + self.updates / 10)
        torch._foreach_lerp_(list(self.average.parameters()), list(self.network.parameters()), 1 / span)
