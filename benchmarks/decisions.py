"""Measures how long the shipped models take for a decision through RLCard's API: python -m benchmarks.decisions."""

import sys
import time
from dataclasses import dataclass

import numpy as np
import rlcard
import torch
import tyro
from rich.console import Console
from rich.table import Table
from rlcard import models

import rlcard_big2  # noqa: F401  # registers 'big2' and the models
from rlcard_big2.models import MODELS

TARGET = 3.0  # ms, the median


@dataclass(frozen=True)
class Options:
    """Measures decisions one at a time in one thread; exits with 1 if a median misses the target."""

    games: int = 40
    """Games of each model against itself."""


def milliseconds(name: str, games: int) -> list[float]:
    """Return how long each decision of some games took."""
    env, agent, found = rlcard.make('big2', config={'seed': 3}), models.load(name).agents[0], []
    for _ in range(games):
        state, _ = env.reset()
        while not env.is_over():
            start = time.perf_counter()
            action, _ = agent.eval_step(state)
            found.append(1000 * (time.perf_counter() - start))
            state, _ = env.step(action)
    return found[len(found) // games :]  # without the first game's worth, which compiles and warms up


def main() -> None:
    """Measure, print the table, and exit with 1 if the target is missed."""
    options = tyro.cli(Options, description=Options.__doc__)
    torch.set_num_threads(1)
    table = Table('model', 'median ms', '95th percentile ms')
    slowest = 0.0
    for name in MODELS:
        median, late = np.percentile(milliseconds(name, options.games), (50, 95))
        table.add_row(name, f'{median:.2f}', f'{late:.2f}')
        slowest = max(slowest, median)
    table.add_row('target', f'<= {TARGET:.0f}', '')
    Console().print(table)
    if slowest > TARGET:
        sys.exit('the target is missed')


if __name__ == '__main__':
    main()
