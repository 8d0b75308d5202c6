"""The workers that play rollouts, and those that play in this process, in turn with learning.

`ray_workers.py` has those on a cluster. Both read the learner and its earlier selves.
"""

from typing import NamedTuple, Protocol

from torch import Tensor
from typing_extensions import override

from ppo.buffer import Batch
from ppo.config import Config
from ppo.learner import Learner
from ppo.pool import Opponents, Pool
from ppo.rollout import Rollout
from training.games import LearnedGame
from training.workers import Counts, WorkerPool


class Played(NamedTuple):
    """The rollouts of one update."""

    batch: Batch
    staleness: float  # updates since the weights that played it; the mean of its rollouts


class Workers(WorkerPool, Protocol):
    """The learner's side of the workers that play rollouts."""

    def start(self, started: int) -> None:
        """Make ready to play; `started` is what it was when the run was saved, if it is resumed."""
        ...

    def collect(self) -> Played | None:
        """Play; return the rollouts of the next update, or None if they are not complete after a moment."""
        ...

    def tensors(self) -> dict[str, Tensor]:
        """Return the games in progress, if they can be resumed."""
        return {}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Continue from what `tensors` returned, of whatever workers; without games in progress, deal anew."""
        return


class InProcessWorkers(Workers):
    """Plays rollouts when the learner needs them; see `Workers`.

    Args:
        config: settings of the run.
        game: that is learned.
        learner: whose policy plays.
        earlier: its earlier selves.

    Raises:
        ConfigError: if a name of `pool_agents` is unknown.
    """

    def __init__(self, config: Config, game: LearnedGame, learner: Learner, earlier: Pool) -> None:
        self.rollout = Rollout(config, game)
        self.started = 0
        self._config, self._game, self._learner, self._earlier = config, game, learner, earlier
        self._opponents = Opponents(game, config.game, learner.network, learner.dtype)
        self._is_to_deal_anew = False

    @override
    def start(self, started: int) -> None:
        self.started = started
        if self._is_to_deal_anew:
            self.started += 1
            self.rollout = Rollout(self._config, self._game, self.started)

    @override
    def describe(self) -> str:
        return f'{self._config.game.num_games} games, {self._config.game.num_steps} moves each between two updates'

    @override
    def collect(self) -> Played | None:
        self._earlier.follow()
        agent, member = self._earlier.draw()
        opponent = self._opponents.find(agent, self._earlier.members.get(member))
        batch = self.rollout.collect(self._learner.sampler, opponent)
        return Played(batch, 0.0) if batch.size else None

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
