"""Measures how long the shipped models take for a decision through RLCard's API: python -m benchmarks.decisions."""

import sys
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import rlcard
import torch
import tyro
from rich.console import Console
from rich.table import Table

import rlcard_big2  # noqa: F401  # registers 'big2'
from rlcard_big2.names import make_agent

TARGET = 3.0  # ms, the median
TORCH, NUMPY = 'big2-dmc', 'big2-dmc,numpy'
NAMES = (TORCH, NUMPY, 'big2-ppo', 'rule')


@dataclass(frozen=True)
class Options:
    """Measures decisions one at a time; exits with 1 if a median misses the target, or numpy's exceeds torch's."""

    games: int = 40
    """Games of each agent against itself; the agents take turns, a game each."""


@dataclass
class Times:
    """How long an agent's decisions took, in ms."""

    agent: Any
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """The median of the time on the clock."""
        return float(np.median(self.wall))


def play(times: Times, seed: int) -> None:
    """Play a game of an agent against itself, and note how long each decision took."""
    env = rlcard.make('big2', config={'seed': seed})
    state, _ = env.reset()
    while not env.is_over():
        wall, cpu = time.perf_counter(), time.process_time()
        action, _ = times.agent.eval_step(state)
        times.wall.append(1000 * (time.perf_counter() - wall))
        times.cpu.append(1000 * (time.process_time() - cpu))
        state, _ = env.step(action)


def measure(games: int) -> dict[str, Times]:
    """Return the times of each agent by its name."""
    agents = {name: make_agent(name) for name in NAMES}
    for agent in agents.values():
        play(Times(agent), 0)  # which compiles and warms up
    found = {name: Times(agent) for name, agent in agents.items()}
    for game in range(1, games + 1):
        for times in found.values():
            play(times, game)
    return found


def main() -> None:
    """Measure, print the table, and exit with 1 if a target is missed."""
    options = tyro.cli(Options, description=Options.__doc__)
    torch.set_num_threads(1)  # numpy's network sees to its own threads
    found = measure(options.games)
    table = Table('agent', 'median ms', '95th percentile ms', 'mean ms of processor time')
    for name, times in found.items():
        cells = times.median, np.percentile(times.wall, 95), np.mean(times.cpu)
        table.add_row(name, *(f'{cell:.2f}' for cell in cells))
    table.add_row('target', f'<= {TARGET:.0f}', '', '')
    Console().print(table)
    if max(times.median for times in found.values()) > TARGET or found[NUMPY].median > found[TORCH].median:
        sys.exit('a target is missed')


if __name__ == '__main__':
    main()
