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

from dmc.actor import Actor
from dmc.actors import Actors
from dmc.checkpoint import keep_checkpoint, refuse_used, save_checkpoint
from dmc.config import Config
from dmc.display import Display
from dmc.inference import faster_precision
from dmc.learner import Learner
from dmc.network import ValueNetwork, dump_weights, num_weights
from dmc.progress import Progress
from dmc.shared import ROW_SIZE, SharedArrays, Sizes

TEND_SECONDS = 0.2  # between two handings of weights to the actors, and looks at them


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

    def __init__(self, config: Config, learner: Learner, shared: SharedArrays) -> None:
        self.config = config
        self.learner = learner
        self.shared = shared
        self.progress = Progress()
        self._rows = np.empty((config.batch_size, ROW_SIZE), np.int64)
        self._tended = 0.0
        self._kept = 0.0

    def update(self) -> None:
        """Learn from one batch, or wait a moment where none is there yet."""
        if self.shared.waiting() < self.config.batch_size:
            time.sleep(0.001)
            return
        self.shared.take(self.config.batch_size, self._rows)
        self.progress.count(self.config.batch_size, self.learner.update(self._rows))

    def tend(self, actors: Actors, display: Display) -> None:
        """Look after actors, display and checkpoints where it is time to."""
        now = self.progress.seconds
        if now - self._tended > TEND_SECONDS:
            self._tended = now
            for death in actors.replace_dead():
                display.say(death)
            self.shared.publish(dump_weights(self.learner.network))
            self.progress.look(self.shared)
            display.show(self.progress)
        if now - self._kept > 60 * self.config.save_interval:
            self._kept = now
            keep_checkpoint(self.config, self.learner.network, self.progress.frames)

    def save(self) -> None:
        """Save the network as the run's own, and among its checkpoints."""
        save_checkpoint(self.config.savedir, self.config, self.learner.network, self.progress.frames)
        keep_checkpoint(self.config, self.learner.network, self.progress.frames)


def train(config: Config) -> Trained:
    """Train until the limits of `config`, Ctrl-C or SIGTERM, and save the network in the run's folder.

    Raises CheckpointError where that folder holds a run already, ActorError where actors keep dying, and
    FloatingPointError where the loss is no number; the network is saved as it was before.
    """
    refuse_used(config.savedir)
    torch.set_num_threads(1)
    network = ValueNetwork(config.hidden_size, config.lstm_size)
    dtype = faster_precision(network) if config.precision == 'auto' else getattr(torch, config.precision)
    learner = Learner(config, dtype)
    sizes = Sizes(config.num_actors, config.ring_size, num_weights(network))
    with closing(SharedArrays(sizes)) as shared, _interrupts_noted() as interrupts, Display(config) as display:
        shared.publish(dump_weights(learner.network))
        _compile(config, shared, dtype)
        run = _Run(config, learner, shared)
        actors = Actors(config, shared, dtype)
        try:
            while not interrupts and not run.progress.reached(config):
                run.update()
                run.tend(actors, display)
        finally:
            actors.stop()
            run.save()
    return Trained(learner.network, bool(interrupts))


def _compile(config: Config, shared: SharedArrays, dtype: torch.dtype) -> None:
    """Play a few moves here, so that the actors find their kernels compiled and the clock has not started."""
    actor = Actor(replace(config, num_games=1), 0, 0, shared, dtype)
    for _ in range(2):
        actor.play_moves()
