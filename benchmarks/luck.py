"""Intervals of people's results with and without the luck of their cards: python -m benchmarks.luck --games 2000.

Agents stand for people: each plays in one seat against three of the advisor's agent, a deal once.
"""

from dataclasses import dataclass

import numpy as np
import tyro
from rich.console import Console
from rich.table import Table

from rlcard_big2.duplicate import deals_from_seed
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.records import Record
from rlcard_big2.registry import make_agent
from rlcard_big2.rules import Rules
from rlcard_kit.duplicate.deals import play_deals, seat_players
from rlcard_kit.process import limit_threads
from rlcard_kit.statistics import estimate
from rlcard_play.big2.advice import ADVISOR, make_advisor
from rlcard_play.big2.score import Judge

PEOPLE = ('greedy', 'rule', 'big2-ppo')
PRESETS = ('charlesworth', 'hong-kong')


@dataclass(frozen=True)
class Options:
    """Measures how much narrower intervals are without the luck of the cards, and whether its mean is 0."""

    games: int = 2000
    """Of each agent, on the same deals."""
    seed: int = 1
    """Seed of the deals."""


def main() -> None:
    """Play, and print the table."""
    options = tyro.cli(Options, description=Options.__doc__)
    limit_threads()
    table = Table('rules', 'person', 'payoff', 'without luck', 'interval', 'mean luck')
    for preset in PRESETS:
        rules, deals = Rules.preset(preset), deals_from_seed(options.seed, options.games, preset)
        judge = Judge(make_advisor(ADVISOR, rules))
        seats = np.arange(options.games) % BIG2.num_seats
        games = [Record(hands=tuple(deal.tolist()), moves=(), rules=rules) for deal in deals]
        luck = np.array([judge.luck(game, seat) for game, seat in zip(games, seats.tolist(), strict=True)])
        for person in PEOPLE:
            names = (person, ADVISOR)
            players = seat_players(names, [make_agent(name, rules) for name in names], names)
            payoffs = play_deals(BIG2, players, deals, BIG2.seatings(0, 1), rules, options.seed).payoffs
            own = payoffs[np.arange(options.games), seats, seats]
            plain, less = estimate(own), estimate(own - luck)
            narrower = f'{less.margin / plain.margin - 1:+.0%}'
            table.add_row(preset, person, f'{plain:+.2f}', f'{less:+.2f}', narrower, f'{estimate(luck):+.2f}')
    Console().print(table)


if __name__ == '__main__':
    main()
