"""A PPO run: playing and learning by turns, in one process."""

from contextlib import ExitStack, closing
from dataclasses import replace

import torch
from torch import Tensor

from ppo.config import Config
from ppo.learner import FIGURES, Learner
from ppo.pool import Pool
from ppo.rollout import Rollout
from rlcard_big2.nets.ppo import load_greedy
from training.checkpoint import Counters, Learns, begin, strip_prefix
from training.display import Display
from training.evaluator import check_eval_opponents
from training.learner import num_weights
from training.machine import Machine
from training.metrics import Figures
from training.precision import Precision, choose_precision
from training.run import Run, Trained, interrupts_noted


class Parts:
    """What a run goes on from: the learner, the games in progress and the earlier selves.

    Args:
        config: of the run.
        precision: of the networks.
    """

    def __init__(self, config: Config, precision: Precision) -> None:
        self.learner = Learner(config, precision.dtype, config.training_device)
        self.rollout = Rollout(config)
        self.pool = Pool(config, self.learner)
        self._by_name: dict[str, Learns] = {'learner.': self.learner, 'rollout.': self.rollout, 'pool.': self.pool}

    def tensors(self) -> dict[str, Tensor]:
        """Return what a resumed run goes on from."""
        parts = self._by_name.items()
        return {prefix + name: tensor for prefix, part in parts for name, tensor in part.tensors().items()}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Take over what `tensors` returned."""
        for prefix, part in self._by_name.items():
            part.restore(strip_prefix(prefix, tensors))


class PPORun(Run):
    """A run between two looks at the clock.

    Args:
        config: fitted to the machine.
        parts: of the run.
        display: to show the progress on.
        counters: of the run when it was left, where it is resumed.
    """

    def __init__(self, config: Config, parts: Parts, display: Display, counters: Counters) -> None:
        super().__init__(config, parts, parts.learner.average, load_greedy, display, counters)
        self.parts = parts
        self._measured: dict[str, float] = {}

    def update(self) -> None:
        """Play some moves in each game, and learn from them."""
        learner, rollout = self.parts.learner, self.parts.rollout
        batch = rollout.collect(learner, self.parts.pool.opponent())
        if batch.size:
            learner.set_progress(self.progress.done)
            self._measured = learner.update(batch)
            self.progress.frames += batch.size

    def look(self) -> None:
        """Note what has been played."""
        rollout = self.parts.rollout
        self.progress.look(rollout.moves, rollout.games, rollout.won)

    def figures(self) -> Figures:
        """Return losses and diagnostics of the last update, and the learning rate."""
        return {**{name: self._measured.get(name) for name in FIGURES}, 'learning_rate': self.parts.learner.rate}


def fitted(config: Config, machine: Machine) -> Config:
    """Return settings with what was left open chosen for a machine; ConfigError where a device does not exist."""
    threads = 1 if config.deterministic else config.learner_threads or machine.cores
    return replace(
        config,
        training_device=machine.learner_device(config),
        learner_threads=threads,
    )


def train(config: Config) -> Trained:
    """Train until the limits of `config`, Ctrl-C or SIGTERM, and save the run in its folder.

    Raises ConfigError where the settings do not fit this machine; CheckpointError where the folder holds a run
    and is not to be resumed, or cannot be; FloatingPointError where a loss is no number.
    """
    config = fitted(config, Machine.here())
    check_eval_opponents(config)
    torch.set_num_threads(config.learner_threads or 1)
    precision = choose_precision(config, config.hidden_size, config.training_device)
    parts = Parts(config, precision)
    counters = begin(config, parts)
    with ExitStack() as stack:
        interrupts = stack.enter_context(interrupts_noted())
        display = stack.enter_context(Display(config))
        display.say(_describe(config, precision, parts.learner))
        run = stack.enter_context(closing(PPORun(config, parts, display, counters)))
        while not interrupts and run.progress.done < 1:
            run.update()
            run.tend()
        trained = run.trained()
    return trained._replace(interrupted=bool(interrupts))


def _describe(config: Config, precision: Precision, learner: Learner) -> str:
    """Say what a run consists of on this machine."""
    where = f'{config.learner_threads} threads' if config.training_device == 'cpu' else config.training_device
    return (
        f'{config.num_games} games, {config.num_steps} moves each between two updates; {where}; '
        f'{precision.name} ({precision.reason}); network {config.network!r} of {num_weights(learner.network):,} weights'
    )
