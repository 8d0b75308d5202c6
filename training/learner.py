"""The base of all learners: a network and its average, checked steps, a learning rate, resumable state."""

import math
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Generic, TypeVar

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from rlcard_kit.errors import FileError
from training.checkpoint import first_not_finite, optimizer_tensors, restore_optimizer, strip_prefix
from training.config import RunSettings
from training.machine import Precision, autocast

LEAST_RATE = 0.1  # of the learning rate, when a run ends
TINY = 1e-6

N = TypeVar('N', bound=nn.Module)


class GradientLearner(Generic[N]):
    """Holds a network in float32, its average over recent steps, and its optimiser.

    Args:
        network: on the device where it learns.
        optimizer: of its weights.
        dtype: precision of the matrix products.
        averaging: steps that the average spans; with 1 it is the network itself.
        max_grad_norm: at which gradients are clipped.
    """

    def __init__(
        self, network: N, optimizer: Optimizer, dtype: torch.dtype, averaging: int, max_grad_norm: float
    ) -> None:
        self.network = network
        self.average: N = network if averaging == 1 else deepcopy(network).requires_grad_(False)
        self.optimizer = optimizer
        self.dtype = dtype
        self.steps = 0
        self._last: Callable[[], Tensor] | None = None  # returns the loss on the last batch
        self._averaging = averaging
        self._max_grad_norm = max_grad_norm

    @property
    def device(self) -> torch.device:
        """Device of the network."""
        return next(self.network.parameters()).device

    @property
    def rate(self) -> float:
        """The current learning rate."""
        return float(self.optimizer.param_groups[0]['lr'])

    @rate.setter
    def rate(self, rate: float) -> None:
        for group in self.optimizer.param_groups:
            group['lr'] = rate

    def autocast(self) -> torch.autocast:
        """Return the context in which networks compute."""
        return autocast(self.device.type, self.dtype)

    def descend(self, loss: Tensor) -> float:
        """Take one gradient step; return the loss.

        Raises:
            FloatingPointError: if the loss or its gradient is NaN or infinite; the weights are left unchanged.
        """
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        value = self._clip_gradient(loss)
        self.optimizer.step()
        self.steps += 1
        self._follow()
        return value

    def _clip_gradient(self, loss: Tensor) -> float:
        """Scale the gradient to the norm that it may have, if it is beyond; see `descend`."""
        gradients = [weights.grad for weights in self.network.parameters() if weights.grad is not None]
        lengths = torch.stack(torch._foreach_norm(gradients))
        norm = torch.linalg.vector_norm(lengths)
        length, value = torch.stack((norm, loss.detach())).tolist()  # at once, since reading waits for a GPU
        if not math.isfinite(length + value):
            raise FloatingPointError(
                f'loss {value} with a gradient of norm {length}: this update is left out, and the run ends'
            )
        if length > self._max_grad_norm:
            torch._foreach_mul_(gradients, self._max_grad_norm / (norm + TINY))
        return float(value)

    def _follow(self) -> None:
        """Move the average by a part of the way to the network."""
        if self.average is self.network:
            return
        span = min(self._averaging, 1 + self.steps / 10)  # at first a tenth of all steps, to forget the start
        with torch.no_grad():  # or each step adds to a graph that is never freed
            torch._foreach_lerp_(list(self.average.parameters()), list(self.network.parameters()), 1 / span)

    def last_loss(self) -> float:
        """Return the loss on the last batch, as the network is now; 0 before the first."""
        with torch.no_grad():
            return 0.0 if self._last is None else self._last().item()

    def tensors(self) -> dict[str, Tensor]:
        """Return what a resumed run starts from."""
        average = self.average.state_dict()
        parts = {
            'network': self.network.state_dict(),
            'average': {name: tensor.clone() for name, tensor in average.items()},  # files refuse shared memory
            'optimizer': optimizer_tensors(self.optimizer),
        }
        tensors = {f'{part}.{name}': tensor for part, named in parts.items() for name, tensor in named.items()}
        return {**tensors, 'steps': torch.tensor(self.steps)}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Restore what `tensors` returned; FileError if they are of another optimiser, or not finite."""
        steps, optimizer = int(tensors['steps']), strip_prefix('optimizer.', tensors)
        if steps and not optimizer and not isinstance(self.optimizer, torch.optim.SGD):
            raise FileError(f"the optimiser's state is missing, after {steps} steps")
        if (name := first_not_finite(tensors)) is not None:
            raise FileError(f'{name!r} is not finite')
        self.average.load_state_dict(strip_prefix('average.', tensors))
        self.network.load_state_dict(strip_prefix('network.', tensors))  # last, since the average may be the network
        restore_optimizer(self.optimizer, optimizer)
        self.steps = steps


def num_weights(network: nn.Module) -> int:
    """Count a network's weights."""
    return sum(parameter.numel() for parameter in network.parameters())


def rate_factor(done: float, decay: float) -> float:
    """Return what part of its learning rate a run is at.

    Args:
        done: part of the run that is over, 0..1.
        decay: part of it, at its end, in which the rate falls from 1 to 0.1 in a straight line.
    """
    left = min(1.0, (1 - done) / decay) if decay else 1.0
    return LEAST_RATE + (1 - LEAST_RATE) * left


def describe_learner(run: RunSettings, network: nn.Module, precisions: Mapping[str, Precision]) -> str:
    """Return the number of weights, the device of the learner, and the precision of each device, as text."""
    threads = f'{run.learner_threads} thread{"s" * (run.learner_threads != 1)}'
    learns = threads if run.training_device == 'cpu' else run.training_device
    chosen = '; '.join(f'{precision.name} on {device} ({precision.reason})' for device, precision in precisions.items())
    return f'{num_weights(network):,} weights, learned by {learns}; {chosen}'
