"""Compare settings over several seeds at equal processor time: python -m benchmarks.seeds FOLDER published-ppo:FILE."""

import csv
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro
from rich.console import Console
from rich.table import Table

from eval.common.cli import parse
from rlcard_kit.arrays import Float64Array
from rlcard_kit.bounds import NaturalInt, PositiveFloat, PositiveInt, check_settings
from rlcard_kit.statistics import estimate

ADAM, ADAM_AVX2, PPO, CATCH5_PPO = 'DMC, Adam', 'DMC, Adam, AVX2', 'PPO', 'Catch Five, PPO'
SETTINGS = {  # trainer, flags, and the setting that each is compared with
    ADAM: ('dmc', '--optimizer adam', ''),
    'DMC': ('dmc', '', ADAM),
    'DMC, a plain layer for the LSTM': ('dmc', '--optimizer adam --network layered-residual --lstm-size 128', ADAM),
    'DMC, lambda 0': ('dmc', '--optimizer adam --td-lambda 0', ADAM),
    'DMC, an earlier copy as opponent': ('dmc', '--optimizer adam --opponent prior', ADAM),
    'DMC, published inputs': ('dmc', '--optimizer adam --inputs cards', ADAM),
    'DMC, paper': ('dmc', '--preset paper --rules charlesworth', ADAM),
    PPO: ('ppo', '', ADAM),
    'PPO, a quarter against earlier selves': ('ppo', '--pool-share 0.25', PPO),
    'PPO, published inputs': ('ppo', '--inputs cards', PPO),
    'PPO, published network of 1695 outputs': ('ppo', '--network charlesworth', 'PPO, published inputs'),
    'PPO, paper': ('ppo', '--preset paper', ADAM),
    CATCH5_PPO: ('ppo', '--game catch5', ''),
    'Catch Five, published network': ('ppo', '--game catch5 --network vonyork', CATCH5_PPO),
    'Catch Five, leaky ReLU': ('ppo', '--game catch5 --network vonyork-leaky', 'Catch Five, published network'),
    ADAM_AVX2: ('dmc', '--optimizer adam --precision float32', ''),
    'DMC, AVX2': ('dmc', '--precision float32', ADAM_AVX2),
    'DMC, AVX2, a plain layer for the LSTM': (
        'dmc',
        '--optimizer adam --network layered-residual --lstm-size 128 --precision float32',
        ADAM_AVX2,
    ),
}
AVX2 = {'ATEN_CPU_CAPABILITY': 'avx2', 'MKL_ENABLE_INSTRUCTIONS': 'AVX2'}  # for the settings with that name
POINTS = 3  # checkpoints of a run
FIRST_DEALS = 4200  # seed of the deals of the runs with seed 0; each seed has its own
BIG2, CATCH5 = ('published PPO', 'random', 'rule'), ('pass', 'rule')  # opponents
HEADER = 'setting', 'against', 'million decisions', 'EV', 'WP', 'compared with', 'difference in EV'
Row = dict[str, str]
Columns = dict[str, Float64Array]


@dataclass(frozen=True)
class Options:
    """Train each setting with each seed on one core, play the checkpoints, and print means over the seeds.

    Runs and matches that FOLDER holds are not repeated.
    """

    paths: Annotated[tuple[Path, str], tyro.conf.Positional, tyro.conf.arg(metavar='FOLDER published-ppo:FILE')]
    """Folder of the runs, and the published network of Big 2, an opponent beside random and rule."""
    minutes: PositiveFloat = 3.0
    """Length of a run."""
    seeds: PositiveInt = 3
    """Runs of each setting."""
    deals: PositiveInt = 1000
    """Deals of each match, in all seats; the same for all settings."""
    core: NaturalInt = 0
    """The core to train on; nothing else should run there."""
    out: Path | None = None
    """Write runs.csv, a row for each match, and means.csv into this folder."""


