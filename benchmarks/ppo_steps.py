"""Measures what a PPO update costs, and what bounds it: python -m benchmarks.ppo_steps --game catch5 --preset paper."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Annotated, Any, Literal

import torch
import tyro
from rich.table import Table

from common.bounds import AtLeast
from common.cli import new_console
from eval.games import GameName
from ppo.config import Config
from ppo.learner import Learner
from ppo.rollout import Batch, Rollout
from ppo.trainer import minibatch_work
from training.learner import num_weights
from training.precision import choose_precision

ADAM_BYTES = 28  # a weight: it and both averages are read and written, its gradient is read; four bytes each
COPIES = 50
PARTS = {  # methods of the learner whose time is told apart
    '_losses': 'forward',
    '_clip_gradient': 'norm of the gradient',
    '_follow': 'average',
}


@dataclass(frozen=True)
class Options:
    """Plays and learns on one thread, and prints decisions learned per second of processor time and their parts."""

    game: GameName = 'catch5'
    """The game to learn."""
    preset: Literal['default', 'paper'] = 'paper'
    """Named settings of the run."""
    precision: Literal['auto', 'bfloat16', 'float32'] = 'auto'
    """Arithmetic of the network; 'auto' measures, as a run does."""
    updates: Annotated[int, AtLeast(1)] = 3
    """Updates to measure, after one that is not."""


class Watch:
    """Adds up the processor time that methods take."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def wrap(self, owner: Any, method: str, name: str) -> None:
        """Have a method of an object timed from now on."""
        setattr(owner, method, partial(self.call, name, getattr(owner, method)))

    def call(self, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function and add its time to a name's."""
        start = time.process_time()
        try:
            return function(*arguments)
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - start


def watched(learner: Learner) -> Watch:
    """Return a watch on the parts of a learner's steps."""
    watch = Watch()
    for method, name in PARTS.items():
        watch.wrap(learner, method, name)
    watch.wrap(learner, 'descend', 'descend')
    watch.wrap(learner.optimizer, 'step', 'Adam')
    return watch


def measure(config: Config, dtype: torch.dtype, updates: int) -> tuple[Learner, int, dict[str, float]]:
    """Play and learn; return the learner, the decisions learned from, and the seconds that each part took."""
    learner, rollout = Learner(config, dtype), Rollout(config)
    learner.update(rollout.collect(learner))
    learner.steps, decisions, watch = 0, 0, watched(learner)
    for _ in range(updates):
        batch: Batch = watch.call('playing', rollout.collect, learner)
        watch.call('update', learner.update, batch)
        decisions += batch.size
    return learner, decisions, parts_of(watch.seconds)


def parts_of(seconds: dict[str, float]) -> dict[str, float]:
    """Return times that add up, given those of methods of which some call others."""
    found = dict(seconds)
    within = (found['norm of the gradient'], found['Adam'], found['average'])
    update, descent = found.pop('update'), found.pop('descend')
    found['backward'] = descent - sum(within)
    found['rest'] = update - descent - found['forward']
    return found


def bandwidth(weights: int) -> float:
    """Return the bytes a second that are read and written by copying as many numbers as Adam touches."""
    source = torch.zeros(ADAM_BYTES // 8 * weights)  # half of them are read, half written
    target, times = torch.zeros_like(source), []
    for _ in range(COPIES):
        start = time.process_time()
        target.copy_(source)
        times.append(time.process_time() - start)
    return 2 * source.nbytes / median(times)


def main() -> None:
    """Print the measurements."""
    options = tyro.cli(Options, description=__doc__)
    torch.set_num_threads(1)
    config = Config.preset(options.preset, game=options.game, precision=options.precision, training_device='cpu')
    precision = choose_precision(config, partial(minibatch_work, config))
    learner, decisions, seconds = measure(config, precision.dtype, options.updates)
    total, weights = sum(seconds.values()), num_weights(learner.network)
    table = Table('part', 'ms a step', 'share', title=f'{options.game}, {options.preset}: {precision.name}')
    for name, spent in sorted(seconds.items(), key=lambda part: -part[1]):
        table.add_row(name, f'{1e3 * spent / learner.steps:.3f}', f'{spent / total:.0%}')
    speed, least = bandwidth(weights), ADAM_BYTES * weights * learner.steps
    console = new_console()
    console.print(table)
    console.print(f'{precision.reason}; {weights:,} weights, {learner.steps / decisions:.3f} steps a decision')
    console.print(f'learned from: {decisions / total:,.0f} decisions a second of processor time')
    console.print(
        f'bound by memory: {decisions * speed / least:,.0f}: Adam moves {least / learner.steps / 1e6:.1f} MB a step, '
        f'and this core {speed / 1e9:.1f} GB/s'
    )


if __name__ == '__main__':
    main()
