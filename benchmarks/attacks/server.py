"""Requests to the server that make no sense, or almost do."""

import asyncio
import gc
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

import psutil

from benchmarks.attacks.attempt import Attempt
from tests.web_client import Client, serving
from tests.web_fuzz import fuzz, play_a_game

MOST_GROWTH = 60 << 20  # bytes, beside what is there after the first requests
FIRST = 500  # requests, until caches are full
LIMITS = {'tables': 50, 'looks': 0}  # deep looks take seconds


def attack(random: Random, tries: int) -> Iterator[Attempt]:
    """Make requests in one process with the server, and then play a game."""
    with tempfile.TemporaryDirectory() as name:
        wrong, grown = asyncio.run(_attack(Path(name), random, tries))
    yield from (Attempt(f'request {number}', None) for number in range(tries - len(wrong)))
    yield from (Attempt('a request', f'{answer}') for answer in wrong)
    yield Attempt('memory', f'{grown:,} bytes more' if grown > MOST_GROWTH else None)


async def _attack(folder: Path, random: Random, tries: int) -> tuple[list[object], int]:
    """Return the answers that should not be, and by how many bytes the process grew."""
    async with serving(folder, **LIMITS) as (hall, app):
        hall.thinker.warm_up()
        client, process = Client(app), psutil.Process()
        _, wrong = await fuzz(client, random, min(FIRST, tries))
        gc.collect()
        before = process.memory_info().rss
        _, more = await fuzz(client, random, max(0, tries - FIRST))
        gc.collect()
        grown = process.memory_info().rss - before
        hall.tables.clear()
        await play_a_game(Client(app), random)
        return [*wrong, *more], grown
