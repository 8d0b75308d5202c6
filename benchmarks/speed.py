"""Compare the speed of Big 2 and Catch Five with that of RLCard's doudizhu: python -m benchmarks.speed."""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import numpy as np
import rlcard
from rich.console import Console
from rich.table import Table

import rlcard_big2  # noqa: F401  # registers 'big2'
import rlcard_catch5  # registers 'catch5'
from eval.common.cli import parse
from rlcard_big2.agents.base import RandomAgent
from rlcard_big2.vector import VectorEnv
from rlcard_kit import vector_env
from rlcard_kit.agents import Positions
from rlcard_kit.rng import new_streams

BASELINE = 'doudizhu, RLCard API'
TARGET_RATIOS = {  # of steps per second to those of the baseline
    'VectorEnv, packed observations': 100.0,
    'rlcard.make, full observations': 9.0,
    'Catch Five: VectorEnv, packed observations': 150.0,
    'Catch Five: rlcard.make, full observations': 8.0,
}
TARGET_SECONDS = {  # from the start of the interpreter, the import alone excepted
    'import after rlcard': 0.5,
    'first game, empty cache': 20.0,
    'first game, filled cache': 2.0,
}
NUM_VECTOR_GAMES = 512
VECTOR_STEPS = 16  # of all games, between two looks at the clock

IMPORT_CODE = """
import time, rlcard
start = time.perf_counter()
import rlcard_big2
print(time.perf_counter() - start)
"""
FIRST_GAME_CODE = """
import random, rlcard, rlcard_big2
env = rlcard.make('big2')
state, _ = env.reset()
while not env.is_over():
    state, _ = env.step(random.choice(list(state['legal_actions'])))
"""

Burst = Callable[[], int]  # plays for some milliseconds and returns the steps made


@dataclass(frozen=True)
class Options:
    """Measures steps per second and start-up times against their targets; exits with 1 if one is missed."""

    seconds: float = 0.2
    """Length of one measurement of steps per second."""
    rounds: int = 25
    """Rounds; each measures the steps per second of everything once, and medians over the rounds count."""
    starts: int = 5
    """Starts of the interpreter, for each start-up time."""
    seed: int = 0
    """Seed of all deals and moves."""

    def __post_init__(self) -> None:
        if self.seconds <= 0 or self.rounds < 1 or self.starts < 1 or self.seed < 0:
            raise ValueError('seconds must be above 0, rounds and starts 1 or more, and seed 0 or more')


def api_burst(env_id: str, seed: int) -> Burst:
    """Make a burst that plays one game of `rlcard.make(env_id)`, each action drawn from the state's legal actions."""
    env = rlcard.make(env_id, config={'seed': seed})
    draw = random.Random(seed)

    def play() -> int:
        state, _ = env.reset()
        steps = 0
        while not env.is_over():
            state, _ = env.step(draw.choice(list(state['legal_actions'])))
            steps += 1
        return steps

    return play


def vector_burst(env: vector_env.VectorEnv, seed: int) -> Burst:
    """Make a burst of steps of N games: packed observations, legal moves, and random choices among them."""
    agent = RandomAgent()
    streams = new_streams(seed, NUM_VECTOR_GAMES)
    observations, (moves, offsets), payoffs = env.new_observations(), env.new_legal(), env.new_payoffs()
    done = np.empty(NUM_VECTOR_GAMES, np.bool_)

    def play() -> int:
        for _ in range(VECTOR_STEPS):
            env.observe(observations)
            env.legal(moves, offsets)
            choice = agent.choose(Positions(observations, moves, offsets), streams)
            env.step(moves[choice.indices], payoffs, done, check=False)
        return VECTOR_STEPS * NUM_VECTOR_GAMES

    return play


def make_bursts(seed: int) -> dict[str, Burst]:
    """Make the bursts to compare, by name, each warmed up."""
    players = (
        vector_burst(VectorEnv(NUM_VECTOR_GAMES, seed=seed), seed),
        api_burst('big2', seed),
        vector_burst(rlcard_catch5.VectorEnv(NUM_VECTOR_GAMES, seed=seed), seed),
        api_burst('catch5', seed),
    )
    bursts = {BASELINE: api_burst('doudizhu', seed), **dict(zip(TARGET_RATIOS, players, strict=True))}
    for burst in bursts.values():
        burst()
    return bursts


def steps_per_second(burst: Burst, seconds: float) -> float:
    """Return the steps per second of a burst that is repeated for a number of seconds."""
    start = time.perf_counter()
    steps, elapsed = 0, 0.0
    while elapsed < seconds:
        steps += burst()
        elapsed = time.perf_counter() - start
    return steps / elapsed


def run_code(code: str, cache: str) -> tuple[float, str]:
    """Run code in a fresh interpreter with `cache` for compiled code; return its seconds and its output."""
    start = time.perf_counter()
    result = subprocess.run(
        [sys.executable, '-c', code],
        env={**os.environ, 'NUMBA_CACHE_DIR': cache},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return time.perf_counter() - start, result.stdout


def measure(options: Options) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Measure everything in turn; return steps per second, and start-up seconds, by name and then by round."""
    bursts = make_bursts(options.seed)
    rates: dict[str, list[float]] = {name: [] for name in bursts}
    for _ in range(options.rounds):
        for name, burst in bursts.items():
            rates[name].append(steps_per_second(burst, options.seconds))
    imports, compiled = [], []
    with tempfile.TemporaryDirectory() as cache:
        empty = [run_code(FIRST_GAME_CODE, cache)[0]]
        for _ in range(options.starts):
            imports.append(float(run_code(IMPORT_CODE, cache)[1]))
            compiled.append(run_code(FIRST_GAME_CODE, cache)[0])
    return rates, dict(zip(TARGET_SECONDS, (imports, empty, compiled), strict=True))


def report(rates: dict[str, list[float]], seconds: dict[str, list[float]]) -> list[str]:
    """Print the table; return the names of what missed its target. Ratios are to the baseline in the same round."""
    table, missed = Table('Compared', title='Random play on one core; ratios to doudizhu'), []
    for column in ('Measured', 'Ratio', 'Target', 'Met'):
        table.add_column(column, justify='right', no_wrap=True)
    table.add_row(BASELINE, f'{median(rates[BASELINE]):,.0f} steps/s', '1.0')
    for name, least in TARGET_RATIOS.items():
        ratio = median(rate / base for rate, base in zip(rates[name], rates[BASELINE], strict=True))
        missed += [name] if ratio < least else []
        cells = f'{median(rates[name]):,.0f} steps/s', f'{ratio:,.1f}', f'>= {least:g} times'
        table.add_row(name, *cells, 'NO' if name in missed else 'yes')
    for name, most in TARGET_SECONDS.items():
        measured = median(seconds[name])
        missed += [name] if measured > most else []
        table.add_row(name, f'{measured:.2f} s', '', f'<= {most:g} s', 'NO' if name in missed else 'yes')
    Console().print(table)
    return missed


def main() -> None:
    """Measure, print the table, and exit with 1 and their names if targets are missed."""
    if missed := report(*measure(parse(Options, description=Options.__doc__))):
        sys.exit('missed: ' + '; '.join(missed))


if __name__ == '__main__':
    main()
