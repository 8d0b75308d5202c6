"""An agent against three copies of another under rules drawn at random: python -m benchmarks.tables big2-dmc rule."""

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro
from rich.console import Console
from rich.table import Table
from tyro import MISSING
from tyro.conf import Positional

from eval.games import game_of
from rlcard_big2.nets.rule_features import stake
from rlcard_big2.random_rules import random_rules
from rlcard_kit.bounds import AtLeast
from rlcard_kit.statistics import estimate
from rlcard_kit.threads import limit_threads


@dataclass(frozen=True)
class Options:
    """Plays matches under rules drawn at random, and prints what the agent wins in stakes, the mean cost of a hand's
    cards in units of that under `charlesworth`."""

    agent: Positional[str] = MISSING
    """The agent, as in `python -m eval`."""
    field: Positional[str] = MISSING
    """The agent in the other seats."""
    sets: Annotated[int, AtLeast(2)] = 20
    """Rules to draw."""
    deals: Annotated[int, AtLeast(2)] = 200
    """Deals for each of them, all played in every seat."""
    seed: int = 1
    """Seed of the rules and the deals."""
    out: Path | None = None
    """CSV to write the figures to."""


def main() -> None:
    """Play, and print the table."""
    options = tyro.cli(Options, description=Options.__doc__)
    limit_threads()
    random, rows = np.random.default_rng(options.seed), []
    for number in range(options.sets):
        rules = random_rules(random)
        game = game_of('big2').for_rules(rules)
        agent, field = (game.make_agent(name, rules) for name in (options.agent, options.field))
        match = game.play_match(agent, field, options.deals, rules, options.seed + number)
        found = estimate(game.by_deal(match)[game.headline] / stake(rules))
        rows.append((rules.title, str(rules.players), found.mean, found.margin))
    whole = estimate(np.array([mean for _, _, mean, _ in rows]))
    rows.append(('all', '', whole.mean, whole.margin))
    table = Table('rules', 'players', 'stakes a game', title=f'{options.agent} against {options.field}')
    for title, players, mean, margin in rows:
        table.add_row(title, players, f'{mean:+.2f} ± {margin:.2f}')
    Console().print(table)
    if options.out is not None:
        with options.out.open('w', newline='') as file:
            csv.writer(file).writerows([('rules', 'players', 'stakes', 'margin'), *rows])


if __name__ == '__main__':
    main()
