"""A DMC run: a workers of actors plays, the learner learns in this process."""

from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from functools import partial

import numpy as np

from common.ray_cluster import check_room, connected
from dmc.actor import Actor
from dmc.autosize import fitted
from dmc.config import Config
from dmc.inference import Inference, choose_inference
from dmc.learner import Learner
from dmc.opponents import check_opponent
from dmc.workers.base import Workers, replay_row
from dmc.workers.in_process import InProcessWorkers, LocalLink
from dmc.workers.processes import ProcessWorkers
from rlcard_kit.nets.weights import dump_weights
from training.checkpoint import Counters
from training.display import Display
from training.learner import rate_factor
from training.machine import Machine
from training.metrics import Figures
from training.precision import Precision, choose_precision, product
from training.run import Run, Trained, carry_out, check_sound, describe_learner, prepare

SMOOTHING = 0.99  # of the loss that is shown
REFRESHES = 50  # over which statistics of play are averaged


class DMCRun(Run[Config]):
    """The learner's side of a run.

    Args:
        config: settings, fitted to the machine.
        learner: of the run.
        workers: its actors.
        display: to show the progress on.
        counters: to resume from.
    """

    learner: Learner

    def __init__(
        self, config: Config, learner: Learner, workers: Workers, display: Display, counters: Counters
    ) -> None:
        super().__init__(config, learner, learner, config.learned.load_values, display, counters)
        self.workers = workers
        self._loss: float | None = None
        self._sums = deque([config.learned.no_statistics()], REFRESHES)
        self._rows = np.empty(config.learning.batch_size, replay_row(config.learned.card))

    def update(self) -> None:
        """Learn from one batch, or have more played if none is waiting."""
        if self.workers.waiting() < self.config.learning.batch_size:
            self.workers.supply()
            return
        self.workers.take(self.config.learning.batch_size, self._rows)
        learning = self.config.learning
        self.learner.rate = learning.learning_rate * rate_factor(self.progress.done, learning.decay)
        loss = self.learner.update(self._rows)
        self._loss = loss if self._loss is None else SMOOTHING * self._loss + (1 - SMOOTHING) * loss
        self.progress.frames += self.config.learning.batch_size

    def refresh(self) -> None:
        """Replace dead actors, publish the weights and note what has been played."""
        for report in self.workers.replace_dead():
            self.display.say(report)
        check_sound(self.learner.network.state_dict())
        self.workers.publish(dump_weights(self.learner.network))
        *counts, statistics = self.workers.counts()
        self.progress.note(*counts)
        self._sums.append(statistics)

    def figures(self) -> Figures:
        """Return the loss, how full the buffers are, the rate, and what the game counts of its recent play.

        Buffers that are full (1) mean that the learner is behind, empty ones (0) that the actors are.
        """
        recent = self.config.learned.averages(self._sums[-1] - self._sums[0])
        return {'loss': self._loss, 'queue': self.workers.filled, 'learning_rate': self.learner.rate, **recent}

    def counters(self) -> Counters:
        """Return what a resumed run starts from."""
        return self.progress.counters(self.workers.started)


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
        return _train(fitted(config, Machine.here()))


def _train(config: Config) -> Trained:
    check_opponent(config)
    prepare(config)
    if config.run.ray and config.run.num_actors:
        check_room('num_actors', config.run.num_actors)
    device = config.run.training_device
    precision = choose_precision(config, product(config.network.hidden_size, device))
    inference = choose_inference(config)
    learner = Learner(config, precision.dtype, device)
    return carry_out(config, learner, partial(_start, config, learner, precision, inference))


@contextmanager
def _start(
    config: Config,
    learner: Learner,
    precision: Precision,
    inference: Mapping[str, Inference],
    display: Display,
    counters: Counters,
) -> Iterator[DMCRun]:
    """Start the actors and yield the run; save it and stop them at the end."""
    for line in describe(config, learner, precision, inference):
        display.say(line)
    _compile(config, inference)
    with closing(_make_workers(config, learner, inference, counters)) as workers:
        display.say(workers.describe())
        with closing(DMCRun(config, learner, workers, display, counters)) as run:
            yield run


def describe(
    config: Config, learner: Learner, precision: Precision, inference: Mapping[str, Inference]
) -> Iterator[str]:
    """Say how the learner and the actors of a run compute, and why so."""
    way = 'sums of rows in place of products with ones and zeros; ' if learner.sums else ''
    text = describe_learner(config, learner, {config.run.training_device: precision})
    yield f'{config.network.network} network; {way}{text}'
    for device, chosen in inference.items():
        yield f'actors on {device} compute in {chosen.name} ({chosen.reason})'


def _compile(config: Config, inference: Mapping[str, Inference]) -> None:
    """Play a few moves here, so that the actors find their kernels compiled before the clock starts."""
    device = config.run.actor_devices[0]
    actor = Actor(config.changed(num_games=4), 0, LocalLink(config.learned), inference[device], device)
    for _ in range(8):  # so many that every player has had something to choose
        actor.play_moves()


def _make_workers(config: Config, learner: Learner, inference: Mapping[str, Inference], counters: Counters) -> Workers:
    if config.run.deterministic:
        return InProcessWorkers(config, learner, inference['cpu'], counters.actors)
    weights = dump_weights(learner.network)
    if config.run.ray:
        from dmc.workers.ray_workers import RayWorkers  # needs Ray

        return RayWorkers(config, weights, inference['cpu'], counters.actors)
    return ProcessWorkers(config, weights, inference, counters.actors)
