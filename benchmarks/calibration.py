"""Measures whether the chances of winning that people read come true: python -m benchmarks.calibration."""

import sys
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
import tyro
from rich.console import Console
from rich.table import Table

from common.bounds import AtLeast, AtMost, NaturalInt
from rlcard_big2.models import load_dmc
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.neural.calibration import Calibration
from rlcard_big2.rules import Rules
from training.calibration import LEAST_GAMES, Decisions, play_itself

TARGET = 0.05  # of the chance of winning, in every decile


@dataclass(frozen=True)
class Options:
    """Plays a network against itself on fresh deals; exits with 1 if a decile of its decisions misses the target."""

    network: str | None = None
    """Folder of an exported network; by default the shipped one."""
    games: Annotated[int, AtLeast(LEAST_GAMES), AtMost(1_000_000)] = 4000
    """Games to play."""
    seed: NaturalInt = 3
    """Of the deals; the tables were made from those of another seed."""


class Decile(NamedTuple):
    """What was said of a tenth of the decisions, and what came."""

    value: float
    win_said: float
    win: float
    cards_said: float
    cards: float


def deciles(calibration: Calibration, decisions: Decisions) -> list[Decile]:
    """Return what the tables say of decisions, and what came of them, in tenths by value."""
    values, won, payoffs = decisions
    columns = (values, calibration.win_chance(values), won, calibration.expected_cards(values), payoffs)
    parts = np.array_split(np.argsort(values), 10)
    return [Decile(*(float(column[part].mean()) for column in columns)) for part in parts]


def main() -> None:
    """Play, print the deciles, and exit with 1 if the target is missed."""
    options = tyro.cli(Options, description=Options.__doc__)
    agent = DMCAgent.load(options.network) if options.network else load_dmc()
    rules = agent.trained_on or Rules()
    calibration = agent.calibration(rules)
    if calibration is None:
        sys.exit('this network has no tables: export it again')
    decisions = play_itself(agent, rules, options.games, options.seed)
    found = deciles(calibration, decisions)
    table = Table('value', 'win chance said', 'games won', 'cards said', 'cards won')
    for decile in found:
        table.add_row(f'{decile.value:.1f}', *(f'{number:.3f}' for number in decile[1:3]),
                      *(f'{number:+.2f}' for number in decile[3:]))  # fmt: skip
    Console().print(table, f'{len(decisions.values):,} decisions of {options.games:,} games')
    if max(abs(decile.win_said - decile.win) for decile in found) > TARGET:
        sys.exit('the target is missed')


if __name__ == '__main__':
    main()
