"""Watches a training run for long, and kills its actors at random: python -m benchmarks.endurance."""

import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from statistics import median
from threading import Thread
from typing import Annotated

import psutil
import tyro
from rich.console import Console
from rich.table import Table

MEBIBYTE = 2**20
MOST_MEMORY = 2048.0  # MiB, of all processes together
MOST_GROWTH = 1.05  # of memory, from the first third of a run to its last
REPORT_SECONDS, REPLACE_SECONDS, RECOVER_SECONDS = 2.0, 10.0, 30.0
RECOVERED = 0.9  # of the speed before a kill
KILL_SECONDS = 25.0  # at least, between two kills
SAMPLE_SECONDS = 30.0
WARM_UP_SECONDS = 60.0  # before the first kill


@dataclass(frozen=True)
class Options:
    """Trains with the default settings and watches memory, file descriptors and recovery from killed actors.

    Exits with 1 if a target is missed.
    """

    train: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar='FLAG ...')] = ()
    """Flags of `python -m dmc train`, after `--`."""
    minutes: float = 30.0
    """Length of the run."""
    kills: int = 20
    """Actors to kill on the way, at random times."""
    kill_minutes: float = 12.0
    """Part of the run, at its start, in which they are killed."""
    seed: int = 0
    """Seed of times and victims."""


@dataclass
class Kill:
    """What followed the death of an actor, in seconds; None if it never came."""

    at: float
    speed: float  # learned/s before
    reported: float | None = None
    replaced: float | None = None
    recovered: float | None = None


@dataclass
class Watch:
    """A training run under watch."""

    process: psutil.Popen
    kills: list[Kill] = field(default_factory=list)
    speeds: list[tuple[float, float]] = field(default_factory=list)  # time, learned/s
    samples: list[tuple[float, int]] = field(default_factory=list)  # MiB and file descriptors of all processes

    def read(self) -> None:
        """Follow what the run prints, until it ends."""
        for line in self.process.stdout:
            print(line, end='', flush=True)
            now = time.monotonic()
            if found := re.search(r'learned/s ([\d,]+)', line):
                self.speeds.append((now, float(found[1].replace(',', ''))))
                self._note_recovery(now)
            if 'died and is replaced' in line and self.kills:
                self.kills[-1].reported = now - self.kills[-1].at

    def _note_recovery(self, now: float) -> None:
        for kill in self.kills:
            # A line tells the speed of the last ten seconds: one that comes earlier still counts what was before.
            if kill.recovered is None and now - kill.at > 10 and self.speeds[-1][1] >= RECOVERED * kill.speed:
                kill.recovered = now - kill.at

    def actors(self) -> list[psutil.Process]:
        """Return the processes that play."""
        found = []
        for child in self.process.children():
            with suppress(psutil.NoSuchProcess):  # one that has just died
                if 'spawn_main' in ' '.join(child.cmdline()):
                    found.append(child)
        return found

    def sample(self) -> None:
        """Note memory, shared pages being shared among those who map them, and file descriptors."""
        everybody = [self.process, *self.process.children(recursive=True)]
        memory = sum(process.memory_full_info().pss for process in everybody) / MEBIBYTE
        self.samples.append((memory, sum(process.num_fds() for process in everybody)))

    def kill(self, choose: random.Random) -> None:
        """Kill an actor, and wait for the next to be started."""
        known = self.actors()
        speed = median(speed for _, speed in self.speeds[-6:])
        self.kills.append(Kill(time.monotonic(), speed))
        choose.choice(known).send_signal(signal.SIGKILL)
        while time.monotonic() - self.kills[-1].at < REPLACE_SECONDS:
            time.sleep(0.1)
            if {process.pid for process in self.actors()} - {process.pid for process in known}:
                self.kills[-1].replaced = time.monotonic() - self.kills[-1].at
                return


