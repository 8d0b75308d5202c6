"""A training run: actors in processes of their own, the learner in this one."""

import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from types import FrameType
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from dmc.actor import Actor
from dmc.actors import Actors
from dmc.checkpoint import (
    WRITE_ERRORS,
    CheckpointError,
    Counters,
    keep_checkpoint,
    load_state,
    refuse_used,
    save_checkpoint,
    save_state,
)
from dmc.config import Config
from dmc.display import Display
from dmc.evaluator import Evaluator
from dmc.inference import Precision, choose_precision
from dmc.learner import Learner
from dmc.lockstep import LockStep
from dmc.machine import Machine, fitted
from dmc.metrics import Metrics
from dmc.network import ValueNetwork, dump_weights, num_weights
from dmc.opponents import check_opponents
from dmc.optimizer import rate_factor
from dmc.progress import Progress
from dmc.shared import ROW_SIZE, SharedArrays, Sizes
from dmc.standing import Curve, Point

TEND_SECONDS = 0.2  # between two handings of weights to the actors, and looks at them
SAVE_SECONDS = 60.0  # between two savings of the state to go on from


@contextmanager
def _interrupts_noted() -> Iterator[list[int]]:
    """Collect SIGINT and SIGTERM in a list instead of raising, so that a run can end in order."""
    noted: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        noted.append(number)

    earlier = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield noted
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)


class Trained(NamedTuple):
    """The end of a run."""

    network: ValueNetwork  # averaged over the latest updates
    minutes: float  # that the run has taken, earlier parts included
    progress: Progress
    interrupted: bool  # by Ctrl-C or SIGTERM, before its limit


class _Run:
    """The learner's side of a run: what happens between two looks at the clock."""

    def __init__(
        self,
        config: Config,
        learner: Learner,
        shared: SharedArrays,
        actors: Actors | LockStep,
        display: Display,
        counters: Counters,
    ) -> None:
        self.config = config
        self.learner = learner
        self.shared = shared
        self.actors = actors
        self.display = display
        self.progress = Progress(config, counters)
        self._metrics = Metrics(config.savedir)
        self._curve = Curve(config.savedir)
        self._evaluator = Evaluator(config)
        self._rows = np.empty((config.batch_size, ROW_SIZE), np.int64)
        self._tended = self._saved = self._kept = self._evaluated = 0.0

    def update(self) -> None:
        """Learn from one batch, or have more played where there is none yet."""
        if self.shared.waiting() < self.config.batch_size:
            self.actors.supply()
            return
        self.shared.take(self.config.batch_size, self._rows)
        factor = rate_factor(self.progress.done, self.config.decay)
        self.learner.set_rate(factor)
        self.progress.learning_rate = factor * self.config.learning_rate
        self.progress.count(self.config.batch_size, self.learner.update(self._rows))

    def tend(self) -> None:
        """Look after actors, display, metrics, matches and checkpoints where it is time to."""
        now = self.progress.seconds_now
        if now - self._tended > TEND_SECONDS:
            self._tended = now
            for death in self.actors.replace_dead():
                self.display.say(death)
            self.shared.publish(self._sound_weights())
            self.progress.look(self.shared)
            self.display.show(self.progress, self._curve.latest())
            self._collect_points()
            self._try('metrics', lambda: self._metrics.write(self.progress))
        if self.config.eval_deals and now - self._evaluated > 60 * self.config.eval_interval:
            self._evaluated = now
            self._evaluator.start(self.learner.average, self.progress.seconds / 60, self.progress.frames)
        if now - self._saved > SAVE_SECONDS:
            self._saved = now
            self._try('checkpoint', self.save)

    def _collect_points(self) -> None:
        match self._evaluator.collect():
            case str() as problem:
                self.display.say(f'match not played: {problem}')
            case [*points]:
                self._try('learning curve', lambda: self.add(points))

    def _try(self, what: str, write: Callable[[], None]) -> None:
        """Write something that training can go on without."""
        try:
            write()
        except (OSError, CheckpointError) as error:
            self.display.say(f'{what}: {error}; training goes on')

    def add(self, points: list[Point]) -> None:
        """Add points to the learning curve; OSError where it cannot be written."""
        self.display.tell(points)
        self._metrics.add(points)
        self._curve.add(points)

    def _sound_weights(self) -> NDArray[np.float32]:
        """Return the weights; FloatingPointError where one is no number, for nobody is to see those."""
        weights = dump_weights(self.learner.network)
        if not np.isfinite(weights).all():
            raise FloatingPointError('a weight of the network is no number: it is neither played with nor saved')
        return weights

    def save(self, keep: bool = False) -> None:
        """Save the state to go on from, and the network, also among those that are kept where it is time to.

        CheckpointError where they cannot be written, FloatingPointError where a weight is no number.
        """
        self._sound_weights()
        try:
            self._write(keep or self.progress.seconds_now - self._kept > 60 * self.config.save_interval)
        except WRITE_ERRORS as error:
            raise CheckpointError(f'not saved: {error}; the earlier checkpoint is kept') from error

    def _write(self, keep: bool) -> None:
        progress, average = self.progress, self.learner.average
        save_state(self.config, self.learner, progress.counters(self.learner.updates, self.actors.started))
        save_checkpoint(self.config.savedir, self.config, average, progress.frames)
        if keep:
            self._kept = progress.seconds_now
            keep_checkpoint(self.config, average, progress.frames)

    def close(self) -> None:
        """Stop what runs beside the learner, and save."""
        self.actors.stop()
        self._evaluator.stop()
        try:
            self.save(keep=True)
        finally:
            self._metrics.close()


