"""Rollouts that this process plays, in turn with learning: always by the newest policy."""

from torch import Tensor
from typing_extensions import override

from ppo.config import Config
from ppo.policy import Sampler
from ppo.pool import Drawn, Opponents
from ppo.rollout import Rollout
from ppo.workers.base import Played, Policies, Workers
from rlcard_kit.agents.base import Agent
from training.workers import Counts


class InProcessWorkers(Workers):
    """Plays rollouts when the learner needs them; see `Workers`.

    Args:
        config: settings of the run.
        policies: to play by.

    Raises:
        ConfigError: if a name of `pool_agents` is unknown.
    """

    def __init__(self, config: Config, policies: Policies) -> None:
        self.rollout = Rollout(config)
        self._started = 0
        self._config, self._policies = config, policies
        self._sampler = Sampler(policies.network, policies.dtype)
        self._opponents = Opponents(config, policies.network, policies.dtype)
        self._is_to_deal_anew = False

    @property
    @override
    def started(self) -> int:
        return self._started

    @override
    def start(self, started: int) -> None:
        self._started = started
        if self._is_to_deal_anew:
            self._started += 1
            self.rollout = Rollout(self._config, self._started)

    @override
    def describe(self) -> str:
        return f'{self._config.game.num_games} games, {self._config.game.num_steps} moves each between two updates'

    @override
    def collect(self) -> Played | None:
        self._policies.follow()
        batch = self.rollout.collect(self._sampler, self._opponent(self._policies.draw()))
        return Played(batch, 0.0) if batch.size else None

    def _opponent(self, drawn: Drawn | None) -> Agent | None:
        if drawn is None:
            return None
        if drawn.agent is not None:
            return self._opponents.agent(drawn.agent)
        return self._opponents.earlier_self(self._policies.earlier_selves()[drawn.member])

    def counts(self) -> Counts:
        """Return what has been played."""
        return self.rollout.counts

    def replace_dead(self) -> list[str]:
        """Return no reports: there are no other processes."""
        return []

    def tensors(self) -> dict[str, Tensor]:
        """Return the games in progress."""
        return self.rollout.tensors()

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Continue the games in progress; those of actors are not saved, and `start` deals anew."""
        self._is_to_deal_anew = not tensors
        if tensors:
            self.rollout.restore(tensors)

    def close(self) -> None:
        """No-op: there are no other processes."""
