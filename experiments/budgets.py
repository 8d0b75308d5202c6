"""What search wins by how long it thinks: python -m experiments.budgets.

The same deals are played with each budget, the searching agent in each seat in turn against three of the field. Writes
a table, its CSV and a picture; processor time is of the choices with several candidates, on one core.
"""

import csv
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import tyro
from rich.table import Table

from common.bounds import AtLeast, NaturalFloat, NaturalInt, check_settings
from common.cli import new_console, reported
from eval.plots import draw_lines
from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.duplicate import play_match
from rlcard_big2.errors import ConfigError
from rlcard_big2.intervals import Estimate, estimate
from rlcard_big2.lockstep.arrays import Float64Array
from rlcard_big2.lockstep.positions import Choice, Positions
from rlcard_big2.lockstep.random import Streams
from rlcard_big2.models import load_search
from rlcard_big2.names import make_agent
from rlcard_big2.rules import Rules
from rlcard_big2.search.agent import SearchAgent

BLOCK = 8  # deals played at once
KINDS = ('learned', 'uniform')  # of worlds, beside the usual one


@dataclass(frozen=True)
class Options:
    """Plays a match with each budget."""

    savedir: Path = Path('runs/budgets')
    """Folder of budgets.csv and budgets.png; it must not exist."""
    worlds: tuple[Annotated[int, AtLeast(0)], ...] = (0, 16, 64, 256)
    """Budgets: worlds for each decision."""
    learned: tuple[Annotated[int, AtLeast(1)], ...] = ()
    """Budgets with worlds as the learned beliefs alone draw them."""
    uniform: tuple[Annotated[int, AtLeast(1)], ...] = ()
    """Budgets with all worlds taken for equally likely."""
    temperature: NaturalFloat = 0.0
    """At which opponents draw their moves in playouts, in cards."""
    base: str = 'big2-dmc,numpy'
    """Agent whose moves are searched."""
    field: str = 'big2-dmc,numpy'
    """Agent that plays the other three seats."""
    knows_field: bool = False
    """Have the search know which agent that is."""
    deals: Annotated[int, AtLeast(2)] = 400
    """Each is played four times with each budget; rounded up to blocks of eight."""
    seed: NaturalInt = 1
    """Of deals and draws."""
    workers: Annotated[int, AtLeast(1)] = 1
    """Processes."""
    also: tuple[Path, ...] = ()
    """Files budgets.csv of other runs, to be drawn in the same picture."""


class Budget(NamedTuple):
    """How a decision is searched."""

    worlds: int
    kind: str = ''  # of worlds, as an agent's name tells it

    def __str__(self) -> str:
        return f'{self.worlds} worlds' + bool(self.kind) * f', {self.kind}'


class Block(NamedTuple):
    """What came of some deals with one budget."""

    payoffs: Float64Array  # mean of the four seats, in cards, [D]
    wins: Float64Array  # likewise, [D]
    seconds: float  # of processor time for choices
    choices: int


class Row(NamedTuple):
    """What a budget wins."""

    budget: Budget
    seconds: float  # for a choice
    ev: Estimate
    wp: Estimate
    gain: Estimate  # of EV on the row before, paired by deal


class Watched(BatchAgent):
    """Counts the choices of a search, and the processor time that they take.

    Args:
        agent: that searches.
    """

    def __init__(self, agent: SearchAgent) -> None:
        self.agent = agent
        self.seconds, self.choices = 0.0, 0
        super().__init__(0)

    def prepare(self, rules: Rules) -> None:
        """Take the rules to play by from now on."""
        super().prepare(rules)
        self.agent.prepare(rules)
        self.trained_on = self.agent.trained_on

    def choose(self, positions: Positions, random: Streams) -> Choice:
        """Choose as the search does; see `Chooser.choose`."""
        start = time.process_time()
        _, choice, cases = self.agent.search(positions, random)
        self.seconds += time.process_time() - start
        self.choices += len(cases)
        return choice


def play(options: Options, task: tuple[Budget, int]) -> Block:
    """Play a block of deals with a budget, by its number."""
    budget, number = task
    agent = Watched(_searching(options, budget))
    match = play_match(agent, options.field, BLOCK, seed=options.seed * 1_000_000 + number)
    return Block(match.payoffs.mean(axis=1), match.wins.mean(axis=1), agent.seconds, agent.choices)


