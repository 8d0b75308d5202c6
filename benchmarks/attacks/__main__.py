"""Runs the attacks and prints how many tries were made and what failed: python -m benchmarks.attacks."""

import sys
import time
from dataclasses import dataclass
from random import Random

import tyro
from rich.console import Console
from rich.table import Table

from benchmarks.attacks import agents, damage, folders, kills, misuse, scarcity, server
from benchmarks.attacks.attempt import Attack

ATTACKS: dict[str, tuple[Attack, int]] = {  # with the tries of a full run
    'damaged files': (damage.attack, 500),
    'misused interfaces': (misuse.attack, 300),
    'kills': (kills.attack, 60),
    'agents that misbehave': (agents.attack, 30),
    'two in one folder': (folders.attack, 6),
    'requests to the server': (server.attack, 10_000),
    'full disks and little memory': (scarcity.attack, 6),
}


@dataclass(frozen=True)
class Options:
    """Attacks files, interfaces and processes; exits with 1 if one attack succeeds. A full run takes 30 minutes."""

    only: tuple[str, ...] = ()
    """Make only the attacks whose names hold one of these words."""
    share: float = 1.0
    """Share of the tries to make, of each attack at least one."""
    seed: int = 0
    """Seed of damage, moments and choices."""


def main() -> None:
    """Attack, print the table, and exit with 1 if something failed."""
    options, console = tyro.cli(Options, description=Options.__doc__), Console()
    table = Table('attack', 'tries', 'failures', 'seconds', title='Attacks')
    failures = 0
    for name, (attack, tries) in ATTACKS.items():
        if options.only and not any(word in name for word in options.only):
            continue
        start = time.monotonic()
        attempts = list(attack(Random(options.seed), max(1, round(tries * options.share))))
        failed = [attempt for attempt in attempts if attempt.problem]
        for attempt in failed:
            console.print(f'{name}: {attempt.name}: {attempt.problem}', markup=False, highlight=False)
        table.add_row(name, f'{len(attempts)}', f'{len(failed)}', f'{time.monotonic() - start:.0f}')
        failures += len(failed)
    console.print(table)
    if failures:
        sys.exit(f'{failures} attacks succeeded')


if __name__ == '__main__':
    main()
