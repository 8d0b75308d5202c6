"""`python -m dmc bench`: how fast each stage of training is alone and all are together, and which is the bottleneck."""

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from rich.table import Table
from typing_extensions import override

from dmc.actor import Actor
from dmc.autosize import Plan, plan_run
from dmc.config import Config
from dmc.learner import Learner
from dmc.opponents import ExploringAgent
from dmc.trainer import train
from dmc.workers.base import ReplayRows
from dmc.workers.in_process import LocalLink
from dmc.workers.shared_memory import SharedArrays, Sizes
from eval.common.cli import new_console
from eval.common.entry import step
from rlcard_kit.agents import Decision, Positions
from rlcard_kit.arrays import Float32Array, records_of
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.weights import dump_weights
from training.machine import Machine
from training.workers import TRAINED

FULL = 0.5  # of the rings; beyond, actors wait for the learner

Burst = Callable[[], int]  # does a stage's work for some milliseconds and returns the decisions to learn from in it


class UniformAgent(ExploringAgent):
    """Plays at random without evaluating its network: all values are 0, and epsilon must be 1."""

    @override
    def evaluate(self, positions: Positions) -> tuple[Float32Array, Decision]:
        values = np.zeros(len(positions.moves), np.float32)
        return values, Decision(positions.offsets[:-1].copy(), values[: len(positions.offsets) - 1])


def bench(config: Config, seconds: float = 10.0) -> None:
    """Run each stage of training alone and all of them together, and name the bottleneck.

    Args:
        config: settings of the runs to measure; nothing is kept.
        seconds: to run each stage for, and three times that for all together.
    """
    if config.run.deterministic:
        raise ConfigError('deterministic: such a run has no stages to measure: it plays and learns in turn')
    machine = Machine.here()
    alone = {'ray': None, 'eval_deals': 0, 'resume': False, 'total_frames': None}
    with step('measuring each stage alone'):
        plan = plan_run(config.changed(**alone), machine)
        config = plan.config
        torch.set_num_threads(1)
        learner = Learner(config, plan.game, plan.precision.dtype, config.run.training_device)
        speeds = {name: _rate(burst, seconds) for name, burst in _stages(plan, learner)}
    with tempfile.TemporaryDirectory() as folder:
        together = train(config.changed(savedir=Path(folder), minutes=3 * seconds / 60))
    table = Table('stage', 'decisions/s', title='each stage alone, on one core')
    table.columns[1].justify = 'right'
    for name, rate in speeds.items():
        table.add_row(name, f'{rate:,.0f}')
    table.add_row(f'together, on {machine.cores} cores', f'{together.frames_per_second:,.0f}')
    console = new_console()
    for line in plan.describe(learner.network, learner.is_sparse):
        console.print(line, soft_wrap=True)
    console.print(table)
    console.print(verdict(speeds['actor'], speeds['learner'], together.figures['queue'] or 0.0), soft_wrap=True)


def verdict(actor: float, learner: float, queue: float) -> str:
    """Name the bottleneck in a sentence, from the speeds alone on one core and how full the rings were together."""
    share = (1 / actor) / (1 / actor + 1 / learner)
    costs = f'a decision costs {1e6 / actor:.0f} microseconds of a core to play and {1e6 / learner:.0f} to learn from'
    if queue > FULL:
        return f'The learner is the bottleneck: rings are {queue:.0%} full and actors wait for it; {costs}.'
    return (
        f'The actors are the bottleneck: rings are {queue:.0%} full and the learner waits for decisions; {costs}, '
        f'so that {share:.0%} of all work is playing.'
    )


def _rate(burst: Burst, seconds: float) -> float:
    """Run a stage for some seconds; return its decisions per second."""
    burst()
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        count += burst()
    return count / (time.perf_counter() - start)


def _stages(plan: Plan, learner: Learner) -> Iterator[tuple[str, Burst]]:
    """Yield each stage by name, set up to be run in this process."""
    config, game = plan.config, plan.game
    device, weights = config.run.actor_devices[0], dump_weights(learner.network)
    link = LocalLink(game)
    link.publish(weights)
    actor = Actor(config, game, 0, link, plan.inference[device], device)
    actor.refresh()
    rows = _play_rows(actor, config.learning.batch_size)
    yield 'actor', lambda: len(actor.play_moves())
    uniform = UniformAgent(actor.network, epsilon=1.0, temperature=0.0)
    for group in actor.groups:
        group.table.agents[TRAINED] = uniform
    yield 'actor without a network', lambda: len(actor.play_moves())
    with closing(SharedArrays(Sizes.of(game, 1, config.run.ring_size, len(weights)))) as shared:
        yield 'rings', lambda: _through_ring(shared, rows)
    yield 'unpacking', lambda: _unpack(learner, records_of(rows['observation'], game.card.observation))
    yield 'learner', lambda: len(rows) if learner.update(rows) else 0


def _play_rows(actor: Actor, count: int) -> ReplayRows:
    """Play until there are `count` decisions to learn from; return them."""
    parts = [actor.play_moves()]
    while sum(map(len, parts)) < count:
        parts.append(actor.play_moves())
    return np.concatenate(parts)[:count]


def _unpack(learner: Learner, observations: NDArray[Any]) -> int:
    with learner.autocast():
        return len(learner.network.unpack(observations))


def _through_ring(shared: SharedArrays, rows: ReplayRows) -> int:
    shared.put(0, rows)
    shared.take(len(rows), np.empty_like(rows))
    return len(rows)
