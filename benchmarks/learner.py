"""Measures Gymnasium's vector environment against single ones in a SyncVectorEnv: python -m benchmarks.learner."""

import sys
import time
from dataclasses import dataclass
from typing import Annotated, Any

import gymnasium
import tyro
from rich.table import Table

import rlcard_big2  # noqa: F401  # registers 'Big2-v0'
from common.bounds import AtLeast, NaturalInt
from common.cli import new_console

TARGET = 20.0  # times the speed of a SyncVectorEnv, against random opponents
OPPONENTS = ('random', 'greedy', 'rule', 'big2-dmc')
WARM_UP = 3


@dataclass(frozen=True)
class Options:
    """Steps both by the lowest legal action, in turns; exits with 1 if the first is not 20 times as fast at best."""

    num_envs: Annotated[int, AtLeast(1)] = 256
    """Games in lock step."""
    single: Annotated[int, AtLeast(1)] = 16
    """Games in the SyncVectorEnv; its time for a step does not depend on their number."""
    steps: Annotated[int, AtLeast(1)] = 20
    """Steps of all games in one measurement."""
    repeats: Annotated[int, AtLeast(1)] = 5
    """Measurements of each, of which the shortest counts."""
    seed: NaturalInt = 0
    """Of the games."""


class Stepper:
    """Steps a vector environment."""

    def __init__(self, env: Any, seed: int) -> None:
        self.env = env
        _, self._infos = env.reset(seed=seed)
        self.seconds(WARM_UP)

    def seconds(self, steps: int) -> float:
        """Return the processor time of a step of one game."""
        start = time.process_time()
        for _ in range(steps):
            *_, self._infos = self.env.step(self._infos['action_mask'].argmax(axis=1))
        return (time.process_time() - start) / steps / self.env.num_envs


def measure(options: Options, opponents: str) -> tuple[float, float]:
    """Return the shortest times of a step of one game, in seconds: of the SyncVectorEnv, and in lock step."""
    sizes = {'sync': options.single, 'vector_entry_point': options.num_envs}
    envs = [gymnasium.make_vec('Big2-v0', count, mode, opponents=opponents) for mode, count in sizes.items()]
    steppers = [Stepper(env, options.seed) for env in envs]
    times = [[stepper.seconds(options.steps) for stepper in steppers] for _ in range(options.repeats)]
    single, many = map(min, zip(*times, strict=True))
    return single, many


def main() -> None:
    """Print the measurements."""
    options = tyro.cli(Options, description=__doc__)
    table = Table('opponents', 'SyncVectorEnv', 'lock step', 'ratio', title='Processor time of a step of one game')
    ratios = []
    for opponents in OPPONENTS:
        single, many = measure(options, opponents)
        ratios.append(single / many)
        table.add_row(opponents, f'{1e6 * single:.0f} µs', f'{1e6 * many:.1f} µs', f'{ratios[-1]:.1f}')
    new_console().print(table)
    sys.exit(ratios[0] < TARGET)


if __name__ == '__main__':
    main()
