"""A PPO run: some play rollouts, the learner learns from them in this process."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from functools import partial

import numpy as np
import torch
from torch import Tensor

from common.ray_cluster import check_room, connected
from ppo.config import Config
from ppo.learner import FIGURES, Learner
from ppo.pool import Drawn, Pool
from ppo.rollout import decision_record, try_out
from ppo.workers.base import Weights, Workers
from ppo.workers.in_process import InProcessWorkers
from rlcard_kit.nets.policy import PolicyNetwork
from rlcard_kit.nets.weights import dump_weights
from training.checkpoint import Counters, Learns, strip_prefix
from training.display import Display
from training.machine import Machine, fit_learner, threads_beside_actors
from training.metrics import Figures
from training.precision import Precision, choose_precision
from training.run import Run, Trained, carry_out, check_sound, describe_learner, prepare

MOST_TRIED = 256  # decisions by which the precision is chosen; from there on, more rows only favour bfloat16 further


class PPOState:
    """What a run resumes from: the learner, the games in progress and the earlier selves.

    It is what those who play know of the learner, see `Policies`.

    Args:
        config: settings of the run.
        precisions: of the networks, by device.
    """

    def __init__(self, config: Config, precisions: Mapping[str, Precision]) -> None:
        self.learner = Learner(config, precisions[config.run.training_device].dtype, config.run.training_device)
        self.pool = Pool(config, self.learner)
        self._config = config
        self.workers = self._make_workers(precisions)
        self._by_prefix: dict[str, Learns] = {'learner.': self.learner, 'rollout.': self.workers, 'pool.': self.pool}

    def _make_workers(self, precisions: Mapping[str, Precision]) -> Workers:
        if not self._config.run.ray:
            return InProcessWorkers(self._config, self)
        from ppo.workers.ray_workers import RayWorkers  # needs Ray

        return RayWorkers(self._config, self, precisions['cpu'].dtype)

    @property
    def updates(self) -> int:
        """Updates since the run began."""
        return self.learner.updates

    @property
    def network(self) -> PolicyNetwork:
        """The policy."""
        return self.learner.network

    @property
    def dtype(self) -> torch.dtype:
        """The precision in which the learner's device computes."""
        return self.learner.dtype

    def weights(self) -> Weights:
        """Return the weights of the policy, if they are sound; see `Policies.weights`."""
        check_sound(self.network.state_dict())
        return dump_weights(self.network)

    def follow(self) -> None:
        """Have the policy become an earlier self if it is time to; see `Policies.follow`."""
        if self._config.game.pool_share:
            self.pool.follow()

    def draw(self, *of: int) -> Drawn | None:
        """Draw an opponent; None if there is no pool."""
        return self.pool.draw(*of) if self._config.game.pool_share else None

    def earlier_selves(self) -> Mapping[int, Tensor]:
        """Return the weights of the earlier selves, by number."""
        return self.pool.members

    def tensors(self) -> dict[str, Tensor]:
        """Return what a resumed run starts from."""
        parts = self._by_prefix.items()
        return {prefix + name: tensor for prefix, part in parts for name, tensor in part.tensors().items()}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Restore what `tensors` returned."""
        for prefix, part in self._by_prefix.items():
            part.restore(strip_prefix(prefix, tensors))


class PPORun(Run[Config]):
    """A run of playing and learning.

    Args:
        config: settings, fitted to the machine.
        state: of the run.
        display: to show the progress on.
        counters: to resume from.
    """

    def __init__(self, config: Config, state: PPOState, display: Display, counters: Counters) -> None:
        super().__init__(config, state.learner, state, config.learned.load_policy, display, counters)
        self.learner: Learner = state.learner
        self.workers = state.workers
        self._measured: dict[str, float] = {}
        self._statistics = config.learned.no_statistics()

    def update(self) -> None:
        """Have some moves played in each game, and learn from them."""
        played = self.workers.collect()
        if played is not None:
            self.learner.set_progress(self.progress.done)
            self._measured = {**self.learner.update(played.batch), 'staleness': played.staleness}
            self._statistics = played.statistics
            self.progress.frames += played.batch.size

    def refresh(self) -> None:
        """Replace dead actors, and note what has been played."""
        for report in self.workers.replace_dead():
            self.display.say(report)
        self.progress.note(*self.workers.counts())

    def figures(self) -> Figures:
        """Return losses and diagnostics of the last update, and what the game counts of the play it learned from.

        Staleness is how many updates older than the policy were the weights that played, on average.
        """
        counted = self.config.learned.averages(self._statistics)
        losses = {name: self._measured.get(name) for name in (*FIGURES, 'staleness')}
        return {**losses, 'learning_rate': self.learner.rate, **counted}

    def counters(self) -> Counters:
        """Return what a resumed run starts from."""
        return self.progress.counters(self.workers.started)


def minibatch_work(config: Config, dtype: torch.dtype) -> Callable[[], float]:
    """Return what computes the gradient of a minibatch in a precision: of small ones, casting the weights costs most.

    Args:
        config: settings of the run.
        dtype: precision of the matrix products.
    """
    learner = Learner(config, dtype, config.run.training_device)
    batch = try_out(config, learner.sampler)
    minibatch = batch.select(np.arange(min(config.learning.minibatch_size, MOST_TRIED)) % batch.size)
    return partial(learner.gradient, minibatch)


def train(config: Config) -> Trained:
    """Train until the limits of the settings, Ctrl-C or SIGTERM, and save the run in its folder.

    Raises:
        ConfigError: if the settings do not fit this machine.
        CheckpointError: if the folder holds a run that is not to be resumed, or that cannot be.
        ActorError: if actors keep dying.
        ClusterError: if the cluster that the settings name cannot be used.
        FloatingPointError: if the run diverges; its last sound state is kept.
    """
    with connected(config.run.ray) if config.run.ray else nullcontext():
        return _train(config, Machine.here())


def _train(config: Config, machine: Machine) -> Trained:
    threads = threads_beside_actors(config, machine) if config.run.ray else machine.cores
    config = fit_learner(config, machine, threads)
    sizes = f'num_games={config.game.num_games}, num_steps={config.game.num_steps}'
    decision = decision_record(config.learned.card).itemsize
    machine.check_memory(sizes, 2 * config.game.num_games * config.game.num_steps * decision)  # decisions and a batch
    prepare(config)
    if config.run.ray and config.run.num_actors:
        check_room('num_actors', config.run.num_actors)
    precisions = _precisions(config)
    state = PPOState(config, precisions)
    return carry_out(config, state, partial(_start, config, state, precisions))


def _precisions(config: Config) -> dict[str, Precision]:
    """Choose the precision of each device that a run uses; actors play on the cpu."""
    devices = dict.fromkeys((config.run.training_device, *(['cpu'] if config.run.ray else [])))
    works = {device: partial(minibatch_work, config.changed(training_device=device)) for device in devices}
    return {device: choose_precision(config, work) for device, work in works.items()}


@contextmanager
def _start(
    config: Config, state: PPOState, precisions: Mapping[str, Precision], display: Display, counters: Counters
) -> Iterator[PPORun]:
    """Start those who play and yield the run; save it and stop them at the end."""
    state.workers.start(counters.actors)
    with closing(state.workers) as workers:
        learner = describe_learner(config, state.learner, precisions)
        display.say(f'{workers.describe()}; {config.network.network} network; {learner}')
        with closing(PPORun(config, state, display, counters)) as run:
            yield run
