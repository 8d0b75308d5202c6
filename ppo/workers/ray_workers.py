"""PPO rollouts on a Ray cluster; see `training.cluster`.

The games are divided among the actors. An update learns from as many rollouts as make up all games, whichever actors
played them, so that actors may join and leave. They play the next rollouts while the learner learns. By the time it
learns from these, they are stale: by at most `max_staleness` updates, because the learner waits for rollouts that would
become older.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import ray
import torch
from typing_extensions import override

from ppo.buffer import Batch
from ppo.config import Config
from ppo.learner import Learner
from ppo.policy import Sampler
from ppo.pool import Opponents, Pool
from ppo.rollout import Rollout, try_out
from ppo.workers.in_process import Played, Workers
from rlcard_kit.arrays import Float32Array
from rlcard_kit.nets.weights import load_weights
from training.cluster import ActorPool, PooledActor, Result
from training.games import LearnedGame
from training.run import sound_weights
from training.workers import Counts, actors_with

WAIT_SECONDS = 0.05  # of the learner, for rollouts


class Chunk(NamedTuple):
    """A rollout of an actor."""

    batch: Batch
    counts: Counts


class PPOWorker:
    """Plays rollouts of some games; see `training.cluster.Worker`.

    Args:
        config: settings of the run, with the actor's share of `num_games`.
        dtype: precision of the matrix products.
        stream: of its random draws, from 0 on.
    """

    def __init__(self, config: Config, dtype: torch.dtype, stream: int) -> None:
        game = config.find_game()
        network = game.make_network(config.spec).requires_grad_(False)
        self._rollout = Rollout(config, game, 1 + stream)
        self._sampler = Sampler(network, dtype)
        self._opponents = Opponents(game, config.game, network, dtype)
        self._version = 0

    def play(self, weights: Float32Array, version: int, agent: int | None, member: Float32Array | None) -> Chunk:
        """Play a rollout against an agent, given by its index, or an earlier self, given by its weights."""
        if version != self._version:
            load_weights(self._sampler.network, weights.copy())
            self._version = version
        before = self._rollout.counts
        opponent = self._opponents.find(agent, None if member is None else torch.from_numpy(member.copy()))
        batch = self._rollout.collect(self._sampler, opponent)
        return Chunk(batch, self._rollout.counts.minus(before))


class RayWorkers(Workers):
    """Actors that play rollouts on the connected cluster; see `Workers`.

    Args:
        config: settings of the run.
        game: that is learned.
        learner: whose policy plays.
        earlier: its earlier selves.
        dtype: precision of the actors' matrix products.

    Raises:
        ConfigError: if a name of `pool_agents` is unknown.
    """

    pool: ActorPool[Chunk]  # from `start` on, like everything that depends on it
    _games: int  # of each actor
    _per_update: int  # rollouts

    def __init__(self, config: Config, game: LearnedGame, learner: Learner, earlier: Pool, dtype: torch.dtype) -> None:
        Opponents(
            game, config.game, learner.network, dtype
        )  # here too, so that names are checked before anything starts
        self._config, self._game, self._learner, self._earlier, self._dtype = config, game, learner, earlier, dtype
        self._waiting: list[Result[Chunk]] = []
        self._counts = Counts(0, 0, 0, game.no_statistics())
        self._selves: dict[int | None, Any] = {}  # references to earlier selves, by number
        self._submitted = 0  # calls with the newest policy
        self._published = -1  # updates of that policy

    @override
    def start(self, started: int) -> None:
        """Start the actors.

        Raises:
            ClusterError: if there is no room for them.
        """
        config = self._config
        try_out(config, self._game, self._learner.sampler)  # or each actor here would compile
        self.started = started
        self.pool = ActorPool(config.run, started, config.most_actors)
        self._games = -(-config.game.num_games // self.pool.wanted)
        self._per_update = -(-config.game.num_games // self._games)
        of_actor = config.changed(num_games=self._games, num_actors=None)
        self.pool.start(partial(PPOWorker, of_actor, self._dtype), sound_weights(self._learner.network))
        self._follow()

    def _follow(self) -> None:
        """Adopt the newest policy and the current earlier selves."""
        self._earlier.follow()
        self._published, self._submitted = self._learner.updates, 0
        self._selves = {
            number: self._selves[number] if number in self._selves else ray.put(weights.cpu().numpy())
            for number, weights in self._earlier.members.items()
        }

    @override
    def describe(self) -> str:
        games, moves = f'{self._games} of {self._config.game.num_games} games', f'{self._config.game.num_steps} moves'
        actors = actors_with(len(self.pool.actors), games)
        return f'{actors}, {moves} in each game between two updates: {self.pool.describe_nodes()}'

    @override
    def collect(self) -> Played | None:
        if self._published != self._learner.updates:
            self.pool.publish(sound_weights(self._learner.network))
            self._follow()
        for result in self.pool.results(0 if self._is_enough() else WAIT_SECONDS):
            self._counts = self._counts.plus(result.value.counts)
            self._waiting.append(result)
        self._waiting = [result for result in self._waiting if result.version >= self._oldest]
        self._submit()
        return self._take() if self._is_enough() else None

    @property
    def _oldest(self) -> int:
        """The oldest version of the weights that the next update may learn from."""
        return self.pool.version - self._config.run.max_staleness

    def _settled(self) -> list[PooledActor]:
        """Return the actors that have returned a rollout: the learner does not wait for one that is starting."""
        return [actor for actor in self.pool.actors.values() if actor.results and not actor.failure]

    def _is_enough(self) -> bool:
        """Return whether an update has its rollouts, and would not make one too old that is still being played."""
        late = any(version <= self._oldest for actor in self._settled() for version in actor.versions)
        return len(self._waiting) >= self._per_update and not late

    def _submit(self) -> None:
        """Submit rollouts for this update and for as many more as may be stale, the same number to each actor."""
        settled, actors = self._settled(), self.pool.actors.values()
        for actor in actors:
            if not (actor.results or actor.versions or actor.failure):
                self._submit_one(actor)
        wanted = self._per_update * (1 + self._config.run.max_staleness)
        ahead = -(-wanted // max(1, len(actors)))
        missing = wanted - len(self._waiting) - sum(len(actor.versions) for actor in settled)
        for _ in range(missing):
            least = min(settled, key=lambda actor: len(actor.versions), default=None)
            if least is not None and len(least.versions) < ahead:
                self._submit_one(least)

    def _submit_one(self, actor: PooledActor) -> None:
        agent, member = self._earlier.draw(self._submitted)
        self._submitted += 1
        self.pool.submit(actor, agent, self._selves.get(member))
        self.started = self.pool.started

    def _take(self) -> Played | None:
        """Return the oldest rollouts, as many as an update learns from; more if they would be too old for the next."""
        waiting = sorted(self._waiting, key=lambda result: result.version)
        count = max(self._per_update, sum(result.version <= self._oldest for result in waiting))
        taken, self._waiting = waiting[:count], waiting[count:]
        batch = Batch.join([result.value.batch for result in taken])
        staleness = float(np.mean([self.pool.version - result.version for result in taken]))
        return Played(batch, staleness) if batch.size else None

    @override
    def counts(self) -> Counts:
        return self._counts

    @override
    def replace_dead(self) -> list[str]:
        return self.pool.replace_dead()

    @override
    def close(self) -> None:
        self.pool.close()
