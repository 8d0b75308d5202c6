"""A run from start to end: display, metrics, matches and checkpoints around the updates of a trainer."""

import math
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from types import FrameType
from typing import Any, Generic, NamedTuple, TypeVar

import torch
from torch import Tensor

from rlcard_kit.nets.checkpoint import CheckpointError, WeightsError, check_weights
from training.checkpoint import WRITE_ERRORS, Counters, Learns, keep_checkpoint, save_checkpoint, save_state
from training.config import RunConfig
from training.display import Display
from training.evaluator import Evaluator, Load, check_eval_opponents
from training.learner import GradientLearner, num_weights
from training.learning_curve import Curve, Played
from training.metrics import Figures, Metrics
from training.precision import Precision
from training.progress import Progress
from training.run_settings import begin

SAVE_SECONDS = 60.0  # between two savings of the resumable state
REFRESH_SECONDS = 0.2  # between two refreshes of display, metrics and counts

C = TypeVar('C', bound=RunConfig)


class Trained(NamedTuple):
    """The end of a run."""

    minutes: float  # that the run has taken, earlier parts included
    frames: int
    frames_per_second: float  # recent
    figures: Figures  # the most recent
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


def check_sound(weights: Mapping[str, Tensor]) -> None:
    """Refuse weights that only a run that has diverged has, before anyone plays with them or they are saved.

    Raises:
        DivergenceError: if any weight is NaN, infinite or beyond what may be loaded, see `check_weights`.
    """
    try:
        check_weights(weights)
    except WeightsError as error:
        raise DivergenceError(str(error)) from error


class DivergenceError(FloatingPointError):
    """A run has left all bounds.

    Args:
        reason: what shows it.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(
            f'the run has diverged: {reason}. This is not saved: --resume takes the last sound state, '
            f'if there is one; a lower --learning-rate may help'
        )


class Run(Generic[C]):
    """A run as the learner's process sees it. Trainers derive theirs.

    Args:
        config: settings, fitted to the machine.
        learner: whose averaged network is saved to be played with.
        state: that is saved to resume from; the learner's is a part of it.
        load: what makes an agent of a checkpoint.
        display: to show the progress on.
        counters: to resume from.
    """

    def __init__(
        self,
        config: C,
        learner: GradientLearner[Any],
        state: Learns,
        load: Load,
        display: Display,
        counters: Counters,
    ) -> None:
        self.config = config
        self.progress = Progress(config, counters)
        self.display = display
        self.learner = learner
        self._state = state
        self._metrics = Metrics(config.run.savedir, counters.frames)
        self._curve = Curve(config.run.savedir, config.learned.axis, counters.frames)
        self._evaluator = Evaluator(config, load)
        self._refreshed = self._saved = self._kept = self._evaluated = 0.0

    def update(self) -> None:
        """Learn from some decisions, or have some played."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Do what is due several times a second; at least `progress.note`."""
        raise NotImplementedError

    def figures(self) -> Figures:
        """Return what the trainer measures, by name, for the metrics and the display."""
        return {}

    def counters(self) -> Counters:
        """Return what a resumed run starts from."""
        return self.progress.counters()

    def poll(self) -> None:
        """Do whatever is due for display, metrics, matches and checkpoints; called between two updates."""
        now = self.progress.seconds_now
        if now - self._refreshed > REFRESH_SECONDS:
            self._refreshed = now
            self.refresh()
            figures = self.figures()
            self.display.show(self.progress, figures, self._curve.latest())
            self._collect_points()
            self._try('metrics', lambda: self._metrics.write(self.progress, figures))
        if now - self._evaluated > 60 * self.config.evaluation.eval_interval and self.config.evaluation.eval_deals:
            self._evaluated = now
            self._try('match', self._evaluate)
        if now - self._saved > SAVE_SECONDS:
            self._saved = now
            self._try('checkpoint', self.save)

    def _collect_points(self) -> None:
        match self._evaluator.collect():
            case str() as problem:
                self.display.say(f'match not played: {problem}')
            case [*matches]:
                self._try('learning curve', lambda: self._add(matches))

    def _try(self, what: str, write: Callable[[], None]) -> None:
        """Write something that training can continue without."""
        try:
            write()
        except (*WRITE_ERRORS, CheckpointError) as error:
            self.display.say(f'{what}: {error}; training continues')

    def _evaluate(self) -> None:
        if not self._evaluator.is_busy:
            folder = self.config.run.savedir / 'playing'
            self._check_sound()
            save_checkpoint(folder, self.config, self.learner.average, self.progress.frames)
            self._evaluator.start(folder, self.progress.seconds / 60, self.progress.frames)

    def _add(self, matches: list[Played]) -> None:
        points = [match.point for match in matches]
        self.display.report_points(points)
        self._curve.add(matches)
        self._metrics.add(points)

    def _check_sound(self) -> None:
        for network in (self.learner.average, self.learner.network):
            check_sound(network.state_dict())
        for name, tensor in self._state.tensors().items():
            if tensor.is_floating_point() and not torch.isfinite(tensor).all():
                raise DivergenceError(f'{name!r} is NaN or infinite')
        if not math.isfinite(loss := self.learner.last_loss()):
            raise DivergenceError(f'the loss on the last batch is {loss}')

    def save(self, keep: bool = False) -> None:
        """Save resumable state and the current network; every `save_interval`, also keep a permanent checkpoint.

        Args:
            keep: keep one in any case.

        Raises:
            CheckpointError: if they cannot be written; the previous ones are kept.
            DivergenceError: if the network is not sound, or its loss on the last batch is NaN or infinite.
        """
        self._check_sound()
        try:
            self._write(keep or self.progress.seconds_now - self._kept > 60 * self.config.run.save_interval)
        except WRITE_ERRORS as error:
            raise CheckpointError(f'not saved: {error}; the previous checkpoint is kept') from error

    def _write(self, keep: bool) -> None:
        config, network, frames = self.config, self.learner.average, self.progress.frames
        save_state(config, self._state, self.counters())
        save_checkpoint(config.run.savedir, config, network, frames)
        if keep:
            self._kept = self.progress.seconds_now
            keep_checkpoint(config, network, frames)

    def close(self) -> None:
        """Save, and stop what runs beside the learner."""
        try:
            self.save(keep=True)
        finally:
            self._evaluator.stop()

    def trained(self) -> Trained:
        """Return the end of the run."""
        progress = self.progress
        return Trained(progress.seconds / 60, progress.frames, progress.frames_per_second, self.figures())