def train(config: Config) -> Trained:
    """Train until the limits of `config`, Ctrl-C or SIGTERM, and save the run in its folder.

    Raises ConfigError where the settings do not fit this machine; CheckpointError where the folder holds a run
    and is not to be resumed, or cannot be; ActorError where actors keep dying; FloatingPointError where the loss
    is no number: the state of before is saved.
    """
    config = fitted(config, Machine.here())
    check_opponents(config)
    torch.set_num_threads(config.learner_threads or 1)
    precisions = _precisions(config)
    learner = Learner(config, precisions[config.training_device].dtype, config.training_device)
    counters = _begin(config, learner)
    with ExitStack() as stack:
        interrupts = stack.enter_context(_interrupts_noted())
        shared = stack.enter_context(closing(_share(config, learner)))
        display = stack.enter_context(Display(config))
        display.say(_describe(config, precisions, learner, shared))
        _compile(config, shared, precisions)
        if config.deterministic:
            actors: Actors | LockStep = LockStep(config, shared, learner, counters.actors)
        else:
            actors = Actors(config, shared, precisions, counters.actors)
        run = stack.enter_context(closing(_Run(config, learner, shared, actors, display, counters)))
        while not interrupts and run.progress.done < 1:
            run.update()
            run.tend()
        minutes = run.progress.seconds / 60
    return Trained(learner.average, minutes, run.progress, bool(interrupts))


def _precisions(config: Config) -> dict[str, Precision]:
    """Choose the precision of each device that a run uses."""
    setting = 'float32' if config.deterministic and config.precision == 'auto' else config.precision
    devices = dict.fromkeys((config.training_device, *config.actor_devices))
    return {device: choose_precision(setting, config.hidden_size, device) for device in devices}


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


def _begin(config: Config, learner: Learner) -> Counters:
    if config.resume:
        return load_state(config, learner)
    refuse_used(config.savedir)
    return Counters()


def _compile(config: Config, shared: SharedArrays, precisions: dict[str, Precision]) -> None:
    """Play a few moves here, so that the actors find their kernels compiled and the clock has not started."""
    device = config.actor_devices[0]
    actor = Actor(replace(config, num_games=4), 0, 0, shared, precisions[device].dtype, device)
    for _ in range(8):  # so many that everybody has something to choose
        actor.play_moves()