def start(options: Options, folder: str) -> Watch:
    """Start training."""
    command = [sys.executable, '-m', 'dmc', 'train', '--savedir', folder, '--minutes', str(options.minutes)]
    if options.kills:
        command += ['--max-deaths', str(options.kills), '--eval-deals', '0']  # matches would be processes to kill too
    environment = os.environ | {'PYTHONUNBUFFERED': '1'}
    return Watch(psutil.Popen([*command, *options.train], stdout=subprocess.PIPE, text=True, env=environment))


def moments_of_kills(options: Options) -> list[float]:
    """Draw when to kill, in seconds from the start: at random, but never more than one in 25 seconds."""
    choose = random.Random(options.seed)
    room = _room(options)
    waits = sorted(choose.uniform(0, room) for _ in range(options.kills))
    return [WARM_UP_SECONDS + KILL_SECONDS * number + wait for number, wait in enumerate(waits)]


def _room(options: Options) -> float:
    """Return the seconds that may be spent waiting between kills."""
    seconds = 60 * min(options.minutes, options.kill_minutes)
    return seconds - WARM_UP_SECONDS - (options.kills + 1) * KILL_SECONDS


def watch(run: Watch, moments: list[float], choose: random.Random) -> int:
    """Watch a run to its end and kill on the way; return its exit status."""
    reader = Thread(target=run.read)
    reader.start()
    begin = time.monotonic()
    while run.process.poll() is None:
        time.sleep(1)
        seconds = time.monotonic() - begin
        with suppress(psutil.NoSuchProcess):  # one that ended while it was looked at
            if moments and seconds > moments[0] and len(run.speeds) > 1:
                moments = moments[1:]
                run.kill(choose)
            elif seconds > SAMPLE_SECONDS * len(run.samples):
                run.sample()
    reader.join()
    return int(run.process.returncode)


def report(run: Watch, status: int) -> bool:
    """Print what was measured; return whether all targets are met."""
    third = max(1, len(run.samples) // 3)
    first, last = run.samples[1 : 1 + third], run.samples[-third:]
    before, after = (median(memory for memory, _ in part) for part in (first, last))
    peak = max(sample[0] for sample in run.samples)
    opened, open_now = (median(files for _, files in part) for part in (first, last))
    checks = [
        ('exit status', f'{status}', '0', status == 0),
        ('memory of all processes, most', f'{peak:.0f} MiB', f'<= {MOST_MEMORY:.0f} MiB', peak <= MOST_MEMORY),
        (
            'memory, first and last third',
            f'{before:.0f}, {after:.0f} MiB',
            '+ 5 % at most',
            after < MOST_GROWTH * before,
        ),
        ('file descriptors, first and last third', f'{opened:.0f}, {open_now:.0f}', 'the same', open_now <= opened),
        ('learned/s, median', f'{median(speed for _, speed in run.speeds):,.0f}', '', True),
    ]
    for name, most in (('reported', REPORT_SECONDS), ('replaced', REPLACE_SECONDS), ('recovered', RECOVER_SECONDS)):
        times = [getattr(kill, name) for kill in run.kills]
        worst = max((seconds if seconds is not None else float('inf') for seconds in times), default=0.0)
        if times:
            checks.append(
                (f'{len(times)} kills, {name} after at most', f'{worst:.1f} s', f'<= {most:.0f} s', worst <= most)
            )
    table = Table('', 'measured', 'target')
    for name, measured, target, _ in checks:
        table.add_row(name, measured, target)
    Console().print(table)
    return all(met for *_, met in checks)


def main() -> None:
    """Train, watch, print the table, and exit with 1 if a target is missed."""
    options = tyro.cli(Options, description=Options.__doc__)
    if options.kills and _room(options) < 0:
        sys.exit(f'kills={options.kills}: {options.kill_minutes} minutes have no room for so many')
    with tempfile.TemporaryDirectory() as folder:
        run = start(options, folder)
        status = watch(run, moments_of_kills(options), random.Random(options.seed))
    if not report(run, status):
        sys.exit('a target is missed')


if __name__ == '__main__':
    main()
