"""Train by Deep Monte Carlo: actors play, and the learner regresses values on the outcomes of their games.

This process learns; actors play in other processes, see `dmc.workers`. `plan_run` fits the settings to the machine,
`start_workers` starts the actors, `learn` is the update loop, and `training.run.Run` keeps the folder.
"""

from contextlib import nullcontext

import numpy as np

from dmc.actor import Actor
from dmc.autosize import Plan, plan_run
from dmc.config import Config
from dmc.learner import Learner
from dmc.workers.base import Workers, replay_dtype
from dmc.workers.in_process import InProcessWorkers, LocalLink
from dmc.workers.processes import ProcessWorkers
from eval.common.entry import step
from eval.common.ray_cluster import connected
from rlcard_kit.files import pinning
from rlcard_kit.nets.weights import dump_weights
from training.learner import rate_factor
from training.machine import Machine
from training.run import Run, Trained, begin_run, sound_weights

SMOOTHING = 0.99  # of the loss that is shown


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
            warm_up(plan)
            learner = Learner(plan.config, plan.game, plan.precision.dtype, plan.config.run.training_device)
        with begin_run(plan.config, plan.game, learner) as run:
            if run.was_finished:
                return run.trained()
            for line in plan.describe(learner.network, learner.is_sparse):
                run.display.say(line)
            with run.supervise(start_workers(plan, learner, run.counters.actors)) as workers:
                run.display.say(workers.describe())
                learn(plan, run, learner, workers)
            return run.trained()


def learn(plan: Plan, run: Run[Config], learner: Learner, workers: Workers) -> None:
    """Take batches from the actors and update the network until the run is over."""
    settings, loss = plan.config.learning, None
    batch = np.empty(settings.batch_size, replay_dtype(plan.game.card))
    while not run.is_over:
        if workers.waiting() < len(batch):
            workers.supply()
        else:
            workers.take(len(batch), batch)
            learner.rate = settings.learning_rate * rate_factor(run.progress.done, settings.decay)
            latest = learner.update(batch)
            loss = latest if loss is None else SMOOTHING * loss + (1 - SMOOTHING) * latest
            run.progress.frames += len(batch)
        if run.is_due:
            workers.publish(sound_weights(learner.network))
            # A full queue (1) means that the learner is behind, an empty one (0) that the actors are.
            queue = min(1.0, workers.waiting() / workers.room)
            run.report({'loss': loss, 'queue': queue, 'learning_rate': learner.rate})


def warm_up(plan: Plan) -> None:
    """Play a few moves here: this compiles the kernels before the clock starts, and loads the opponent.

    Raises:
        ConfigError: if the opponent is unknown, or cannot play many games at once.
    """
    device, game = plan.config.run.actor_devices[0], plan.game
    actor = Actor(plan.config.changed(num_games=4), game, 0, LocalLink(game), plan.inference[device], device)
    for _ in range(8):  # enough for every player to choose
        actor.play_moves()


def start_workers(plan: Plan, learner: Learner, started: int) -> Workers:
    """Start the actors of a run, which has `started` some before if it is resumed."""
    config, game, inference = plan.config, plan.game, plan.inference
    if config.run.deterministic:
        return InProcessWorkers(config, game, learner, inference['cpu'], started)
    weights = dump_weights(learner.network)
    if config.run.ray:
        from dmc.workers.ray_workers import RayWorkers  # needs Ray

        return RayWorkers(config, game, weights, inference['cpu'], started)
    return ProcessWorkers(config, game, weights, inference, started)