def run(module: str, arguments: str, *more: object, **variables: str) -> None:
    """Run a command of the project, with more variables in its environment, and end if it fails."""
    command = [sys.executable, '-m', *module.split(), *arguments.split(), *map(str, more)]
    if subprocess.run(command, stdout=subprocess.DEVNULL, env={**os.environ, **variables}).returncode:
        sys.exit(f'failed: {" ".join(command)}')


def train(options: Options, folder: Path, trainer: str, flags: str, seed: int) -> None:
    """Train in `folder` on one core, unless that was done."""
    finished = folder / 'finished'
    if not finished.exists():
        cores = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {options.core})
        actors = ('--num-actors', 1) if trainer == 'dmc' else ()
        limits = '--minutes', options.minutes, '--save-interval', options.minutes / POINTS, '--eval-deals', 0
        variables = AVX2 if 'avx2' in folder.name else {}
        arguments = '--savedir', folder, '--seed', seed, '--learner-threads', 1, *actors, *limits
        run(f'{trainer} train', flags, *arguments, **variables)
        os.sched_setaffinity(0, cores)
        finished.touch()


def play(options: Options, folder: Path, trainer: str, flags: str, seed: int) -> Iterator[Row]:
    """Play the checkpoints in `folder`, unless that was done, and yield the rows of its curve."""
    report = folder / 'report'
    if not (report / 'curve.csv').exists():
        against, names = (CATCH5, CATCH5) if 'catch5' in flags else ((options.paths[1], *BIG2[1:]), BIG2)
        greedy = ('--options', 'greedy') if trainer == 'ppo' else ()
        deals = '--deals', options.deals, '--seed', FIRST_DEALS + seed, '--points', POINTS, '--others', 'none'
        opponents = '--against', *against, '--label', *names
        run('eval curve', str(folder), *opponents, *greedy, *deals, '--resume', '--out', report)
    with (report / 'curve.csv').open(newline='') as file:
        yield from csv.DictReader(file)


def summary(rows: list[Row]) -> Iterator[tuple[str, ...]]:
    """Yield a row of HEADER for each setting and opponent: the last checkpoints' means over the seeds.

    The intervals cover training and deals, since each seed has its own deals.
    """
    ends: dict[tuple[str, str], Columns] = {}
    for setting, opponent in dict.fromkeys((row['setting'], row['opponent']) for row in rows):
        last = {row['seed']: row for row in rows if (row['setting'], row['opponent']) == (setting, opponent)}
        columns = {name: np.array([float(row[name]) for row in last.values()]) for name in ('frames', 'ev', 'wp')}
        ends[setting, opponent] = columns
        cells = f'{estimate(columns["ev"]):+.2f}', f'{estimate(columns["wp"]):.3f}'
        other, gained = SETTINGS[setting][2], ''
        if other:
            gained = f'{estimate(columns["ev"] - ends[other, opponent]["ev"]):+.2f}'
        yield setting, opponent, f'{columns["frames"].mean() / 1e6:.1f}', *cells, other, gained


def main() -> None:
    """Train, play, write the rows, and print the means."""
    options = parse(Options, description=Options.__doc__)
    check_settings(options)
    runs = [
        (name, options.paths[0] / f'{name.lower().replace(",", "").replace(" ", "-")}-{seed}', seed)
        for seed, name in product(range(options.seeds), SETTINGS)
    ]
    for name, folder, seed in runs:
        train(options, folder, *SETTINGS[name][:2], seed)
    rows = [
        {'setting': name, 'seed': str(seed), **row}
        for name, folder, seed in runs
        for row in play(options, folder, *SETTINGS[name][:2], seed)
    ]
    means = list(summary(rows))
    table = Table(*HEADER)
    for cells in means:
        table.add_row(*cells)
    Console().print(table)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        lines = {'runs': [tuple(rows[0]), *(tuple(row.values()) for row in rows)], 'means': [HEADER, *means]}
        for name in lines:
            with (options.out / f'{name}.csv').open('w', newline='') as file:
                csv.writer(file, lineterminator='\n').writerows(lines[name])


if __name__ == '__main__':
    main()
