"""Rollouts that actors on a cluster play, by Ray; see `training.cluster.actor_pool`.

The games are divided among the actors. An update learns from as many rollouts as make up all games, whoever played
them, so that actors may come and go. They play the next ones while the learner learns, so that these are stale by the
time they are learned from: by at most `max_staleness` updates, because the learner waits for those that would become
older.
"""

from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import ray
import torch
from torch import Tensor

from ppo.config import Config
from ppo.policy import Sampler
from ppo.pool import Opponents
from ppo.rollout import Batch, Rollout, try_out
from ppo.workers.base import Counts, Played, Policies, Weights
from rlcard_kit.agents.base import Chooser
from rlcard_kit.arrays import Float64Array
from rlcard_kit.nets.weights import load_weights
from training.cluster.actor_pool import Crew, Member

WAIT_SECONDS = 0.05  # of the learner, for rollouts


class Answer(NamedTuple):
    """A rollout."""

    batch: Batch
    counts: Counts
    statistics: Float64Array  # see `Played`


class Share(NamedTuple):
    """A rollout that waits for the learner."""

    version: int  # of the weights that played it
    answer: Answer


class Playing:
    """Plays rollouts of some games, in a process on a node; see `training.cluster.actor_pool.Plays`.

    Args:
        config: settings of the run, `num_games` being the actor's own.
        dtype: precision of the matrix products.
        stream: of its random draws, from 0 on.
    """

    def __init__(self, config: Config, dtype: torch.dtype, stream: int) -> None:
        network = config.learned.make_policy(config.spec).requires_grad_(False)
        self._rollout = Rollout(config, 1 + stream)
        self._sampler = Sampler(network, dtype)
        self._opponents = Opponents(config, network, dtype)
        self._version = 0

    def play(self, weights: Weights, version: int, agent: int | None = None, member: Weights | None = None) -> Answer:
        """Play a rollout by these weights, against an agent by its index or an earlier self by its weights."""
        if version != self._version:
            load_weights(self._sampler.network, weights.copy())
            self._version = version
        before = self._counts()
        batch = self._rollout.collect(self._sampler, self._opponent(agent, member))
        counts = Counts(*(now - then for now, then in zip(self._counts(), before, strict=True)))
        return Answer(batch, counts, self._rollout.counts.copy())

    def _counts(self) -> Counts:
        return Counts(self._rollout.moves, self._rollout.games, self._rollout.won)

    def _opponent(self, agent: int | None, member: Weights | None) -> Chooser | None:
        if agent is not None:
            return self._opponents.agent(agent)
        return None if member is None else self._opponents.earlier_self(torch.from_numpy(member.copy()))


