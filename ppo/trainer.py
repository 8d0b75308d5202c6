"""Train by proximal policy optimisation: rollouts are played, and the learner updates the policy with them.

This process learns; it plays too, or actors on a cluster do, see `ppo.workers`. `learn` is the update loop, and
`training.run.Run` keeps the folder.
"""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from eval.common.entry import step
from eval.common.ray_cluster import check_room, connected
from ppo.buffer import decision_dtype
from ppo.config import Config
from ppo.learner import FIGURES, Learner
from ppo.pool import Pool
from ppo.rollout import try_out
from ppo.workers.in_process import InProcessWorkers, Workers
from rlcard_kit.files import pinning
from training.checkpoint import Learns, strip_prefix
from training.games import LearnedGame
from training.learner import describe_learner
from training.machine import Machine, Precision, choose_precision, fit_learner, threads_beside_actors
from training.metrics import Figures
from training.run import Run, Trained, begin_run

MOST_TRIED = 256  # decisions by which the precision is chosen; from there on, more rows only favour bfloat16 further


class PPOState:
    """The state of a run: the learner, the games in progress and the earlier selves.

    Args:
        config: settings of the run.
        game: that is learned.
        precisions: of the networks, by device.
    """

    def __init__(self, config: Config, game: LearnedGame, precisions: Mapping[str, Precision]) -> None:
        device = config.run.training_device
        self.learner = Learner(config, game, precisions[device].dtype, device)
        self.pool = Pool(config.game, config.run.seed, self.learner)
        self.workers: Workers
        if config.run.ray:
            from ppo.workers.ray_workers import RayWorkers  # needs Ray

            self.workers = RayWorkers(config, game, self.learner, self.pool, precisions['cpu'].dtype)
        else:
            self.workers = InProcessWorkers(config, game, self.learner, self.pool)
        self._by_prefix: dict[str, Learns] = {'learner.': self.learner, 'rollout.': self.workers, 'pool.': self.pool}

    def tensors(self) -> dict[str, Tensor]:
        """Return what a resumed run starts from."""
        parts = self._by_prefix.items()
        return {prefix + name: tensor for prefix, part in parts for name, tensor in part.tensors().items()}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Restore what `tensors` returned."""
        for prefix, part in self._by_prefix.items():
            part.restore(strip_prefix(prefix, tensors))


class Plan(NamedTuple):
    """The decisions about a run that depend on the machine."""

    config: Config  # with device and threads
    game: LearnedGame
    precisions: Mapping[str, Precision]  # of the networks, by device


def train(config: Config) -> Trained:
    """Train until the limits of the settings, Ctrl-C or SIGTERM, and save the run in its folder.

    Raises:
        ConfigError: if the settings do not fit this machine.
        CheckpointError: if the folder holds a run that is not to be resumed, or that cannot be.
        ActorError: if actors keep dying.
        ClusterError: if the cluster that the settings name cannot be used.
        FloatingPointError: if the run diverges; its last sound state is kept.
    """
    with pinning(), connected(config.run.ray) if config.run.ray else nullcontext():
        with step('starting'):
            plan = plan_run(config, Machine.here())
            state = PPOState(*plan)
        learner, workers = state.learner, state.workers
        with begin_run(plan.config, plan.game, learner, state) as run:
            if run.was_finished:
                return run.trained()
            workers.start(run.counters.actors)
            with run.supervise(workers):
                text = describe_learner(plan.config.run, learner.network, plan.precisions)
                run.display.say(f'{workers.describe()}; {plan.config.network.network} network; {text}')
                learn(run, learner, workers)
            return run.trained()


def learn(run: Run[Config], learner: Learner, workers: Workers) -> None:
    """Collect rollouts and update the policy with them until the run is over."""
    measured: Figures = dict.fromkeys((*FIGURES, 'staleness'))
    while not run.is_over:
        played = workers.collect()
        if played is not None:
            learner.set_progress(run.progress.done)
            measured = {**learner.update(played.batch), 'staleness': played.staleness}
            run.progress.frames += played.batch.size
        if run.is_due:
            run.report({**measured, 'learning_rate': learner.rate})


def plan_run(config: Config, machine: Machine) -> Plan:
    """Choose for a machine what the settings leave open; limit this process to the learner's threads.

    Raises:
        ConfigError: if a device does not exist, or the games need too much memory.
        ClusterError: if the cluster has no room for the actors.
    """
    game = config.find_game()
    threads = threads_beside_actors(config.run, machine) if config.run.ray else machine.cores
    config = fit_learner(config, machine, threads)
    games, steps = config.game.num_games, config.game.num_steps
    decision = decision_dtype(game.card).itemsize
    machine.check_memory(f'num_games={games}, num_steps={steps}', 2 * games * steps * decision)  # decisions and a batch
    if config.run.ray and config.run.num_actors:
        check_room('num_actors', config.run.num_actors)
    torch.set_num_threads(config.run.learner_threads or 1)
    devices = dict.fromkeys((config.run.training_device, *(['cpu'] if config.run.ray else [])))  # actors play on cpu
    works = {device: partial(minibatch_work, config.changed(training_device=device), game) for device in devices}
    return Plan(config, game, {device: choose_precision(config.run, work) for device, work in works.items()})


def minibatch_work(config: Config, game: LearnedGame, dtype: torch.dtype) -> Callable[[], float]:
    """Return a call that computes the gradient of a minibatch; in small ones, casting the weights costs most."""
    learner = Learner(config, game, dtype, config.run.training_device)
    batch = try_out(config, game, learner.sampler)
    minibatch = batch.select(np.arange(min(config.learning.minibatch_size, MOST_TRIED)) % batch.size)
    return partial(learner.gradient, minibatch)
