"""Measure a match's speed with one and with two processes: python -m benchmarks.evaluation AGENT FIELD."""

import os
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.table import Table

from eval.plan import Plan
from eval.players import Players
from eval.runner import play_blocks
from eval.store import Store
from eval.workers import Pool
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.rules import Rules
from rlcard_kit.errors import KitError

TARGET_SECONDS = 240.0  # for PAPER_DEALS with two processes
TARGET_SCALING = 1.8
PAPER_DEALS = 15_000  # in Chow and Cheng (2022)


@dataclass(frozen=True)
class Options:
    """Measures how long the deals of a match take; exits with 1 if a target is missed."""

    agents: Annotated[tuple[str, str], tyro.conf.Positional, tyro.conf.arg(metavar='AGENT FIELD')]
    """The agent in one seat, and the field in the other three."""
    deals: int = PAPER_DEALS
    """Deals, each played in all four seats; times are scaled to 15,000."""
    seed: int = 0
    """Seed of the deals."""


def seconds_for(plan: Plan, workers: int) -> float:
    """Play a plan with a number of processes, and return its seconds, start-up included."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        store = Store(Path(folder), plan, plan.describe(), resume=False)
        with closing(Pool(partial(Players, plan))) as pool:
            for _ in play_blocks(plan.num_blocks, pool, store, workers):
                pass
        return time.perf_counter() - start


def main() -> None:
    """Measure, print the table, and exit with 1 if a target is missed."""
    options = tyro.cli(Options, description=Options.__doc__)
    deals = deals_from_seed(options.seed, options.deals)
    plan = Plan(options.agents, BIG2.seatings(0, 1), Rules(), deals, options.seed)
    try:
        two, one = (seconds_for(plan, workers) * PAPER_DEALS / options.deals for workers in (2, 1))
    except KitError as error:
        sys.exit(str(error))
    table = Table('', 'measured', 'target', title=f'{options.agents[0]} against three of {options.agents[1]}')
    table.add_row('15,000 deals, one process', f'{one:.0f} s', '')
    table.add_row('15,000 deals, two processes', f'{two:.0f} s', f'<= {TARGET_SECONDS:.0f} s')
    table.add_row('scaling', f'{one / two:.2f}', f'>= {TARGET_SCALING} (this machine has {os.cpu_count()} cores)')
    Console().print(table)
    if two > TARGET_SECONDS or one / two < TARGET_SCALING:
        sys.exit('a target is missed')


if __name__ == '__main__':
    main()
