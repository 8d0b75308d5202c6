"""A DMC run: actors in processes of their own, the learner in this one."""

from contextlib import ExitStack, closing
from dataclasses import replace

import numpy as np
import torch

from dmc.actor import Actor
from dmc.config import Config
from dmc.fleet.in_turn import LockStep
from dmc.fleet.processes import Actors
from dmc.fleet.shared_memory import DECISION, SharedArrays, Sizes
from dmc.learner import Learner
from dmc.opponents import check_opponent
from dmc.sizes import fitted
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.nets.value import dump_weights
from training.checkpoint import Counters, begin
from training.display import Display
from training.evaluator import check_eval_opponents
from training.learner import num_weights
from training.machine import Machine
from training.metrics import Figures
from training.precision import Precision, choose_precision
from training.rates import rate_factor
from training.run import Run, Trained, check_finite, interrupts_noted

SMOOTHING = 0.99  # of the loss that is shown


class DMCRun(Run):
    """The learner's side of a run.

    Args:
        config: fitted to the machine.
        learner: of the run.
        shared: its arrays.
        actors: who fill them.
        display: to show the progress on.
        counters: of the run when it was left, where it is resumed.
    """

    def __init__(
        self,
        config: Config,
        learner: Learner,
        shared: SharedArrays,
        actors: Actors | LockStep,
        display: Display,
        counters: Counters,
    ) -> None:
        super().__init__(config, learner, learner.average, DMCAgent.load, display, counters)
        self.config = config
        self.learner = learner
        self.shared = shared
        self.actors = actors
        self._loss: float | None = None
        self._rows = np.empty(config.batch_size, DECISION)

    def update(self) -> None:
        """Learn from one batch, or have more played where there is none yet."""
        if self.shared.waiting() < self.config.batch_size:
            self.actors.supply()
            return
        self.shared.take(self.config.batch_size, self._rows)
        self.learner.rate = self.config.learning_rate * rate_factor(self.progress.done, self.config.decay)
        loss = self.learner.update(self._rows)
        self._loss = loss if self._loss is None else SMOOTHING * self._loss + (1 - SMOOTHING) * loss
        self.progress.frames += self.config.batch_size

    def look(self) -> None:
        """Look after the actors and hand them the weights."""
        for death in self.actors.replace_dead():
            self.display.say(death)
        check_finite(self.learner.network.parameters())
        self.shared.publish(dump_weights(self.learner.network))
        played, games, won = (int(c.sum()) for c in (self.shared.written, self.shared.games, self.shared.won))
        self.progress.look(played, games, won)

    def figures(self) -> Figures:
        """Return the loss, how full the rings are (1: the learner is behind, 0: the actors are), and the rate."""
        return {'loss': self._loss, 'queue': self.shared.filled, 'learning_rate': self.learner.rate}

    def counters(self) -> Counters:
        """Return what a resumed run goes on from."""
        return self.progress.counters(self.actors.started)


def train(config: Config) -> Trained:
    """Train until the limits of `config`, Ctrl-C or SIGTERM, and save the run in its folder.

    Raises ConfigError where the settings do not fit this machine; CheckpointError where the folder holds a run
    and is not to be resumed, or cannot be; ActorError where actors keep dying; FloatingPointError where the loss
    is no number: the state of before is saved.
    """
    config = fitted(config, Machine.here())
    check_opponent(config)
    check_eval_opponents(config)
    torch.set_num_threads(config.learner_threads or 1)
    precisions = _precisions(config)
    learner = Learner(config, precisions[config.training_device].dtype, config.training_device)
    counters = begin(config, learner)
    with ExitStack() as stack:
        interrupts = stack.enter_context(interrupts_noted())
        shared = stack.enter_context(closing(_share(config, learner)))
        display = stack.enter_context(Display(config))
        display.say(_describe(config, precisions, learner, shared))
        _compile(config, shared, precisions)
        actors = _start_actors(config, shared, precisions, learner, counters)
        stack.callback(actors.stop)
        run = stack.enter_context(closing(DMCRun(config, learner, shared, actors, display, counters)))
        while not interrupts and run.progress.done < 1:
            run.update()
            run.tend()
        trained = run.trained()
    return trained._replace(interrupted=bool(interrupts))


def _precisions(config: Config) -> dict[str, Precision]:
    """Choose the precision of each device that a run uses."""
    devices = dict.fromkeys((config.training_device, *config.actor_devices))
    return {device: choose_precision(config, config.hidden_size, device) for device in devices}


def _share(config: Config, learner: Learner) -> SharedArrays:
    weights = dump_weights(learner.network)
    shared = SharedArrays(Sizes(config.num_actors or 1, config.ring_size, len(weights)))
    shared.publish(weights)
    return shared


def _describe(config: Config, precisions: dict[str, Precision], learner: Learner, shared: SharedArrays) -> str:
    """Say what a run consists of on this machine."""
    found = '; '.join(f'{found.name} on {device} ({found.reason})' for device, found in precisions.items())
    where = f'{config.learner_threads} threads' if config.training_device == 'cpu' else config.training_device
    players = 'played here, by turns' if config.deterministic else f'on {", ".join(config.actor_devices)}'
    return (
        f'{config.num_actors} actors with {config.num_games} games each, {players}; learner: {where}; {found}; '
        f'{config.network} network of {num_weights(learner.network):,} weights; '
        f'{shared.num_bytes / 2**20:.0f} MB of shared memory'
    )


def _compile(config: Config, shared: SharedArrays, precisions: dict[str, Precision]) -> None:
    """Play a few moves here, so that the actors find their kernels compiled and the clock has not started."""
    device = config.actor_devices[0]
    actor = Actor(replace(config, num_games=4), 0, 0, shared, precisions[device].dtype, device)
    for _ in range(8):  # so many that everybody has something to choose
        actor.play_moves()


def _start_actors(
    config: Config, shared: SharedArrays, precisions: dict[str, Precision], learner: Learner, counters: Counters
) -> Actors | LockStep:
    if config.deterministic:
        return LockStep(config, shared, learner, counters.actors)
    return Actors(config, shared, {device: found.dtype for device, found in precisions.items()}, counters.actors)
