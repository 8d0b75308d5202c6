"""Measures the server with many tables at once, and how long it takes to start: python -m benchmarks.server."""

import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import psutil
import tyro
from rich.table import Table

from common.cli import new_console
from rlcard_kit.bounds import AtLeast, NaturalInt

TARGET = 150.0  # ms in which 95 % of moves are answered
START_TARGET = 2.0  # s of processor time until it can be used
POLL = 0.5  # s between looks at a table at which others move
KEPT = 3.0  # s for which an idle connection is kept; the server closes it after five
SEATS = ['me', 'big2-dmc', 'rule', 'big2-dmc']
SERVE = """
import sys
from pathlib import Path
from rlcard_big2.web import server as serving
from rlcard_big2.web.rate_limits import Limits
serving.Limits = lambda **known: Limits(**known, tables=1000, tables_per_minute=1e9)
serving.serve(serving.ServeOptions('127.0.0.1', 0, Path(sys.argv[1]), (), ('rule',), float(sys.argv[2]), 60.0, False))
"""


@dataclass(frozen=True)
class Options:
    """Plays at many tables at once, a person and three agents each; exits with 1 if a target is missed."""

    tables: Annotated[int, AtLeast(1)] = 200
    """Tables at which somebody plays."""
    seconds: Annotated[float, AtLeast(1)] = 60.0
    """How long to play."""
    delay: Annotated[float, AtLeast(0)] = 0.8
    """Seconds before an agent's move, as in `big2 serve`."""
    think: Annotated[float, AtLeast(0)] = 1.0
    """Seconds that a person takes for a move, on average."""
    seed: NaturalInt = 0
    """Of what people choose, and how long they take."""


@dataclass
class Times:
    """What was measured."""

    moves: list[float] = field(default_factory=list)  # ms until a person's move was answered
    views: list[float] = field(default_factory=list)
    games: int = 0


class Connection:
    """A connection that is kept, and the cookies of its tables.

    Args:
        port: of the server on this machine.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookie = ''
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._used = 0.0

    async def ask(self, path: str, body: dict[str, Any] | None = None) -> tuple[Any, float]:
        """Make a request; return the answer, and how many ms it took."""
        data = b'' if body is None else json.dumps(body).encode()
        head = (
            f'{"GET" if body is None else "POST"} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n'
            f'Content-Type: application/json\r\nContent-Length: {len(data)}\r\nCookie: {self.cookie}\r\n\r\n'
        )
        start = time.perf_counter()
        reader, writer = await self._connect()
        writer.write(head.encode() + data)
        status, answer = await self._read(reader)
        if status >= 400:
            raise RuntimeError(f'{path} was answered by {status}: {answer}')
        return answer, 1000 * (time.perf_counter() - start)

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Return the connection, or a new one before the server closes it."""
        if self._streams is None or time.monotonic() - self._used > KEPT:
            if self._streams is not None:
                self._streams[1].close()
            self._streams = await asyncio.open_connection('127.0.0.1', self.port)
        self._used = time.monotonic()
        return self._streams

    async def _read(self, reader: asyncio.StreamReader) -> tuple[int, Any]:
        head = (await reader.readuntil(b'\r\n\r\n')).decode().split('\r\n')
        headers = {name.lower(): value for name, _, value in (line.partition(': ') for line in head[1:])}
        if 'set-cookie' in headers:
            self.cookie = headers['set-cookie'].partition(';')[0]
        body = await reader.readexactly(int(headers['content-length']))
        return int(head[0].split()[1]), json.loads(body)


async def play(port: int, options: Options, times: Times, number: int) -> None:
    """Play one game after the other at one table at a time, as a person would."""
    chance, connection = random.Random(options.seed + number), Connection(port)
    await asyncio.sleep(chance.uniform(0, 3))
    end = time.monotonic() + options.seconds
    view: dict[str, Any] | None = None
    while time.monotonic() < end:
        if view is None or view['over']:
            times.games += view is not None
            made, _ = await connection.ask('/api/tables', {'seats': SEATS})
            path, view = f'/api/tables/{made["table"]}', made['view']
        elif view['legal'] and view['auto'] is None:
            await asyncio.sleep(chance.expovariate(1 / options.think) if options.think else 0)
            move = {'ply': view['ply'], 'move': chance.choice(view['legal'])}
            view, took = await connection.ask(f'{path}/moves', move)
            times.moves.append(took)
        else:
            await asyncio.sleep(POLL)
            view, took = await connection.ask(f'{path}/view')
            times.views.append(took)


async def play_all(port: int, options: Options, times: Times) -> None:
    """Play at all tables."""
    await asyncio.gather(*(play(port, options, times, number) for number in range(options.tables)))


def start(folder: Path, delay: float) -> tuple['subprocess.Popen[str]', int, float]:
    """Start a server; return its process, its port, and the seconds of processor time that it took."""
    words = [sys.executable, '-c', SERVE, str(folder), str(delay)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    line = process.stdout.readline() if process.stdout is not None else ''
    return process, int(line.strip().rstrip('/').rpartition(':')[2]), _cpu(process.pid)


def _cpu(pid: int) -> float:
    used = psutil.Process(pid).cpu_times()
    return float(used.user + used.system)


def measure(options: Options, table: Table) -> tuple[float, float]:
    """Measure, fill the table, and return the seconds of the start and the ms of 95 % of the moves."""
    times = Times()
    with tempfile.TemporaryDirectory() as name:
        starts = []
        for _ in range(3):
            process, port, seconds = start(Path(name), options.delay)
            starts.append(seconds)
            if len(starts) < 3:
                process.kill()
                process.wait()
        try:
            before = _cpu(process.pid)
            asyncio.run(play_all(port, options, times))
            used, memory = _cpu(process.pid) - before, psutil.Process(process.pid).memory_info().rss
        finally:
            process.kill()
            process.wait()
    table.add_row('start, s of processor time, least of 3', f'{min(starts):.2f}', f'<= {START_TARGET}')
    slow = float(np.percentile(times.moves, 95))
    table.add_row("a person's move answered, median ms", f'{np.median(times.moves):.1f}', '')
    table.add_row("a person's move answered, 95th percentile ms", f'{slow:.1f}', f'<= {TARGET:.0f}')
    table.add_row("a person's move answered, most ms", f'{max(times.moves):.0f}', '')
    table.add_row('a view answered, 95th percentile ms', f'{np.percentile(times.views, 95):.1f}', '')
    table.add_row('moves of people; games ended', f'{len(times.moves):,}; {times.games:,}', '')
    table.add_row("server's processor time, s a second", f'{used / options.seconds:.2f}', '')
    table.add_row('memory, MB', f'{memory / 1e6:.0f}', '')
    return min(starts), slow


def main() -> None:
    """Measure, print the table, and exit with 1 if a target is missed."""
    options = tyro.cli(Options, description=Options.__doc__)
    title = f'{options.tables} tables at once, agents move after {options.delay} s'
    table = Table('', 'measured', 'target', title=title)
    started, slow = measure(options, table)
    new_console().print(table)
    if started > START_TARGET or slow > TARGET:
        sys.exit('a target is missed')


if __name__ == '__main__':
    main()
