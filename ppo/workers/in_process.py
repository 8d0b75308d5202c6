"""Rollouts that this process plays, in turn with learning: always by the newest policy."""

from torch import Tensor
from typing_extensions import override

from ppo.config import Config
from ppo.learner import Learner
from ppo.pool import Drawn, Opponents, Pool
from ppo.rollout import Rollout
from ppo.workers.base import Played, Workers
from rlcard_kit.agents import Agent
from training.workers import Counts


class InProcessWorkers(Workers):
    """Plays rollouts when the learner needs them; see `Workers`.

    Args:
        config: settings of the run.
        learner: whose policy plays.
        earlier: its earlier selves.

    Raises:
        ConfigError: if a name of `pool_agents` is unknown.
    """

    def __init__(self, config: Config, learner: Learner, earlier: Pool) -> None:
        self.rollout = Rollout(config)
        self._started = 0
        self._config, self._learner, self._earlier = config, learner, earlier
        self._opponents = Opponents(config, learner.network, learner.dtype)
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
        self._earlier.follow()
        batch = self.rollout.collect(self._learner.sampler, self._opponent(self._earlier.draw()))
        return Played(batch, 0.0) if batch.size else None

    def _opponent(self, drawn: Drawn | None) -> Agent | None:
        if drawn is None:
            return None
        if drawn.agent is not None:
            return self._opponents.agent(drawn.agent)
        return self._opponents.earlier_self(self._earlier.members[drawn.member])

    @override
    def counts(self) -> Counts:
        return self.rollout.counts

    @override
    def tensors(self) -> dict[str, Tensor]:
        return self.rollout.tensors()

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Continue the games in progress; those of actors are not saved, and `start` deals anew."""
        self._is_to_deal_anew = not tensors
        if tensors:
            self.rollout.restore(tensors)
