"""A run from start to end: display, metrics, matches and checkpoints around the updates of a trainer."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from typing import Any, Generic, NamedTuple, TypeVar

from torch import nn

from eval.common.processes import check_main_module
from rlcard_kit.arrays import Float32Array
from rlcard_kit.errors import KitError
from rlcard_kit.nets.checkpoint import CheckpointError, WeightsError, check_weights
from rlcard_kit.nets.weights import dump_weights
from rlcard_kit.signals import handled
from training.checkpoint import (
    WRITE_ERRORS,
    Counters,
    Learns,
    first_not_finite,
    save_state,
    settings_of,
    write_network,
)
from training.config import RunConfig
from training.display import Display
from training.evaluator import Evaluator, make_opponent
from training.games import LearnedGame
from training.learner import GradientLearner
from training.learning_curve import Curve, Played
from training.metrics import Figures, Metrics
from training.progress import Progress
from training.run_settings import begin
from training.workers import WorkerPool

SAVE_SECONDS = 60.0  # between two savings of the resumable state
REPORT_SECONDS = 0.2  # between two reports

C = TypeVar('C', bound=RunConfig)
W = TypeVar('W', bound=WorkerPool)


class Trained(NamedTuple):
    """The end of a run."""

    minutes: float  # that the run has taken, earlier parts included
    frames: int
    frames_per_second: float  # recent
    figures: Figures  # the most recent
    interrupted: bool = False  # by Ctrl-C, SIGTERM or a hangup, before its limit


@contextmanager
def interrupts_noted() -> Iterator[list[int]]:
    """Collect SIGINT, SIGTERM and SIGHUP in a list instead of raising, so that a run can end in order."""
    noted: list[int] = []
    with handled(lambda number, frame: noted.append(number)):
        yield noted


def check_sound(network: nn.Module) -> None:
    """Raise DivergenceError if any weight is NaN, infinite or beyond what may be loaded, see `check_weights`."""
    try:
        check_weights(network.state_dict())
    except WeightsError as error:
        raise DivergenceError(str(error)) from error


def sound_weights(network: nn.Module) -> Float32Array:
    """Return the weights of a network to play by, float32 [W]; DivergenceError if they are not sound."""
    check_sound(network)
    return dump_weights(network)


class NothingLearnedError(KitError):
    """A run that ended before it learned from any decision."""


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


@contextmanager
def saving(learner: GradientLearner[Any], state: Learns) -> Iterator[None]:
    """Check what is to be saved: the learner's networks, its loss on the last batch, and all that learns.

    Raises:
        CheckpointError: if writing fails; the previous files are kept.
        DivergenceError: if a network is not sound, or a tensor or the loss is NaN or infinite.
    """
    for network in (learner.average, learner.network):
        check_sound(network)
    if (name := first_not_finite(state.tensors())) is not None:
        raise DivergenceError(f'{name!r} is NaN or infinite')
    if not math.isfinite(loss := learner.last_loss()):
        raise DivergenceError(f'the loss on the last batch is {loss}')
    try:
        yield
    except WRITE_ERRORS as error:
        raise CheckpointError(f'not saved: {error}; the previous checkpoint is kept') from error


class Run(Generic[C]):
    """A run around the update loop of its trainer: progress, display, metrics, matches and checkpoints.

    `begin_run` makes it, and `supervise` saves it.

    Args:
        config: settings, fitted to the machine.
        game: that is learned.
        learner: whose averaged network is saved and evaluated.
        state: of the run, to resume from; the learner's is a part of it.
        display: to show the progress on.
        counters: to resume from.
        interrupts: signals that have arrived; the run ends with the first.
    """

    _workers: WorkerPool

    def __init__(
        self,
        config: C,
        game: LearnedGame,
        learner: GradientLearner[Any],
        state: Learns,
        display: Display,
        counters: Counters,
        interrupts: Sequence[int],
    ) -> None:
        self.config = config
        self.counters = counters
        self.display = display
        self._game, self._learner, self._state = game, learner, state
        self.progress = self._start_clock()
        self._interrupts = interrupts
        self._metrics = Metrics(config.run.savedir, counters.frames)
        self._curve = Curve(config.run.savedir, game.wording.axis, counters.frames)
        self._evaluator = Evaluator(game, config.game.rules, config.agent, config.evaluation)
        self._figures: Figures = {}
        self._reported = self._saved = self._kept = self._evaluated = 0.0

    @property
    def was_finished(self) -> bool:
        """Whether the run is resumed and had reached its limit before."""
        return self.config.run.resume and self.progress.done == 1

    @property
    def is_over(self) -> bool:
        """Whether the run has reached its limit, or a signal has arrived."""
        return bool(self._interrupts) or self.progress.done == 1

    @property
    def is_due(self) -> bool:
        """Whether it is time to report, several times a second and at the end."""
        return self.progress.seconds_now - self._reported > REPORT_SECONDS or self.is_over

    @contextmanager
    def supervise(self, workers: W) -> Iterator[W]:
        """Start the clock and yield workers; at the end, save the run and stop them."""
        with closing(workers), closing(self._evaluator):
            self._workers = workers
            self.progress = self._start_clock()
            try:
                yield workers
            finally:
                self.save(keep=True)

    def _start_clock(self) -> Progress:
        run = self.config.run
        return Progress(self.counters, self._game.no_statistics(), run.minutes, run.total_frames)

    def report(self, measured: Figures) -> None:
        """Replace dead workers, and do whatever is due for display, metrics, matches and checkpoints.

        Raises:
            ActorError: if workers keep dying.
            DivergenceError: if the run has diverged.
        """
        self._reported = now = self.progress.seconds_now
        for line in self._workers.replace_dead():
            self.display.say(line)
        self.progress.note(self._workers.counts())
        self._figures = {**measured, **self._game.averages(self.progress.statistics)}
        self.display.show(self.progress, self._figures, self._curve.latest())
        match self._evaluator.collect():
            case str() as problem:
                self.display.say(f'match not played: {problem}')
            case [*matches]:
                self._try('learning curve', lambda: self._add(matches))
        self._try('metrics', lambda: self._metrics.write(self.progress, self._figures))
        evaluation = self.config.evaluation
        if now - self._evaluated > self._seconds(evaluation.eval_interval) and evaluation.eval_deals:
            self._evaluated = now
            self._try('match', self._evaluate)
        if now - self._saved > SAVE_SECONDS:
            self._saved = now
            self._try('checkpoint', self.save)

    def _try(self, what: str, write: Callable[[], None]) -> None:
        """Write something that training can continue without."""
        try:
            write()
        except (*WRITE_ERRORS, CheckpointError) as error:
            self.display.say(f'{what}: {error}; training continues')

    def _seconds(self, minutes: float) -> float:
        """Return an interval in seconds, at most a third of the run."""
        limit = self.config.run.minutes
        return 60 * (minutes if limit is None else min(minutes, limit / 3))

    def _evaluate(self) -> None:
        if not self._evaluator.is_busy:
            folder = self.config.run.savedir / 'playing'
            settings = settings_of(self.config, self._game, self.progress.frames)
            with saving(self._learner, self._state):
                write_network(folder, self._learner.average.state_dict(), settings)
            self._evaluator.start(folder, self.progress.seconds / 60, self.progress.frames)

    def _add(self, matches: list[Played]) -> None:
        points = [match.point for match in matches]
        self.display.report_points(points)
        self._curve.add(matches)
        self._metrics.add(points)

    def save(self, keep: bool = False) -> None:
        """Save resumable state and the network; every `save_interval`, or to `keep` it, also a permanent checkpoint.

        Raises:
            CheckpointError: if they cannot be written; the previous ones are kept.
            DivergenceError: if the run has diverged.
        """
        run, weights, frames = self.config.run, self._learner.average.state_dict(), self.progress.frames
        settings = settings_of(self.config, self._game, frames)
        state_settings = {**settings.to_json(), 'training': self.config.describe()}
        now = self.progress.seconds_now
        with saving(self._learner, self._state):
            save_state(run.savedir, self._state, self.progress.counters(self._workers.started), state_settings)
            write_network(run.savedir, weights, settings)
            if keep or now - self._kept > self._seconds(run.save_interval):
                self._kept = now
                write_network(run.savedir / 'checkpoints' / f'{frames:012d}', weights, settings)

    def trained(self) -> Trained:
        """Return the end of the run; NothingLearnedError if that came before the first decision was learned."""
        progress = self.progress
        speed, is_interrupted = progress.frames_per_second, bool(self._interrupts)
        if not progress.frames and not is_interrupted and self.config.run.total_frames != 0:
            raise NothingLearnedError(
                f'{self.config.run.savedir}: the run ended before it learned from any decision: give it more time'
            )
        return Trained(progress.seconds / 60, progress.frames, speed, self._figures, is_interrupted)


@contextmanager
def begin_run(
    config: C, game: LearnedGame, learner: GradientLearner[Any], state: Learns | None = None
) -> Iterator[Run[C]]:
    """Begin or resume a run in its folder, which no other run can use meanwhile.

    For the arguments, see `Run`; without a state, it is that of the learner.

    Raises:
        CheckpointError: if the folder holds a run that is not to be resumed, or that cannot be.
        ConfigError: if an opponent's name is unknown, or if the main module has no main guard.
        FolderInUseError: if another run is writing to it.
    """
    check_main_module()
    rules, state = config.game.rules, learner if state is None else state
    for name in config.evaluation.eval_opponents:
        make_opponent(game, rules, 'eval_opponents', name)
    title = f'learning {game.find_rules(rules).title}, saved in {config.run.savedir}'
    with ExitStack() as stack:
        counters, changes = begin(config, state, stack)
        interrupts = stack.enter_context(interrupts_noted())
        display = stack.enter_context(Display(title, game.wording.opponents))
        for change in changes:
            display.say(change)
        run = Run(config, game, learner, state, display, counters, interrupts)
        if run.was_finished:
            display.say('this run has reached its limit: nothing is left to train')
        yield run
