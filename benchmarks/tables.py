"""A network against three copies of an agent under rules drawn at random: python -m benchmarks.tables big2-dmc rule."""

import csv
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro
from rich.console import Console
from rich.table import Table
from tyro import MISSING
from tyro.conf import Positional

from common.cli import reported
from rlcard_big2.nets.rule_features import stake
from rlcard_big2.random_rules import random_rules
from rlcard_big2.rules import Rules
from rlcard_kit.bounds import AtLeast
from rlcard_kit.nets.agents import ValueAgent
from rlcard_kit.process import limit_threads
from rlcard_kit.statistics import estimate
from training.calibration import Decisions, play_itself
from training.games import game_of


@dataclass(frozen=True)
class Options:
    """Plays matches under rules drawn at random, and prints what the network wins in stakes, the mean cost of a hand's
    cards in units of that under `charlesworth`, and the error of its win chances in games of four copies of it."""

    agent: Positional[str] = MISSING
    """The network, as in `python -m eval`."""
    field: Positional[str] = MISSING
    """The agent in the other seats."""
    sets: Annotated[int, AtLeast(2)] = 20
    """Rules to draw."""
    deals: Annotated[int, AtLeast(2)] = 200
    """Deals for each of them, all played in every seat."""
    seed: int = 1
    """Seed of the rules and the deals."""
    games: Annotated[int, AtLeast(100)] = 2000
    """Games of copies by each of the rules, for the error of win chances."""
    out: Path | None = None
    """CSV to write the figures to."""


@reported('python -m benchmarks.tables')
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
        error = win_error(agent, play_itself(game, agent, rules, options.games, options.seed + number), rules)
        rows.append((rules.title, str(rules.players), found.mean, found.margin, error))
    whole = estimate(np.array([row[2] for row in rows]))
    rows.append(('all', '', whole.mean, whole.margin, float(np.mean([row[4] for row in rows]))))
    table = Table(
        'rules', 'players', 'stakes a game', 'error, points', title=f'{options.agent} against {options.field}'
    )
    for title, players, mean, margin, error in rows:
        table.add_row(title, players, f'{mean:+.2f} ± {margin:.2f}', f'{error:.1f}')
    Console().print(table)
    if options.out is not None:
        with options.out.open('w', newline='') as file:
            csv.writer(file).writerows([('rules', 'players', 'stakes', 'margin', 'error, points'), *rows])


def win_error(agent: ValueAgent, found: Decisions, rules: Rules) -> float:
    """Return the mean size of win chance minus share of games won, in points, over ten parts of decisions by value."""
    calibration = agent.calibration(rules)
    if calibration is None:
        return math.nan
    wrong = calibration.win_chance(found.values) - found.won
    parts = np.array_split(np.argsort(found.values, kind='stable'), 10)
    return 100 * float(np.mean([abs(wrong[part].mean()) for part in parts]))


if __name__ == '__main__':
    main()