def _searching(options: Options, budget: Budget) -> SearchAgent:
    base = make_agent(options.base)
    if not budget.worlds:
        return SearchAgent(base, 0)
    opponents = make_agent(options.field) if options.knows_field else None
    return load_search(
        base,
        budget.worlds,
        uniform=budget.kind == 'uniform',
        learned=budget.kind == 'learned',
        temperature=options.temperature,
        opponents=opponents,
    )


def _warm_up(options: Options) -> None:
    """Compile, or load what is compiled."""
    play_match(_searching(options, Budget(1)), options.field, 2)


def measure(options: Options) -> Iterator[Row]:
    """Yield what each budget wins, from few worlds to many, when its match is over."""
    plain = [Budget(count) for count in options.worlds]
    budgets = sorted(plain + [Budget(count, kind) for kind in KINDS for count in getattr(options, kind)])
    _searching(options, budgets[-1])  # agents that cannot play are told here, not by a worker that dies of them
    make_agent(options.field)
    numbers, before = range(-(-options.deals // BLOCK)), None
    with ProcessPoolExecutor(options.workers, get_context('spawn'), _warm_up, (options,)) as pool:
        found = pool.map(partial(play, options), product(budgets, numbers))
        for budget in budgets:
            block = join([next(found) for _ in numbers])
            yield row_of(budget, block, before or block)
            before = block


def join(blocks: Sequence[Block]) -> Block:
    """Return blocks as one."""
    payoffs, wins, seconds, choices = zip(*blocks, strict=True)
    return Block(np.concatenate(payoffs), np.concatenate(wins), sum(seconds), sum(choices))


def row_of(budget: Budget, block: Block, before: Block) -> Row:
    """Return what a budget wins, and how much more than the one before."""
    seconds = block.seconds / block.choices if block.choices else 0.0
    return Row(budget, seconds, estimate(block.payoffs), estimate(block.wins), estimate(block.payoffs - before.payoffs))


def main() -> None:
    """Play, write what came of it, and print it."""
    with reported('python -m experiments.budgets', 'interrupted; the budgets that were done are saved'):
        options = tyro.cli(Options, description=__doc__)
        check_settings(options)
        if options.savedir.exists():
            raise ConfigError(f'{options.savedir} is there already: choose another --savedir')
        for path in options.also:
            read_points(path)
        console, rows = new_console(), []
        for row in measure(options):
            rows.append(row)
            write(options, rows)
            console.print(f'{row.budget}  {row.seconds:.3f} s a choice  EV {row.ev}')
        table = Table(
            'budget', 's a choice', 'EV', 'WP', 'EV over the row above', title=f'against three of {options.field}'
        )
        for row in rows:
            table.add_row(str(row.budget), f'{row.seconds:.3f}', str(row.ev), str(row.wp), str(row.gain))
        console.print(table)


def write(options: Options, rows: Sequence[Row]) -> None:
    """Write rows as CSV and as a picture."""
    options.savedir.mkdir(parents=True, exist_ok=True)
    with (options.savedir / 'budgets.csv').open('w', newline='') as file:
        writer = csv.writer(file)
        writer.writerow(('budget', 'seconds', 'EV', 'EV margin', 'WP', 'WP margin', 'gain', 'gain margin'))
        writer.writerows((row.budget, f'{row.seconds:.4f}', *row.ev, *row.wp, *row.gain) for row in rows)
    lines: dict[str, list[tuple[float, Estimate]]] = {}
    found = [(row.budget.kind, row.seconds, row.ev) for row in rows]
    for kind, seconds, ev in sorted(found + [point for path in options.also for point in read_points(path)]):
        lines.setdefault(kind or 'posterior', []).append((seconds, ev))
    draw_lines(options.savedir / 'budgets.png', lines, 'EV, cards', across='s a choice, one core')


def read_points(path: Path) -> list[tuple[str, float, Estimate]]:
    """Read what `write` wrote: of each budget the kind of worlds, the seconds for a choice, and EV.

    Raises:
        ConfigError: if the file is missing or is not one of those.
    """
    try:
        with path.open(newline='') as file:
            return [
                (
                    row['budget'].partition(', ')[2],
                    float(row['seconds']),
                    Estimate(float(row['EV']), float(row['EV margin'])),
                )
                for row in csv.DictReader(file)
            ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f'--also {path}: expected a budgets.csv of this command: {error!r:.80}') from None


if __name__ == '__main__':
    main()
