"""Measures how DMC learns and plays in each arithmetic: python -m benchmarks.arithmetic.

In one run and one thread. "Sums and numpy" are a learner that sums rows of weights and an actor that computes in
numpy, in place of products in torch. A processor without bfloat16 is imitated by
ONEDNN_MAX_CPU_ISA=AVX2 ATEN_CPU_CAPABILITY=avx2 MKL_ENABLE_INSTRUCTIONS=AVX2 OPENBLAS_CORETYPE=Haswell
NUMBA_CPU_NAME=haswell in the environment.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
import torch
import tyro
from rich.table import Table

from common.bounds import AtLeast
from common.cli import new_console
from dmc.actor import Actor
from dmc.arithmetic import Arithmetic
from dmc.config import Config
from dmc.fleet.base import ReplayRows
from dmc.fleet.in_turn import LocalLink
from dmc.learner import Learner
from rlcard_big2.nets.value import dump_weights

WARM_UP = 80  # moves in all games, so that as many games end as begin
MOVES = 20  # in all games, in one measurement


class Way(NamedTuple):
    """How a run may compute."""

    name: str
    sums: bool  # of rows, in place of the learner's products
    actor: Arithmetic


WAYS = (
    Way('float32', False, Arithmetic(torch.float32)),
    Way('float32, sums and numpy', True, Arithmetic(torch.float32, in_numpy=True)),
    Way('bfloat16', False, Arithmetic(torch.bfloat16)),
)


@dataclass(frozen=True)
class Options:
    """Prints the decisions a second of processor time, in the fastest of several measurements."""

    repeats: Annotated[int, AtLeast(1)] = 10
    """Measurements of each way, in turn with the others."""


class Measured:
    """A learner and an actor that compute in one way.

    Args:
        way: how.
    """

    def __init__(self, way: Way) -> None:
        config, self.name = Config(), way.name
        self.learner = Learner(config, way.actor.dtype)
        self.learner.network.in_training = way.sums
        link = LocalLink(config.learned)
        link.publish(dump_weights(self.learner.network))
        self.actor = Actor(config, 0, link, way.actor)
        self.actor.refresh()
        rows = np.concatenate([self.actor.play_moves() for _ in range(WARM_UP)])
        self.rows: ReplayRows = rows[: config.batch_size]
        self.learning = self.playing = np.inf  # seconds for a decision

    def measure(self) -> None:
        """Learn from a batch and play, and keep the shortest time of each."""
        self.learning = min(self.learning, _seconds(self._learn))
        self.playing = min(self.playing, _seconds(self._play))

    def _learn(self) -> int:
        self.learner.update(self.rows)
        return len(self.rows)

    def _play(self) -> int:
        before = self.actor.lengths.sum()
        ended = sum(len(self.actor.play_moves()) for _ in range(MOVES))
        return int(ended + self.actor.lengths.sum() - before)


def _seconds(work: Callable[[], int]) -> float:
    """Return the processor time of some work for each decision that it says are in it."""
    start = time.process_time()
    count = work()
    return (time.process_time() - start) / count


def main() -> None:
    """Print the measurements."""
    options = tyro.cli(Options, description=__doc__)
    torch.set_num_threads(1)
    ways = [Measured(way) for way in WAYS]
    for _ in range(options.repeats):
        for way in ways:
            way.measure()
    table = Table('arithmetic', 'learned/s', 'played/s', 'both/s', 'times the first', title='decisions on one core')
    first = ways[0]
    for way in ways:
        both, times = way.learning + way.playing, (first.learning + first.playing) / (way.learning + way.playing)
        ratios = f'{first.learning / way.learning:.2f}, {first.playing / way.playing:.2f}, {times:.2f}'
        table.add_row(way.name, f'{1 / way.learning:,.0f}', f'{1 / way.playing:,.0f}', f'{1 / both:,.0f}', ratios)
    new_console().print(table)


if __name__ == '__main__':
    main()
