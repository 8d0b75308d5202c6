"""The ceiling of search: with the true hands in place of sampled ones: python -m benchmarks.true_hands big2-dmc rule.

It cheats, so it is no agent: no search that sees its own hand alone can be expected to win as much.
"""

import csv
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import numpy as np
from typing_extensions import override
from tyro.conf import Positional

from eval.common.cli import new_console, parse, reported
from eval.tables import Listing, rich_table
from rlcard_big2.duplicate import deals_from_seed
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.observation import Observations
from rlcard_big2.registry import make_agent
from rlcard_big2.rules import Rules
from rlcard_big2.search.beliefs import Rounds
from rlcard_kit.agents import Decision
from rlcard_kit.arrays import Int64Array
from rlcard_kit.bounds import AtLeast
from rlcard_kit.duplicate.deals import play_deals
from rlcard_kit.duplicate.match import difference, matches_of
from rlcard_kit.duplicate.players import MatchPlayer
from rlcard_kit.process import limit_threads
from rlcard_kit.rng import Streams
from rlcard_kit.table import Table

SEEING, NETWORK, FIELD = range(3)  # players
NAME, PRESET = 'big2-dmc-2026-11', 'charlesworth'


@dataclass(frozen=True)
class Options:
    """Plays search with the true hands, and its network alone, against three copies of each agent, in all seats."""

    fields: Positional[list[str]] = field(default_factory=lambda: [NAME, 'big2-ppo', 'rule'])
    """The agents, as in `python -m eval`."""
    deals: Annotated[int, AtLeast(2)] = 1000
    """Of each match."""
    seed: int = 1
    """Seed of the deals."""
    out: Path | None = None
    """CSV to write the figures to."""


class TrueHands(Rounds):
    """The true hands as the only world, of all rounds.

    Args:
        hands: of the seats to move in N games and of their opponents in order of play, int64 [N, 4].
    """

    def __init__(self, hands: Int64Array) -> None:
        self._hands = hands

    def rounds(self, observations: Observations, count: int | None = None) -> Rounds:
        """Return itself: search asks its beliefs for this."""
        return self

    @override
    def draw(self, which: Int64Array, random: Streams, count: int) -> Int64Array:
        return np.repeat(self._hands[which, None], count, axis=1)


class SeeingPlayer(MatchPlayer):
    """Search that is shown the hands at the table."""

    @override
    def choose(self, table: Table, rows: Int64Array) -> Decision:
        seats = (table.seats[rows, None] + np.arange(BIG2.num_seats)) % BIG2.num_seats
        self.agent.beliefs = TrueHands(table.env.games['hands'][table.games[rows, None], seats].astype(np.int64))
        return super().choose(table, rows)


@reported('python -m benchmarks.true_hands')
def main() -> None:
    """Play, and print the table."""
    options = parse(Options, description=Options.__doc__)
    limit_threads()
    rules, deals = Rules.preset(PRESET), deals_from_seed(options.seed, options.deals, PRESET)
    seatings = np.concatenate([BIG2.seatings(player, FIELD) for player in (SEEING, NETWORK)])
    heads = 'against three of', 'deals', 'EV with the true hands', f'EV of `{NAME}` alone', 'difference, paired'
    rows: list[tuple[str, ...]] = []
    for name in options.fields:
        seats = (SeeingPlayer, f'search:{NAME},worlds=16'), (MatchPlayer, NAME), (MatchPlayer, name)
        players = [kind(make_agent(agent, rules), agent) for kind, agent in seats]
        seeing, alone = matches_of(BIG2, play_deals(BIG2, players, deals, seatings, rules, options.seed))
        evs = [f'{ev:+.2f}' for ev in (seeing.ev, alone.ev, difference(seeing, alone).ev)]
        rows.append((name.partition(':')[0], str(options.deals), *evs))
    new_console().print(rich_table(Listing('with the true hands', heads, tuple(rows))))
    if options.out is not None:
        with options.out.open('w', newline='', encoding='utf-8') as file:
            csv.writer(file, lineterminator='\n').writerows([heads, *rows])


if __name__ == '__main__':
    main()
