"""Requests that make no sense get a sentence, and leave everything as it was."""

import asyncio
import gc
from random import Random

import psutil

from tests.support.web_client import Client, serving
from tests.support.web_fuzz import fuzz, play_a_game

REQUESTS = 1500  # `python -m benchmarks.attacks --only server` makes 10,000
LIMITS = {'tables': 20, 'looks': 0, 'streams': 4}  # deep looks take seconds


async def attack(folder):
    async with serving(folder, **LIMITS) as (lobby, app):
        client, random = Client(app), Random(1)
        lobby.thread.warm_up()  # compiling takes memory
        _, wrong = await fuzz(client, random, 300)
        gc.collect()
        before = psutil.Process().memory_info().rss
        _, more = await fuzz(client, random, REQUESTS)
        gc.collect()
        lobby.tables.clear()
        end = await play_a_game(Client(app), random)
        return wrong + more, psutil.Process().memory_info().rss - before, end


def test_no_request_breaks_the_server(tmp_path):
    wrong, grown, end = asyncio.run(attack(tmp_path))
    assert wrong == []
    assert grown < 60 << 20, 'bytes of memory'
    assert end['over']