def prepare(config: RunConfig) -> None:
    """Check the opponents of a fitted run's matches and limit its threads, before anything is made.

    Raises:
        ConfigError: if an opponent's name is unknown.
    """
    check_eval_opponents(config)
    torch.set_num_threads(config.run.learner_threads or 1)


def carry_out(
    config: C, learner: Learns, start: Callable[[Display, Counters], AbstractContextManager[Run[C]]]
) -> Trained:
    """Begin or resume a run and carry it out to its limit, Ctrl-C or SIGTERM.

    Args:
        config: settings, fitted to the machine.
        learner: whose state is restored if the run is resumed.
        start: starts the run, given a display and the counters to resume from; leaving its context saves the run.

    Raises:
        CheckpointError: if the folder holds a run that is not to be resumed, or that cannot be.
        FolderInUseError: if another run is writing to it.
    """
    with ExitStack() as stack:
        counters, changes = begin(config, learner, stack)
        interrupts = stack.enter_context(interrupts_noted())
        display = stack.enter_context(Display(config))
        for change in changes:
            display.say(change)
        progress = Progress(config, counters)
        if config.run.resume and progress.done == 1:
            display.say('this run has reached its limit: nothing is left to train')
            return Trained(progress.seconds / 60, progress.frames, 0.0, {})
        run = stack.enter_context(start(display, counters))
        while not interrupts and run.progress.done < 1:
            run.update()
            run.poll()
        trained = run.trained()
    return trained._replace(interrupted=bool(interrupts))


def describe_learner(config: RunConfig, learner: GradientLearner[Any], precisions: Mapping[str, Precision]) -> str:
    """Say where a run learns, how many weights, and in which precision each of its devices computes."""
    place = (
        f'{config.run.learner_threads} threads' if config.run.training_device == 'cpu' else config.run.training_device
    )
    found = '; '.join(f'{found.name} on {device} ({found.reason})' for device, found in precisions.items())
    return f'{num_weights(learner.network):,} weights, learned by {place}; {found}'
