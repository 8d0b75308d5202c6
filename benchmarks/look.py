"""Measures a deep look, and playouts, in one thread and without torch: python -m benchmarks.look."""

import sys
import time
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import rlcard
import tyro
from rich.table import Table

import rlcard_big2  # noqa: F401  # registers 'big2'
from common.bounds import AtLeast, NaturalInt
from common.cli import new_console
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.lockstep.agent import ValueFunction
from rlcard_big2.lockstep.arrays import Int64Array
from rlcard_big2.lockstep.vector import LockstepEnv
from rlcard_big2.models import load_dmc, posterior_beliefs, shipped_playouts
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.rules import Rules
from rlcard_big2.search.look import look
from rlcard_big2.search.playouts import play_out
from rlcard_big2.search.shortlist import Shortlist

TARGET = 2.0  # s of processor time for the slowest look
DEALS, MOVES = 200, 5


@dataclass(frozen=True)
class Options:
    """Measures looks at the first choices of games; exits with 1 if one takes more than 2 s of processor time."""

    looks: Annotated[int, AtLeast(1)] = 10
    """Positions to look at: early ones, which take longest."""
    games: Annotated[int, AtLeast(1)] = 1000
    """Games to play out, from the deal."""
    seed: NaturalInt = 0
    """Of the deals."""


def look_seconds(agent: DMCAgent, count: int, seed: int) -> list[float]:
    """Return the processor time of each look, at the first choices among five moves or more."""
    env = rlcard.make('big2', config={'seed': seed})
    found: list[float] = []
    while len(found) <= count:
        state, _ = env.reset()
        while len(state['raw_legal_actions']) < MOVES:
            state, _ = env.step(next(iter(state['legal_actions'])))
        start = time.process_time()
        look(state, agent, deals=DEALS, moves=MOVES, beliefs=posterior_beliefs(agent))
        found.append(time.process_time() - start)
    return found[1:]  # the first one compiles


def playout_seconds(network: ValueFunction, deals: Int64Array) -> float:
    """Return the processor time of playing deals out, for the second time: the first compiles."""
    for _ in range(2):
        games = LockstepEnv(BIG2, Rules(), deals).games
        start = time.process_time()
        play_out(network, tabulate(Rules()), games)
        seconds = time.process_time() - start
    return seconds


def main() -> None:
    """Measure, print the table, and exit with 1 if the target is missed."""
    options = tyro.cli(Options, description=Options.__doc__)
    agent = load_dmc(numpy=True)
    looks = look_seconds(agent, options.looks, options.seed)
    small = shipped_playouts()[Rules()]
    networks = {'big2-dmc': agent.network, 'a small network': small, 'both': Shortlist(small, agent.network)}
    deals = deals_from_seed(options.seed, options.games)
    table = Table('what', 'measured', 'target')
    name = f'a look, {DEALS} deals x {MOVES} moves, s of processor time'
    table.add_row(f'{name}, median', f'{np.median(looks):.2f}', '')
    table.add_row(f'{name}, slowest', f'{max(looks):.2f}', f'<= {TARGET:g}')
    for who, network in networks.items():
        table.add_row(
            f'playouts from the deal by {who}, a second', f'{len(deals) / playout_seconds(network, deals):,.0f}', ''
        )
    new_console().print(table)
    if max(looks) > TARGET:
        sys.exit('the target is missed')


if __name__ == '__main__':
    main()
