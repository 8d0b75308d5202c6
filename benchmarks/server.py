"""Response times of the server with people at many tables at once: python -m benchmarks.server.

People and server share one process and one event loop, without a network between them.
"""

import asyncio
import tempfile
import time
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from random import Random
from typing import Annotated

import numpy as np
from rich.console import Console
from rich.table import Table

from eval.common.cli import parse
from rlcard_kit.bounds import AtLeast
from tests.support.web_client import Client, serving

SEATS = ['me', 'big2-dmc', 'rule', 'big2-dmc']
POLL = 0.5  # seconds between looks at a table at which others move
DELAY = 0.8  # seconds before an agent's move, as by default
STARTS = 3.0  # seconds in which the tables start


@dataclass(frozen=True)
class Options:
    """Measures how long the server takes to answer moves, with a person and three agents at each table."""

    tables: Annotated[int, AtLeast(1)] = 200
    """Tables at which somebody plays."""
    seconds: Annotated[float, AtLeast(1)] = 60.0
    """Seconds for which they play."""
    think: float = 1.0
    """Seconds that a person takes for a move, on average."""


async def play(client: Client, options: Options, random: Random) -> list[float]:
    """Play one deal after the other; return how long each move took, in ms."""
    await asyncio.sleep(random.uniform(0, STARTS))
    times, end, view = [], time.monotonic() + options.seconds, None
    while time.monotonic() < end:
        if view is None or view['over']:
            table, view = await client.begin(SEATS)
        elif view['legal'] and view['auto'] is None:
            await asyncio.sleep(random.expovariate(1 / options.think))
            start = time.perf_counter()
            move = {'ply': view['ply'], 'move': random.choice(view['legal'])}
            view = (await client.post(f'{table}/moves', move)).json()
            times.append(1000 * (time.perf_counter() - start))
        else:
            await asyncio.sleep(POLL)
            view = await client.view(table)
    return times


async def measure(options: Options) -> list[float]:
    """Play at all tables; return how long each move took, in ms."""
    with tempfile.TemporaryDirectory() as folder:
        async with serving(Path(folder), delay=DELAY) as (_, app):
            people = (
                play(Client(app, f'client {number}'), options, Random(number)) for number in range(options.tables)
            )
            return list(chain.from_iterable(await asyncio.gather(*people)))


def main() -> None:
    """Measure, and print the table."""
    options = parse(Options, description=Options.__doc__)
    times = asyncio.run(measure(options))
    table = Table('moves', 'median, ms', '95th percentile, ms', 'longest, ms', title=f'{options.tables} tables')
    table.add_row(f'{len(times):,}', *(f'{np.percentile(times, share):.1f}' for share in (50, 95, 100)))
    Console().print(table)


if __name__ == '__main__':
    main()
