"""A training run: actors in processes of their own, the learner in this one."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType

import numpy as np
import torch

from dmc.actor import Actor
from dmc.actors import Actors
from dmc.checkpoint import keep_checkpoint, save_checkpoint
from dmc.config import Config
from dmc.display import Display
from dmc.inference import faster_precision
from dmc.learner import Learner
from dmc.network import ValueNetwork, dump_weights, num_weights
from dmc.progress import Progress
from dmc.shared import ROW_SIZE, SharedArrays, Sizes

PUBLISH_SECONDS = 0.2  # between two handings of weights to the actors


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


def train(config: Config) -> ValueNetwork:
    """Train until the limits of `config` or Ctrl-C, save the network in its folder, and return it.

    Raises ActorError with an actor's traceback, and FloatingPointError where the loss is no number; the
    network is saved as it was before.
    """
    torch.set_num_threads(1)
    network = ValueNetwork(config.hidden_size, config.lstm_size)
    dtype = faster_precision(network) if config.precision == 'auto' else getattr(torch, config.precision)
    learner = Learner(config, dtype)
    shared = SharedArrays(Sizes(config.num_actors, config.ring_size, num_weights(network)))
    shared.publish(dump_weights(learner.network))
    _compile(config, shared, dtype)
    progress = Progress()
    with _interrupts_noted() as interrupts, Display(config) as display:
        actors = Actors(config, shared, dtype)
        try:
            _learn(config, learner, shared, actors, progress, display, interrupts)
        finally:
            actors.stop()
            shared.close()
            save_checkpoint(config.savedir, config, learner.network, progress.frames)
            keep_checkpoint(config, learner.network, progress.frames)
    return learner.network


def _compile(config: Config, shared: SharedArrays, dtype: torch.dtype) -> None:
    """Play a few moves here, so that the actors find their kernels compiled and the clock has not started."""
    actor = Actor(replace(config, num_games=1), 0, 0, shared, dtype)
    for _ in range(2):
        actor.play_moves()


def _learn(
    config: Config,
    learner: Learner,
    shared: SharedArrays,
    actors: Actors,
    progress: Progress,
    display: Display,
    interrupts: list[int],
) -> None:
    """Update, publish and show until a limit or an interrupt."""
    rows = np.empty((config.batch_size, ROW_SIZE), np.int64)
    published = time.monotonic()
    saved = 0.0
    while not interrupts and not progress.reached(config):
        if shared.waiting() >= config.batch_size:
            shared.take(config.batch_size, rows)
            progress.count(config.batch_size, learner.update(rows))
        else:
            time.sleep(0.001)
        if time.monotonic() - published > PUBLISH_SECONDS:
            for death in actors.replace_dead():
                display.say(death)
            shared.publish(dump_weights(learner.network))
            progress.look(shared)
            display.show(progress)
            published = time.monotonic()
        if progress.seconds >= saved + 60 * config.save_interval:
            saved = progress.seconds
            keep_checkpoint(config, learner.network, progress.frames)
