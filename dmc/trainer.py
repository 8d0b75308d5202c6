"""A training run: actors in processes of their own, the learner in this one."""

import signal
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
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
from dmc.inference import faster_precision
from dmc.learner import Learner
from dmc.metrics import Metrics
from dmc.network import ValueNetwork, dump_weights, num_weights
from dmc.opponents import check_opponent
from dmc.progress import Progress
from dmc.shared import ROW_SIZE, SharedArrays, Sizes

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

    network: ValueNetwork
    interrupted: bool  # by Ctrl-C or SIGTERM, before its limit


class _Run:
    """The learner's side of a run: what happens between two looks at the clock."""

    def __init__(self, config: Config, learner: Learner, shared: SharedArrays, counters: Counters) -> None:
        self.config = config
        self.learner = learner
        self.shared = shared
        self.progress = Progress(counters)
        self._metrics = Metrics(config.savedir)
        self._rows = np.empty((config.batch_size, ROW_SIZE), np.int64)
        self._tended = self._saved = self._kept = 0.0

    def update(self) -> None:
        """Learn from one batch, or wait a moment where none is there yet."""
        if self.shared.waiting() < self.config.batch_size:
            time.sleep(0.001)
            return
        self.shared.take(self.config.batch_size, self._rows)
        self.progress.count(self.config.batch_size, self.learner.update(self._rows))

    def tend(self, actors: Actors, display: Display) -> None:
        """Look after actors, display, metrics and checkpoints where it is time to."""
        now = self.progress.seconds_now
        if now - self._tended > TEND_SECONDS:
            self._tended = now
            for death in actors.replace_dead():
                display.say(death)
            self.shared.publish(self._sound_weights())
            self.progress.look(self.shared)
            display.show(self.progress)
            self._write_metrics(display)
        if now - self._saved > SAVE_SECONDS:
            self._saved = now
            self._try_to_save(actors, display)

    def _write_metrics(self, display: Display) -> None:
        try:
            self._metrics.write(self.progress)
        except OSError as error:
            display.say(f'metrics not written: {error}; training goes on')

    def _try_to_save(self, actors: Actors, display: Display) -> None:
        try:
            self.save(actors)
        except CheckpointError as error:
            display.say(f'{error}; training goes on')

    def _sound_weights(self) -> NDArray[np.float32]:
        """Return the weights; FloatingPointError where one is no number, for nobody is to see those."""
        weights = dump_weights(self.learner.network)
        if not np.isfinite(weights).all():
            raise FloatingPointError('a weight of the network is no number: it is neither played with nor saved')
        return weights

    def save(self, actors: Actors, keep: bool = False) -> None:
        """Save the state to go on from, and the network, also among those that are kept where it is time to.

        CheckpointError where they cannot be written, FloatingPointError where a weight is no number.
        """
        self._sound_weights()
        try:
            self._write(actors, keep or self.progress.seconds_now - self._kept > 60 * self.config.save_interval)
        except WRITE_ERRORS as error:
            raise CheckpointError(f'not saved: {error}; the earlier checkpoint is kept') from error

    def _write(self, actors: Actors, keep: bool) -> None:
        progress, network = self.progress, self.learner.network
        counters = Counters(progress.frames, progress.games, progress.seconds, actors.started)
        save_state(self.config, self.learner, counters)
        save_checkpoint(self.config.savedir, self.config, network, progress.frames)
        if keep:
            self._kept = progress.seconds_now
            keep_checkpoint(self.config, network, progress.frames)


def train(config: Config) -> Trained:
    """Train until the limits of `config`, Ctrl-C or SIGTERM, and save the run in its folder.

    Raises CheckpointError where that folder holds a run and is not to be resumed, or cannot be; ActorError
    where actors keep dying; FloatingPointError where the loss is no number: the state of before is saved.
    """
    check_opponent(config)
    torch.set_num_threads(1)
    dtype = faster_precision(config.hidden_size) if config.precision == 'auto' else getattr(torch, config.precision)
    learner = Learner(config, dtype)
    counters = _begin(config, learner)
    sizes = Sizes(config.num_actors, config.ring_size, num_weights(learner.network))
    with closing(SharedArrays(sizes)) as shared, _interrupts_noted() as interrupts, Display(config) as display:
        shared.publish(dump_weights(learner.network))
        _compile(config, shared, dtype)
        run = _Run(config, learner, shared, counters)
        actors = Actors(config, shared, dtype, counters.actors)
        try:
            while not interrupts and not run.progress.reached(config):
                run.update()
                run.tend(actors, display)
        finally:
            actors.stop()
            run.save(actors, keep=True)
    return Trained(learner.network, bool(interrupts))


def _begin(config: Config, learner: Learner) -> Counters:
    if config.resume:
        return load_state(config, learner)
    refuse_used(config.savedir)
    return Counters()


def _compile(config: Config, shared: SharedArrays, dtype: torch.dtype) -> None:
    """Play a few moves here, so that the actors find their kernels compiled and the clock has not started."""
    actor = Actor(replace(config, num_games=4), 0, 0, shared, dtype)
    for _ in range(8):  # so many that everybody has something to choose
        actor.play_moves()
