"""Earlier selves, and agents by name, to play against."""

from collections import deque
from copy import deepcopy

import numpy as np
import torch
from torch import Tensor, nn

from ppo.config import Config
from ppo.learner import Learner
from rlcard_big2.lockstep.agent import Chooser
from rlcard_big2.lockstep.positions import Choice, Positions
from rlcard_big2.lockstep.random import Streams
from training.opponents import load_opponent


class Pool:
    """Keeps recent copies of the learner's network, and draws one, or an agent by name, as the opponent.

    Args:
        config: settings of the run.
        learner: whose network is copied.

    Raises:
        ConfigError: if a name of `pool_agents` is unknown.
    """

    def __init__(self, config: Config, learner: Learner) -> None:
        self._config = config
        self._learner = learner
        self._network = deepcopy(learner.network).requires_grad_(False)
        self._agents = [load_opponent(config, 'pool_agents', name) for name in config.pool_agents]
        self._members: deque[Tensor] = deque(maxlen=config.pool_size)  # all weights of each, float32

    def opponent(self) -> Chooser | None:
        """Return who chooses for the seats that are not trained, until the next update; None without a pool.

        Every `pool_interval` updates, the learner's network is added first.
        """
        if self._config.opponent != 'pool':
            return None
        updates = self._learner.updates
        if not self._members or updates % self._config.pool_interval == 0:
            weights = nn.utils.parameters_to_vector(self._learner.network.parameters())
            self._members.append(weights.detach().clone())
        draw = np.random.default_rng([self._config.seed, updates, len(self._members)])
        if self._agents and (agent := int(draw.integers(len(self._agents) + 1))):
            return self._agents[agent - 1]
        member = self._members[int(draw.integers(len(self._members)))]
        nn.utils.vector_to_parameters(member, self._network.parameters())
        return self

    def choose(self, positions: Positions, random: Streams) -> Choice:
        """Choose by the copy that was picked; see `Chooser.choose`."""
        return self._learner.choose_by(self._network, positions, random)

    def tensors(self) -> dict[str, Tensor]:
        """Return what a resumed run starts from."""
        return {'members': torch.stack(list(self._members))} if self._members else {}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Restore what `tensors` returned."""
        self._members.extend(tensors.get('members', torch.empty(0)).to(self._learner.device))
