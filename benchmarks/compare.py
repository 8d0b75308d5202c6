"""Compares every face's speed with that of an earlier checkout, by turns: python -m benchmarks.compare CHECKOUT."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated

import tyro
from rich.console import Console
from rich.table import Table
from tyro.conf import Positional, arg

LEAST = 0.97  # of the earlier speed, for each face
HERE = Path(__file__).parents[1]
CPU = 'import time; time.perf_counter = time.process_time\n'  # in one process, whatever else the machine does


def burst(maker: str) -> str:
    """Return code that prints the steps per CPU second of a burst of `benchmarks.speed`."""
    return f'{CPU}from benchmarks.speed import *; play = {maker}; play(); print(steps_per_second(play, SECONDS))'


def first_game(runs_before: int) -> str:
    """Return code that prints how many first games a second would hold, after so many that fill the cache."""
    code = 'import tempfile; from benchmarks.speed import *; cache = tempfile.mkdtemp(); '
    return code + 'run_code(FIRST_GAME_CODE, cache); ' * runs_before + 'print(1 / run_code(FIRST_GAME_CODE, cache)[0])'


MATCH = """
import contextlib, sys, tempfile
from eval.__main__ import main
with contextlib.suppress(ImportError):  # earlier checkouts import all commands with their main
    import eval.cli
words = f'eval match {AGENT} greedy --deals {DEALS} --workers 1 --out {tempfile.mkdtemp()}/out'
sys.argv = words.split()
start = time.perf_counter()
with contextlib.redirect_stdout(sys.stderr):
    main()
print(DEALS / (time.perf_counter() - start))
"""


def match(agent: str, deals: int) -> str:
    """Return code that prints the deals per CPU second of a match against three greedy agents in one process."""
    return f'{CPU}AGENT, DEALS = {agent!r}, {deals}{MATCH}'


DECISIONS = """
import numpy as np, rlcard, rlcard_big2, torch
from rlcard import models
torch.set_num_threads(1)
env, agent, times = rlcard.make('big2', config={'seed': 3}), models.load(MODEL).agents[0], []
for _ in range(10):
    state, _ = env.reset()
    while not env.is_over():
        start = time.perf_counter()
        action, _ = agent.eval_step(state)
        times.append(time.perf_counter() - start)
        state, _ = env.step(action)
print(1 / np.median(times))
"""


def decision(model: str) -> str:
    """Return code that prints the decisions per CPU second of a shipped model."""
    return f'{CPU}MODEL = {model!r}{DECISIONS}'


# Earlier checkouts make the environment inside.
VECTOR_BURST = (
    "vector_burst(*([VectorEnv(NUM_VECTOR_GAMES, seed=0)] if 'env' in vector_burst.__annotations__ else []), 0)"
)
FACES = {  # code that a checkout runs to measure itself: it prints a speed
    'rlcard.make, full observations': burst("api_burst('big2', 0)"),
    'VectorEnv': burst(VECTOR_BURST),
    'engine ceiling': burst('engine_burst(0)'),
    'first game, empty cache': first_game(0),
    'first game, filled cache': first_game(1),
    'match of rule': match('rule', 3000),
    'match of big2-dmc': match('big2-dmc', 300),
    'decision of big2-rule': decision('big2-rule'),
    'decision of big2-dmc': decision('big2-dmc'),
    'decision of big2-ppo': decision('big2-ppo'),
    'training, dmc': 'from benchmarks.training import *; print(train_here(MINUTES))',
    'training, ppo': 'from benchmarks.ppo import *; print(steps_per_second((), MINUTES))',
}


@dataclass(frozen=True)
class Options:
    """Measures each face here and in an earlier checkout, by turns; exits with 1 if one is slower than 0.97 times."""

    earlier: Annotated[Path, Positional, arg(metavar='CHECKOUT')]
    """Folder of the earlier checkout."""
    rounds: int = 5
    """Rounds after one that warms up; each measures both checkouts once, and the median of the ratios counts."""
    seconds: float = 2.0
    """Length of a measurement of steps per second."""
    minutes: float = 0.5
    """Length of a training run."""
    faces: Annotated[tuple[str, ...], arg(metavar='TEXT ...')] = ()
    """Measure only the faces whose names hold one of these texts."""

    def names(self) -> list[str]:
        """Return the faces to measure."""
        return [name for name in FACES if not self.faces or any(text in name for text in self.faces)]


def speed(checkout: Path, code: str, options: Options) -> float:
    """Have a checkout measure itself."""
    code = f'SECONDS, MINUTES = {options.seconds}, {options.minutes}\n{code}'
    environment = {**os.environ, 'PYTHONPATH': str(checkout), 'OPENBLAS_NUM_THREADS': '1'}
    command = [sys.executable, '-c', code]
    result = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f'{checkout}: {result.stderr}')
    return float(result.stdout.split()[-1])


def main() -> None:
    """Measure, print the table, and exit with 1 and their names if faces are slower."""
    options = tyro.cli(Options, description=Options.__doc__)
    table = Table('Face', 'Earlier', 'Here', 'Ratio', title='Runs per second, medians; ratios of the same round')
    slower, console = [], Console()
    for name in options.names():
        rounds = range(options.rounds + 1)  # the first one compiles and warms up
        pairs = [[speed(at, FACES[name], options) for at in (options.earlier, HERE)] for _ in rounds][1:]
        earlier, here = map(median, zip(*pairs, strict=True))
        ratio = median(new / old for old, new in pairs)
        table.add_row(name, f'{earlier:,.4g}', f'{here:,.4g}', f'{ratio:.3f}')
        console.print(f'{name}: {ratio:.3f}', highlight=False)
        slower += [name] * (ratio < LEAST)
    console.print(table)
    if slower:
        sys.exit(f'slower than {LEAST} times: {", ".join(slower)}')


if __name__ == '__main__':
    main()
