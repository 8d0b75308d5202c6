"""Measures the DMC learner with sums of rows against products: python -m benchmarks.sums.

In one run, on decisions of random games, in one thread. A processor without bfloat16 is imitated by
ONEDNN_MAX_CPU_ISA=AVX2 ATEN_CPU_CAPABILITY=avx2 NUMBA_CPU_NAME=haswell in the environment.
"""

import time
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import torch
import tyro
from rich.table import Table

from common.bounds import AtLeast
from common.cli import new_console
from dmc.config import Config
from dmc.fleet.base import ReplayRows, replay_row
from dmc.learner import Learner
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.lockstep.layout import words_of
from rlcard_big2.vector import VectorEnv

MOVES = 20  # of each game before the decision
WAYS = {  # of computing: the precision, and whether rows may be summed
    'float32, products': (torch.float32, False),
    'float32, sums of rows': (torch.float32, True),
    'bfloat16, products': (torch.bfloat16, True),
}


@dataclass(frozen=True)
class Options:
    """Prints the processor time of a step of the learner, the shortest of several."""

    repeats: Annotated[int, AtLeast(1)] = 10
    """Measurements of each."""


def decisions(count: int) -> ReplayRows:
    """Return decisions to learn from, [count], of games after some random moves."""
    env, random = VectorEnv(count, seed=1), np.random.default_rng(1)
    observations, (moves, offsets) = env.new_observations(), env.new_legal()
    payoffs, done = env.new_payoffs(), np.empty(count, np.bool_)
    for _ in range(MOVES):
        env.legal(moves, offsets)
        env.step(moves[offsets[:-1] + (random.random(count) * np.diff(offsets)).astype(int)], payoffs, done)
    env.observe(observations)
    env.legal(moves, offsets)
    rows = np.zeros(count, replay_row(BIG2))
    rows['observation'], rows['action'] = words_of(observations), moves[offsets[:-1]]
    return rows


def milliseconds(learner: Learner, rows: ReplayRows, repeats: int) -> float:
    """Return the shortest processor time of a step."""
    times = []
    for _ in range(repeats + 1):  # the first compiles
        start = time.process_time()
        learner.update(rows)
        times.append(time.process_time() - start)
    return 1e3 * min(times[1:])


def main() -> None:
    """Print the measurements."""
    options = tyro.cli(Options, description=__doc__)
    torch.set_num_threads(1)
    rows, table = decisions(Config.batch_size), Table('arithmetic', 'ms a step', 'times the first')
    first = None
    for name, (dtype, in_training) in WAYS.items():
        learner = Learner(Config(), dtype)
        learner.network.in_training = in_training
        found = milliseconds(learner, rows, options.repeats)
        first = first or found
        table.add_row(name, f'{found:.1f}', f'{first / found:.2f}')
    new_console().print(table)


if __name__ == '__main__':
    main()