class RayFleet:
    """Has actors play rollouts on the cluster that this process is connected to; see `Fleet`.

    Args:
        config: settings of the run.
        policies: to play by.
        dtype: precision of the actors' matrix products.

    Raises:
        ConfigError: if a name of `pool_agents` is unknown.
    """

    crew: Crew[Answer]  # from `start` on, like all that depends on it
    _games: int  # of each actor
    _per_update: int  # rollouts

    def __init__(self, config: Config, policies: Policies, dtype: torch.dtype) -> None:
        Opponents(config, policies.network, dtype)  # here too, so that names are checked before anything starts
        self._config, self._policies, self._dtype = config, policies, dtype
        self._shares: list[Share] = []
        self._counts = Counts(0, 0, 0)
        self._selves: dict[int, Any] = {}  # references to earlier selves, by number
        self._asked = 0  # calls by the newest policy
        self._published = -1  # updates of that

    @property
    def started(self) -> int:
        """Actors ever started in the run; see `Fleet.started`."""
        return self.crew.started

    def start(self, started: int) -> None:
        """Start the actors.

        Raises:
            ClusterError: if there is no room for them.
        """
        config = self._config
        try_out(config, Sampler(self._policies.network, self._policies.dtype))  # or each actor here would compile
        self.crew = Crew(config, started, config.most_actors)
        self._games = -(-config.num_games // self.crew.wanted)
        self._per_update = -(-config.num_games // self._games)
        own = replace(config, num_games=self._games, num_actors=None)
        self.crew.start(partial(Playing, own, self._dtype), self._policies.weights())
        self._policies.follow()
        self._follow()

    def _follow(self) -> None:
        """Note what can be played by: the newest policy, and earlier selves."""
        self._published, self._asked = self._policies.updates, 0
        kept = self._policies.earlier_selves().items()
        self._selves = {
            number: self._selves[number] if number in self._selves else ray.put(weights.cpu().numpy())
            for number, weights in kept
        }

    def describe(self) -> str:
        """Say what plays and where; see `Fleet.describe`."""
        games, moves = f'{self._games} of {self._config.num_games} games', f'{self._config.num_steps} moves'
        actors = f'{len(self.crew.members)} actors with {games} each'
        return f'{actors}, {moves} in each game between two updates: {self.crew.where()}'

    def collect(self) -> Played | None:
        """Have rollouts played by the newest policy, and return what an update learns from; see `Fleet.collect`."""
        if self._published != self._policies.updates:
            self.crew.publish(self._policies.weights())
            self._policies.follow()
            self._follow()
        for found in self.crew.answers(0 if self._is_enough() else WAIT_SECONDS):
            self.crew.count(found.member, found.answer.batch.size)
            self._counts = self._counts.plus(found.answer.counts)
            self._shares.append(Share(found.version, found.answer))
        self._shares = [share for share in self._shares if share.version >= self._oldest]
        self._ask()
        return self._take() if self._is_enough() else None

    @property
    def _oldest(self) -> int:
        """The oldest version of the weights that the next update may learn from."""
        return self.crew.version - self._config.max_staleness

    def _settled(self) -> list[Member]:
        """Return the actors that have answered once: the learner does not wait for one that is still starting."""
        return [member for member in self.crew.members.values() if member.answers and member.error is None]

    def _is_enough(self) -> bool:
        """Tell whether an update has its rollouts, and would make none too old that is still being played."""
        late = any(version <= self._oldest for member in self._settled() for version in member.calls)
        return len(self._shares) >= self._per_update and not late

    def _ask(self) -> None:
        """Have rollouts played for this update and as many more as may be stale, the same number by each actor."""
        settled, members = self._settled(), self.crew.members.values()
        for member in members:
            if not (member.answers or member.calls or member.error):
                self._ask_one(member)
        wanted = self._per_update * (1 + self._config.max_staleness)
        ahead = -(-wanted // max(1, len(members)))
        missing = wanted - len(self._shares) - sum(len(member.calls) for member in settled)
        for _ in range(missing):
            least = min(settled, key=lambda one: len(one.calls), default=None)
            if least is not None and len(least.calls) < ahead:
                self._ask_one(least)

    def _ask_one(self, member: Member) -> None:
        drawn = self._policies.draw(self._asked)
        self._asked += 1
        opponent = (None, None) if drawn is None else (drawn.agent, self._selves.get(drawn.member))
        self.crew.ask(member, *opponent)

    def _take(self) -> Played | None:
        """Return the oldest rollouts, as many as an update learns from; more if they would be too old for the next."""
        shares = sorted(self._shares, key=lambda share: share.version)
        count = max(self._per_update, sum(share.version <= self._oldest for share in shares))
        taken, self._shares = shares[:count], shares[count:]
        batch = Batch.join([share.answer.batch for share in taken])
        staleness = float(np.mean([self.crew.version - share.version for share in taken]))
        statistics = np.sum([share.answer.statistics for share in taken], axis=0)
        return Played(batch, staleness, statistics) if batch.size else None

    def counts(self) -> Counts:
        """Return what has been played."""
        return self._counts

    def replace_dead(self) -> list[str]:
        """Replace actors that died or hang, and follow the nodes; see `Crew.replace_dead`."""
        return self.crew.replace_dead()

    def tensors(self) -> dict[str, Tensor]:
        """Return nothing: games in progress are in the actors, and a resumed run deals anew."""
        return {}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Leave games in progress that another process played."""

    def close(self) -> None:
        """End all actors."""
        self.crew.close()
