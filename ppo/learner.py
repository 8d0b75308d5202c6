"""The learner: proximal policy optimisation (Schulman et al. 2017)."""

from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ppo.buffer import Batch
from ppo.config import Config
from ppo.policy import Sampler
from rlcard_kit.nets.agents import PPO
from rlcard_kit.nets.policy import PolicyNetwork, entropies, uniform_divergences
from training.checkpoint import init_weights
from training.games import LearnedGame
from training.learner import GradientLearner, rate_factor
from training.optimizers import Adam

CLIP = 0.2  # range of the probability ratio
RATE_FLOOR = 1e-6  # that annealing ends at
TINY = 1e-8
FIGURES = ('policy_loss', 'value_loss', 'entropy', 'approximate_kl', 'clip_fraction', 'explained_variance')


class Details(NamedTuple):
    """Details of the implementation; see `PPOLearningSettings.baselines_details`."""

    clip_values: bool = False
    anneal: bool = False  # learning rate and clip range to 0
    adam_epsilon: float = 1e-8
    max_grad_norm: float = 10.0


DETAILS, BASELINES = Details(), Details(True, True, 1e-5, 0.5)


class Losses(NamedTuple):
    """Losses and diagnostics of one minibatch; all scalars."""

    policy: Tensor
    value: Tensor
    entropy: Tensor  # nats
    approximate_kl: Tensor  # of the policy from that which played (Schulman 2020, the k3 estimator)
    clip_fraction: Tensor  # of decisions that the clip holds back


class Current(NamedTuple):
    """The current network's output for K decisions."""

    log_probabilities: Tensor  # of the moves that were played, float32 [K]
    entropies: Tensor  # of the distributions, float32 [K]
    values: Tensor  # of the positions, float32 [K]


class Recorded(NamedTuple):
    """Records of K decisions from the time when they were played."""

    log_probabilities: Tensor  # of the moves, float32 [K]
    values: Tensor  # of the positions, float32 [K]
    advantages: Tensor  # float32 [K]


def losses(now: Current, then: Recorded, clip: float, clip_values: bool) -> Losses:
    """Return the losses of PPO over K decisions.

    Args:
        now: the decisions as the network sees them.
        then: the decisions as they were played; advantages are normalised here.
        clip: range of the probability ratio, and of values if they are clipped.
        clip_values: take the worse of the value's and the clipped value's error, as OpenAI Baselines does.
    """
    change = now.log_probabilities - then.log_probabilities
    ratio, advantages = change.exp(), then.advantages
    normal = (advantages - advantages.mean()) / (advantages.std(unbiased=False) + TINY)
    policy = -torch.min(ratio * normal, ratio.clamp(1 - clip, 1 + clip) * normal).mean()
    returns = then.values + advantages
    errors = (now.values - returns).square()
    if clip_values:
        near = then.values + (now.values - then.values).clamp(-clip, clip)
        errors = torch.max(errors, (near - returns).square())
    with torch.no_grad():
        divergence = (ratio - 1 - change).mean()
        held = ((ratio - 1).abs() > clip).float().mean()
    return Losses(policy, 0.5 * errors.mean(), now.entropies.mean(), divergence, held)


class Learner(GradientLearner[PolicyNetwork]):
    """Holds the policy.

    Args:
        config: settings of the run.
        game: that is learned.
        dtype: precision of the matrix products.
        device: to learn on.
    """

    def __init__(self, config: Config, game: LearnedGame, dtype: torch.dtype, device: str = 'cpu') -> None:
        self._settings, self._seed = config.learning, config.run.seed
        self.updates = 0  # each of many steps
        self._details = BASELINES if config.learning.baselines_details else DETAILS
        self._clip = CLIP
        torch.manual_seed(config.run.seed)
        network = init_weights(config.run, game, PPO, game.make_network(config.spec)).to(device)
        rate, details = config.learning.learning_rate, self._details
        optimizer = Adam(network.parameters(), lr=rate, eps=details.adam_epsilon, fused=True)
        super().__init__(network, optimizer, dtype, config.learning.averaging, details.max_grad_norm)
        self.sampler = Sampler(network, dtype)

    def set_progress(self, done: float) -> None:
        """Set learning rate and clip to what they are when a part of the run is over, 0..1."""
        settings, anneal = self._settings, self._details.anneal
        factor = 1 - done if anneal else rate_factor(done, settings.decay)
        self.rate = max(RATE_FLOOR, factor * settings.learning_rate)
        self._clip = CLIP * (factor if anneal else 1.0)

    def update(self, batch: Batch) -> dict[str, float]:
        """Learn from a batch for some epochs; return the averages of FIGURES, and the explained variance.

        Raises:
            FloatingPointError: if a loss or its gradient is NaN or infinite; that step leaves the weights unchanged.
        """
        shuffler = np.random.default_rng([self._seed, self.updates])
        figures = []
        size = batch.size
        for _ in range(self._settings.epochs):
            order = shuffler.permutation(size)
            for rows in np.array_split(order, max(1, round(size / self._settings.minibatch_size))):
                minibatch = batch.select(rows)
                self._last = partial(self._loss, minibatch)
                total, parts = self._losses(minibatch)
                self.descend(total)
                figures.append([loss.item() for loss in parts])
        self.updates += 1
        means = torch.tensor(figures).mean(dim=0).tolist()
        return dict(zip(FIGURES, (*means, explained_variance(batch)), strict=True))

    def gradient(self, batch: Batch) -> float:
        """Compute the gradient of the loss on a minibatch and return the loss; no step is taken."""
        self.optimizer.zero_grad()
        total = self._loss(batch)
        total.backward()  # type: ignore[no-untyped-call]
        return total.item()

    def _loss(self, batch: Batch) -> Tensor:
        return self._losses(batch)[0]

    def _losses(self, batch: Batch) -> tuple[Tensor, Losses]:
        """Return the loss to minimise, and its parts."""
        log_probabilities, owners, log_partitions, values = self.sampler.evaluate(batch.positions)
        chosen = torch.from_numpy(batch.positions.offsets[:-1] + batch.chosen).to(self.device)
        now = Current(log_probabilities[chosen], entropies(log_probabilities, owners, len(values)), values)
        recorded = (batch.log_probabilities, batch.values, batch.advantages)
        then = Recorded(*(torch.from_numpy(array).to(self.device) for array in recorded))
        weights = self._settings
        parts = losses(now, then, self._clip, self._details.clip_values)
        total = parts.policy + weights.value_coefficient * parts.value - weights.entropy_coefficient * parts.entropy
        if weights.uniform_coefficient:
            counts = torch.from_numpy(batch.positions.counts).to(log_probabilities)
            total += weights.uniform_coefficient * uniform_divergences(log_probabilities, owners, counts).mean()
        total += weights.z_coefficient * log_partitions.square().mean()
        return total, parts

    def tensors(self) -> dict[str, Tensor]:
        """Return what a resumed run starts from."""
        return {**super().tensors(), 'updates': torch.tensor(self.updates)}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Restore what `tensors` returned."""
        super().restore(tensors)
        self.updates = int(tensors['updates'])


def explained_variance(batch: Batch) -> float:
    """Return the part of the returns' variance that the values explain: 1 all, 0 none, below 0 worse than none."""
    returns = batch.values + batch.advantages
    variance = float(np.var(returns))
    return 1 - float(np.var(batch.advantages)) / variance if variance else 0.0
