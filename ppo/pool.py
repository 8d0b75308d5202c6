"""Earlier selves, and agents by name, to play against."""

from collections import deque
from copy import deepcopy

import numpy as np
import torch
from torch import Tensor, nn

from ppo.config import PPOGameSettings
from ppo.learner import Learner
from ppo.policy import Sampler
from rlcard_kit.agents import Agent
from rlcard_kit.nets.policy import PolicyNetwork
from training.evaluator import load_opponent
from training.games import LearnedGame

POOL_SIZE = 16  # earlier selves that are kept
POOL_INTERVAL = 50  # updates between two of them


class Pool:
    """Keeps recent copies of the learner's network, and draws one, or an agent by name, as the opponent.

    Args:
        settings: the share of the pool's games, and the agents by name.
        seed: of the draws.
        learner: whose network is copied.
    """

    def __init__(self, settings: PPOGameSettings, seed: int, learner: Learner) -> None:
        self._settings, self._seed = settings, seed
        self._learner = learner
        self._members: deque[Tensor] = deque(maxlen=POOL_SIZE)  # all weights of each, float32
        self._forgotten = 0  # that were kept before these

    def follow(self) -> None:
        """Add the learner's network if the pool is empty, and every 50 updates; call it once for each."""
        if not self._settings.pool_share or (self._members and self._learner.updates % POOL_INTERVAL):
            return
        self._forgotten += len(self._members) == self._members.maxlen
        weights = nn.utils.parameters_to_vector(self._learner.network.parameters())
        self._members.append(weights.detach().clone())

    def draw(self, *of: int) -> tuple[int | None, int | None]:
        """Draw the opponent in the seats that are not trained.

        Args:
            of: numbers that distinguish this draw from others between the same two updates.

        Returns:
            The index of an agent in `pool_agents`, or the number of an earlier self, from the first that this process
            kept; the other is None, and both are if all seats are trained.
        """
        if not self._settings.pool_share:
            return None, None
        draw = np.random.default_rng([self._seed, self._learner.updates, len(self._members), *of])
        names = len(self._settings.pool_agents)
        if names and (agent := int(draw.integers(names + 1))):
            return agent - 1, None
        return None, self._forgotten + int(draw.integers(len(self._members)))

    @property
    def members(self) -> dict[int | None, Tensor]:
        """The weights of earlier selves, float32 [num_weights], by number."""
        return dict(enumerate(self._members, self._forgotten))

    def tensors(self) -> dict[str, Tensor]:
        """Return what a resumed run starts from."""
        return {'members': torch.stack(list(self._members))} if self._members else {}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Restore what `tensors` returned."""
        self._members.extend(tensors.get('members', torch.empty(0)).to(self._learner.device))


class Opponents:
    """The agents that may be drawn, in the process in which they play.

    Args:
        game: that is learned.
        settings: the rules, and the agents by name.
        network: like that of earlier selves, on the device where they play; it is copied.
        dtype: precision of the matrix products.

    Raises:
        ConfigError: if a name of `pool_agents` is unknown.
    """

    def __init__(
        self, game: LearnedGame, settings: PPOGameSettings, network: PolicyNetwork, dtype: torch.dtype
    ) -> None:
        self._sampler = Sampler(deepcopy(network).requires_grad_(False), dtype)
        self._agents = [load_opponent(game, settings.rules, 'pool_agents', name) for name in settings.pool_agents]

    def find(self, agent: int | None, weights: Tensor | None) -> Agent | None:
        """Return an agent by its index in `pool_agents`, or an earlier self by its weights; None for neither.

        The latter plays by these weights, float32 [num_weights], until the next call.
        """
        if agent is not None:
            return self._agents[agent]
        if weights is None:
            return None
        nn.utils.vector_to_parameters(weights, self._sampler.network.parameters())
        return self._sampler
