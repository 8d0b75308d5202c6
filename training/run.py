"""What goes on beside learning: display, metrics, matches, checkpoints, and the end in order."""

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NamedTuple

import torch
from torch import Tensor, nn

from rlcard_big2.nets.saved import CheckpointError
from training.checkpoint import WRITE_ERRORS, Counters, Learns, keep_checkpoint, save_checkpoint, save_state
from training.config import RunConfig
from training.display import Display
from training.evaluator import Evaluator, Load
from training.learning_curve import Curve, Point
from training.metrics import Figures, Metrics
from training.progress import Progress

SAVE_SECONDS = 60.0  # between two savings of the state to go on from
LOOK_SECONDS = 0.2  # between two looks at what is going on


class Trained(NamedTuple):
    """The end of a run."""

    minutes: float  # that the run has taken, earlier parts included
    frames: int
    frames_per_second: float  # of late
    figures: Figures  # the last
    interrupted: bool = False  # by Ctrl-C or SIGTERM, before its limit


@contextmanager
def interrupts_noted() -> Iterator[list[int]]:
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


def check_finite(weights: Iterable[Tensor]) -> None:
    """Raise FloatingPointError where a weight is no number, for nobody is to see those."""
    for tensor in weights:
        if tensor.is_floating_point() and not torch.isfinite(tensor).all():
            raise FloatingPointError('a weight of the network is no number: it is neither played with nor saved')


class Run:
    """A run, seen from the process that learns. Trainers derive theirs, and call `tend` between two updates.

    Args:
        config: of the run.
        learner: whose state is saved.
        network: that is saved to be played with.
        load: what makes an agent of a checkpoint.
        display: to show the progress on.
        counters: of the run when it was left, where it is resumed.
    """

    def __init__(
        self,
        config: RunConfig,
        learner: Learns,
        network: nn.Module,
        load: Load,
        display: Display,
        counters: Counters,
    ) -> None:
        self.progress = Progress(config, counters)
        self.display = display
        self._settings = config
        self._saved_learner = learner
        self._saved_network = network
        self._metrics = Metrics(config.savedir, counters.frames)
        self._curve = Curve(config.savedir, counters.frames)
        self._evaluator = Evaluator(config, load)
        self._looked = self._saved = self._kept = self._evaluated = 0.0

    def look(self) -> None:
        """Do what is done several times a second; at least `progress.look`."""
        raise NotImplementedError

    def figures(self) -> Figures:
        """Return what the trainer measures, by name, for the metrics and the display."""
        return {}

    def counters(self) -> Counters:
        """Return what a resumed run goes on from."""
        return self.progress.counters()

    def tend(self) -> None:
        """Look after display, metrics, matches and checkpoints where it is time to."""
        now = self.progress.seconds_now
        if now - self._looked > LOOK_SECONDS:
            self._looked = now
            self.look()
            figures = self.figures()
            self.display.show(self.progress, figures, self._curve.latest())
            self._collect_points()
            self._try('metrics', lambda: self._metrics.write(self.progress, figures))
        if now - self._evaluated > 60 * self._settings.eval_interval and self._settings.eval_deals:
            self._evaluated = now
            self._try('match', self._evaluate)
        if now - self._saved > SAVE_SECONDS:
            self._saved = now
            self._try('checkpoint', self.save)

    def _collect_points(self) -> None:
        match self._evaluator.collect():
            case str() as problem:
                self.display.say(f'match not played: {problem}')
            case [*points]:
                self._try('learning curve', lambda: self._add(points))

    def _try(self, what: str, write: Callable[[], None]) -> None:
        """Write something that training can go on without."""
        try:
            write()
        except (*WRITE_ERRORS, CheckpointError) as error:
            self.display.say(f'{what}: {error}; training goes on')

    def _evaluate(self) -> None:
        if not self._evaluator.is_busy:
            folder = self._settings.savedir / 'playing'
            self.check_weights()
            save_checkpoint(folder, self._settings, self._saved_network, self.progress.frames)
            self._evaluator.start(folder, self.progress.seconds / 60, self.progress.frames)

    def _add(self, points: list[Point]) -> None:
        self.display.tell(points)
        self._metrics.add(points)
        self._curve.add(points)

    def check_weights(self) -> None:
        """Raise FloatingPointError where a weight is no number, for nobody is to see those."""
        check_finite(self._saved_learner.tensors().values())

    def save(self, keep: bool = False) -> None:
        """Save the state to go on from, and the network, also among those that are kept where it is time to.

        CheckpointError where they cannot be written, FloatingPointError where a weight is no number.
        """
        self.check_weights()
        try:
            self._write(keep or self.progress.seconds_now - self._kept > 60 * self._settings.save_interval)
        except WRITE_ERRORS as error:
            raise CheckpointError(f'not saved: {error}; the earlier checkpoint is kept') from error

    def _write(self, keep: bool) -> None:
        config, network, frames = self._settings, self._saved_network, self.progress.frames
        save_state(config, self._saved_learner, self.counters())
        save_checkpoint(config.savedir, config, network, frames)
        if keep:
            self._kept = self.progress.seconds_now
            keep_checkpoint(config, network, frames)

    def close(self) -> None:
        """Stop what runs beside the learner, and save."""
        try:
            self.save(keep=True)
        finally:
            self._evaluator.stop()
            self._metrics.close()

    def trained(self) -> Trained:
        """Return the end of the run."""
        progress = self.progress
        speed = progress.frames_per_second
        return Trained(progress.seconds / 60, progress.frames, speed, self.figures())
