"""A PPO run: playing and learning in turn, in one process."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial

import numpy as np
import torch
from torch import Tensor

from ppo.config import Config
from ppo.learner import FIGURES, Learner
from ppo.pool import Pool
from ppo.rollout import Rollout, decision_record
from training.checkpoint import Counters, Learns, strip_prefix
from training.display import Display
from training.machine import Machine, fit_learner
from training.metrics import Figures
from training.precision import Precision, choose_precision
from training.run import Run, Trained, carry_out, describe_learner, prepare

TRIED_GAMES, TRIED_MOVES = 32, 8  # that the decisions come from by which the precision is chosen
MOST_TRIED = 256  # of these decisions; from there on, more rows only favour bfloat16 further


class PPOState:
    """What a run resumes from: the learner, the games in progress and the earlier selves.

    Args:
        config: settings of the run.
        precision: of the networks.
    """

    def __init__(self, config: Config, precision: Precision) -> None:
        self.learner = Learner(config, precision.dtype, config.training_device)
        self.rollout = Rollout(config)
        self.pool = Pool(config, self.learner)
        self._by_prefix: dict[str, Learns] = {'learner.': self.learner, 'rollout.': self.rollout, 'pool.': self.pool}

    def tensors(self) -> dict[str, Tensor]:
        """Return what a resumed run starts from."""
        parts = self._by_prefix.items()
        return {prefix + name: tensor for prefix, part in parts for name, tensor in part.tensors().items()}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Restore what `tensors` returned."""
        for prefix, part in self._by_prefix.items():
            part.restore(strip_prefix(prefix, tensors))


class PPORun(Run[Config]):
    """A run of playing and learning in turn.

    Args:
        config: settings, fitted to the machine.
        state: of the run.
        display: to show the progress on.
        counters: to resume from.
    """

    def __init__(self, config: Config, state: PPOState, display: Display, counters: Counters) -> None:
        super().__init__(config, state.learner, state, config.learned.load_policy, display, counters)
        self.state = state
        self._measured: dict[str, float] = {}

    def update(self) -> None:
        """Play some moves in each game, and learn from them."""
        learner, rollout = self.state.learner, self.state.rollout
        batch = rollout.collect(learner, self.state.pool.opponent())
        if batch.size:
            learner.set_progress(self.progress.done)
            self._measured = learner.update(batch)
            self.progress.frames += batch.size

    def refresh(self) -> None:
        """Note what has been played."""
        rollout = self.state.rollout
        self.progress.note(rollout.moves, rollout.games, rollout.won)

    def figures(self) -> Figures:
        """Return losses and diagnostics of the last update, the learning rate, and what the game counts of its play."""
        counted = self.config.learned.averages(self.state.rollout.counts)
        losses = {name: self._measured.get(name) for name in FIGURES}
        return {**losses, 'learning_rate': self.state.learner.rate, **counted}


def minibatch_work(config: Config, dtype: torch.dtype) -> Callable[[], float]:
    """Return what computes the gradient of a minibatch in a precision: of small ones, casting the weights costs most.

    Args:
        config: settings of the run.
        dtype: precision of the matrix products.
    """
    learner = Learner(config, dtype, config.training_device)
    tried = replace(config, num_games=TRIED_GAMES, num_steps=TRIED_MOVES, opponent='self', pool_agents=())
    batch = Rollout(tried).collect(learner)
    minibatch = batch.select(np.arange(min(config.minibatch_size, MOST_TRIED)) % batch.size)
    return partial(learner.gradient, minibatch)


def train(config: Config) -> Trained:
    """Train until the limits of the settings, Ctrl-C or SIGTERM, and save the run in its folder.

    Raises:
        ConfigError: if the settings do not fit this machine.
        CheckpointError: if the folder holds a run that is not to be resumed, or that cannot be.
        FloatingPointError: if the run diverges; its last sound state is kept.
    """
    machine = Machine.here()
    config = fit_learner(config, machine, threads=machine.cores)
    sizes = f'num_games={config.num_games}, num_steps={config.num_steps}'
    decision = decision_record(config.learned.card).itemsize
    machine.check_memory(sizes, 2 * config.num_games * config.num_steps * decision)  # decisions and a batch
    prepare(config)
    precision = choose_precision(config, partial(minibatch_work, config))
    state = PPOState(config, precision)
    return carry_out(config, state, partial(_start, config, state, precision))


@contextmanager
def _start(
    config: Config, state: PPOState, precision: Precision, display: Display, counters: Counters
) -> Iterator[PPORun]:
    """Say what the run consists of and yield it; save it at the end."""
    learner = describe_learner(config, state.learner, {config.training_device: precision})
    games = f'{config.num_games} games, {config.num_steps} moves each between two updates'
    display.say(f'{games}; {config.network} network; {learner}')
    with closing(PPORun(config, state, display, counters)) as run:
        yield run
