"""Measures the speed of PPO training with the paper's settings and with the default: python -m benchmarks.ppo."""

import sys
from dataclasses import dataclass
from statistics import median

import tyro
from rich.console import Console
from rich.table import Table

from benchmarks.training import train

RUNS = {  # arguments of each
    'paper': ('--preset', 'paper'),
    'paper, float32': ('--preset', 'paper', '--precision', 'float32'),
    'default': (),
}
PUBLISHED = 150_000_000 / (2 * 24 * 3600)  # steps/s: 150 M in two days
TARGET_RATIO = 10.0  # of the paper's settings here


@dataclass(frozen=True)
class Options:
    """Measures moves played and learned from per second; exits with 1 if the target is missed."""

    minutes: float = 2.0
    """Length of each run."""


def main() -> None:
    """Measure, print the table, and exit with 1 if the target is missed."""
    options = tyro.cli(Options, description=Options.__doc__)
    metrics = {name: train('ppo', options.minutes, *arguments) for name, arguments in RUNS.items()}
    speeds = {name: median(float(row['played_per_second']) for row in rows) for name, rows in metrics.items()}
    table = Table('settings', 'steps/s', 'times the published program')
    for name, speed in speeds.items():
        table.add_row(name, f'{speed:,.0f}', f'{speed / PUBLISHED:.1f}')
    table.add_row('target for the paper', '', f'>= {TARGET_RATIO:.0f}')
    Console().print(table)
    if speeds['paper'] < TARGET_RATIO * PUBLISHED:
        sys.exit('the target is missed')


if __name__ == '__main__':
    main()
