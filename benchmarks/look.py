"""Measures a deep look, and playouts, in one thread and without torch: python -m benchmarks.look."""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import rlcard
import tyro
from rich.table import Table as RichTable

import rlcard_big2  # noqa: F401  # registers 'big2'
from common.bounds import AtLeast, NaturalInt
from common.cli import new_console
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.observation import Observations
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.lockstep.agent import ValueFunction
from rlcard_big2.lockstep.arrays import Int64Array
from rlcard_big2.lockstep.random import new_streams
from rlcard_big2.lockstep.table import Player, Table
from rlcard_big2.lockstep.vector import LockstepEnv
from rlcard_big2.models import load_dmc, posterior_beliefs, shipped_playouts
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.rules import Rules
from rlcard_big2.search.agent import SearchAgent
from rlcard_big2.search.beliefs import Uniform
from rlcard_big2.search.look import look
from rlcard_big2.search.playouts import play_out
from rlcard_big2.search.shortlist import Shortlist

TARGET = 2.0  # s of processor time for the slowest look
DEALS, MOVES = 200, 5
WORLDS = 64  # of a choice
SHARE = 0.15  # of the choices, so that few are of the same game


@dataclass(frozen=True)
class Options:
    """Measures looks at the first choices of games; exits with 1 if one takes more than 2 s of processor time."""

    looks: Annotated[int, AtLeast(1)] = 10
    """Positions to look at: early ones, which take longest."""
    games: Annotated[int, AtLeast(1)] = 1000
    """Games to play out, from the deal."""
    choices: Annotated[int, AtLeast(1)] = 60
    """Choices of a search to play out from, each candidate in 64 worlds."""
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


def choices_of(agent: DMCAgent, count: int, seed: int) -> list[tuple[Observations, Int64Array]]:
    """Return what is seen at choices of the agent's games against itself, [1], and the candidates of a search, [K]."""
    search, found = SearchAgent(agent, worlds=0), []
    search.prepare(Rules())
    env = LockstepEnv(BIG2, Rules(), deals_from_seed(seed, count))
    table = Table(env, [Player(agent)], np.zeros((count, BIG2.num_seats), np.int64), new_streams(seed, count)[:, None])
    random = np.random.default_rng(seed)
    while not env.is_over:
        table.turn()
        asked = np.flatnonzero((table.positions.counts > 1) & (random.random(count) < SHARE))
        positions = table.positions.select(asked)
        for case in search.cases(positions, agent.network.values(positions)) if asked.size else []:
            found.append((positions.observations[case.game : case.game + 1], positions.moves[case.moves]))
    return [found[i] for i in random.permutation(len(found))[:count]]


def playouts_a_second(agent: SearchAgent, choices: Sequence[tuple[Observations, Int64Array]]) -> float:
    """Return how many playouts of a search's candidates take a second of processor time: all in the same worlds."""
    agent.prepare(Rules())
    playouts, seconds = 0, 0.0
    for number, (observations, moves) in enumerate((choices[0], *choices)):
        worlds = Uniform().draw(observations, new_streams(number, 1), WORLDS)[0]
        owners, hands = np.zeros(len(moves) * WORLDS, np.int64), np.tile(worlds, (len(moves), 1))
        start = time.process_time()
        agent.outcomes(observations, owners, hands, np.repeat(moves, WORLDS))
        if number > 0:  # the first one compiles
            seconds += time.process_time() - start
            playouts += len(hands)
    return playouts / seconds


def main() -> None:
    """Measure, print the table, and exit with 1 if the target is missed."""
    options = tyro.cli(Options, description=Options.__doc__)
    agent = load_dmc(numpy=True)
    looks = look_seconds(agent, options.looks, options.seed)
    small = shipped_playouts()[Rules()]
    networks = {'big2-dmc': agent.network, 'a small network': small, 'both': Shortlist(small, agent.network)}
    deals = deals_from_seed(options.seed, options.games)
    table = RichTable('what', 'measured', 'target')
    name = f'a look, {DEALS} deals x {MOVES} moves, s of processor time'
    table.add_row(f'{name}, median', f'{np.median(looks):.2f}', '')
    table.add_row(f'{name}, slowest', f'{max(looks):.2f}', f'<= {TARGET:g}')
    for who, network in networks.items():
        table.add_row(
            f'playouts from the deal by {who}, a second', f'{len(deals) / playout_seconds(network, deals):,.0f}', ''
        )
    choices = choices_of(agent, options.choices, options.seed)
    searches = {
        'big2-dmc': SearchAgent(agent, worlds=0),
        'a small network': SearchAgent(DMCAgent(small), worlds=0),
        'both': SearchAgent(agent, worlds=0, sketches={Rules(): small}),
    }
    for who, search in searches.items():
        table.add_row(
            f'playouts from a choice, {WORLDS} worlds, by {who}, a second',
            f'{playouts_a_second(search, choices):,.0f}',
            '',
        )
    new_console().print(table)
    if max(looks) > TARGET:
        sys.exit('the target is missed')


if __name__ == '__main__':
    main()
