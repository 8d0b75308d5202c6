"""Measures what second-best moves really lose, beside what people are told: python -m benchmarks.second_best.

Each game is played again from one random choice, with the second-best move, the same hidden cards and the same agents.
"""

import sys
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, NamedTuple

import numpy as np
import tyro
from rich.table import Table as RichTable

from common.bounds import AtLeast, AtMost, NaturalInt
from common.cli import new_console
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.intervals import estimate
from rlcard_big2.lockstep.arrays import BoolArray, Float64Array, Int64Array
from rlcard_big2.lockstep.positions import Choice
from rlcard_big2.lockstep.random import new_streams
from rlcard_big2.lockstep.table import Player, Table
from rlcard_big2.lockstep.vector import LockstepEnv
from rlcard_big2.models import load_dmc
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.play.advice import CLOSE, EQUAL
from rlcard_big2.rules import Rules

LOCKSTEP = 256  # games at once
GAPS = (0, EQUAL, 0.75, CLOSE, 3, 6, np.inf)  # of raw values


@dataclass(frozen=True)
class Options:
    """Exits with 1 if what is told of moves that are called worse is outside the interval of what they lost."""

    games: Annotated[int, AtLeast(100), AtMost(1_000_000)] = 4000
    """Games to play, twice each."""
    seed: NaturalInt = 5
    """Of the deals and the choices."""


class Deviating(Player):
    """Plays the second-best move once in each game.

    Args:
        agent: that says values.
        plies: at which, int64 [N]; -1 for never.
    """

    def __init__(self, agent: DMCAgent, plies: Int64Array) -> None:
        super().__init__(agent, ask_forced=False)
        self.network = agent.network
        self.plies = plies
        self.pairs = np.full((len(plies), 2), np.nan)  # raw values of the best and the second-best move
        self.seats = np.zeros(len(plies), np.int64)

    def choose(self, table: Table, games: Int64Array) -> Choice:
        """Return the agent's choice, or another one in the games whose ply has come."""
        choice = super().choose(table, games)
        positions = table.positions.select(games)
        due = np.flatnonzero(positions.observations['ply'] == self.plies[games])
        if due.size:
            values = self.network.values(positions)
            for i in due.tolist():
                own = values[positions.offsets[i] : positions.offsets[i + 1]]
                best, second = np.argsort(-own, kind='stable')[:2]
                self.pairs[games[i]] = own[[best, second]]
                self.seats[games[i]] = table.env.players[games[i]]
                choice.indices[i] += second - best
        return choice


class Losses(NamedTuple):
    """What second-best moves lost, [K]."""

    gaps: Float64Array  # of raw values
    cards_told: Float64Array
    cards: Float64Array
    win_told: Float64Array
    win: Float64Array


def measure(agent: DMCAgent, deals: Int64Array, random: np.random.Generator) -> Losses:
    """Play deals twice, the second time with one second-best move in each game."""
    never = Deviating(agent, np.full(len(deals), -1))
    payoffs, choices = _play(never, deals)
    plies = np.array([random.choice(np.flatnonzero(column)) for column in choices.T])
    other = Deviating(agent, plies)
    others = _play(other, deals)[0]
    games, seats, tables = np.arange(len(deals)), other.seats, agent.calibration(Rules())
    assert tables is not None
    told = [
        convert(other.pairs[:, 0]) - convert(other.pairs[:, 1])
        for convert in (tables.expected_cards, tables.win_chance)
    ]
    won = [BIG2.wins(result)[games, seats].astype(float) for result in (payoffs, others)]
    lost = (payoffs - others)[games, seats].astype(float)
    return Losses(other.pairs[:, 0] - other.pairs[:, 1], told[0], lost, told[1], won[0] - won[1])


def _play(player: Deviating, deals: Int64Array) -> tuple[Int64Array, BoolArray]:
    """Play deals; return payoffs, int64 [N, seats], and at which plies of which games there was a choice, [T, N]."""
    env = LockstepEnv(BIG2, Rules(), deals)
    streams = new_streams(0, len(deals)).reshape(-1, 1)
    table = Table(env, [player], np.zeros((len(deals), BIG2.num_seats), np.int64), streams)
    choices, payoffs = [], env.new_payoffs()
    while not env.is_over:
        turn = table.turn()
        choices.append(turn.positions.counts > 1)
        payoffs = turn.payoffs
    return payoffs, np.array(choices)


def main() -> None:
    """Measure, print the table, and exit with 1 if the target is missed."""
    options = tyro.cli(Options, description=Options.__doc__)
    agent, random = load_dmc(numpy=True), np.random.default_rng(options.seed)
    deals = deals_from_seed(options.seed, options.games)
    parts = [measure(agent, deals[i : i + LOCKSTEP], random) for i in range(0, options.games, LOCKSTEP)]
    found = Losses(*map(np.concatenate, zip(*parts, strict=True)))
    table = RichTable('raw gap', 'moves', 'cards told', 'cards lost', 'win chance told', 'games lost')
    for low, high in [*pairwise(GAPS), (0, CLOSE), (CLOSE, np.inf)]:
        table.add_row(f'{low:g} to {high:g}', *_cells(found, (found.gaps >= low) & (found.gaps < high)))
    new_console().print(table)
    worse = found.gaps >= CLOSE
    for told, lost in ((found.cards_told, found.cards), (found.win_told, found.win)):
        if abs(told[worse].mean() - estimate(lost[worse]).mean) > estimate((lost - told)[worse]).margin:
            sys.exit('the target is missed')


def _cells(found: Losses, chosen: BoolArray) -> list[str]:
    part = Losses(*(column[chosen] for column in found))
    cards, win = estimate(part.cards), estimate(part.win)
    return [
        f'{chosen.sum():,}',
        f'{part.cards_told.mean():.2f}',
        f'{cards.mean:.2f} ± {cards.margin:.2f}',
        f'{part.win_told.mean():.3f}',
        f'{win.mean:.3f} ± {win.margin:.3f}',
    ]


if __name__ == '__main__':
    main()
