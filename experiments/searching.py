"""What search gains at a choice, judged by the true hands: python -m experiments.searching.

Choices of a network's games against itself are played on from each candidate in the true hands, which nobody sees, and
in worlds, which the search sees. A variant of the search gains what its move brings in the true hands beyond the
network's own. All worlds count at once, and no candidate is dropped on the way.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import tyro
from rich.table import Table as RichTable

from common.bounds import AtLeast, NaturalInt
from common.cli import new_console
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.state import Games
from rlcard_big2.intervals import estimate
from rlcard_big2.lockstep.arrays import Float64Array, Int64Array
from rlcard_big2.lockstep.positions import Positions
from rlcard_big2.lockstep.random import new_streams
from rlcard_big2.lockstep.table import Player, Table
from rlcard_big2.lockstep.vector import LockstepEnv
from rlcard_big2.models import load_dmc
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.notation import table_of
from rlcard_big2.rules import Rules
from rlcard_big2.search.agent import Case, SearchAgent
from rlcard_big2.search.beliefs import log_likelihoods
from rlcard_big2.search.estimates import estimate_moves
from rlcard_big2.search.worlds import deal_worlds

GAMES = 32  # in lock step
SHARE = 0.15  # of the choices, so that few are of the same game


@dataclass(frozen=True)
class Options:
    """Prints a table: each variant's gain at a choice with several candidates, and how it differs from the first."""

    choices: Annotated[int, AtLeast(2)] = 1500
    """With several candidates."""
    worlds: Annotated[int, AtLeast(8)] = 64
    """Dealt at each."""
    seed: NaturalInt = 3
    """Of deals, choices and worlds."""
    playing: Path | None = None
    """Folder of the network that plays the playouts; by default it is that of big2-dmc."""


class Played(NamedTuple):
    """What came of the K candidates of a choice, the network's move first."""

    expected: Float64Array  # [K], by the network, in cards
    true: Float64Array  # [K], in the true hands
    outcomes: Float64Array  # [K, W], in worlds
    logs: Float64Array  # [W], log-likelihoods of the worlds


class Variant(NamedTuple):
    """A way to search."""

    worlds: float  # share of those dealt
    weighed: bool  # by how the opponents have played

    def gain(self, choice: Played) -> float:
        """Return what its move brings in the true hands beyond the network's."""
        count = round(self.worlds * len(choice.logs))
        logs = choice.logs[:count] if self.weighed else np.zeros(count)
        best = estimate_moves(choice.expected, choice.outcomes[:, :count], logs).means.argmax()
        return float(choice.true[best] - choice.true[0])


VARIANTS = {
    'all worlds': Variant(1, True),
    'half of them': Variant(1 / 2, True),
    'a quarter': Variant(1 / 4, True),
    'an eighth': Variant(1 / 8, True),
    'all, equally likely': Variant(1, False),
}


def played_choices(agent: SearchAgent, options: Options) -> Iterator[Played]:
    """Yield choices of the base's games against itself, with what came of their candidates."""
    random, block = np.random.default_rng(options.seed), 0
    while True:
        env = LockstepEnv(BIG2, Rules(), deals_from_seed(options.seed + block, GAMES))
        seating, streams = np.zeros((GAMES, BIG2.num_seats), np.int64), new_streams(0, GAMES).reshape(-1, 1)
        table, block = Table(env, [Player(agent.base, ask_forced=False)], seating, streams), block + 1
        while not env.is_over:
            games = env.games.copy()
            counts = table.turn().positions.counts
            chosen = np.flatnonzero((counts > 1) & (random.random(GAMES) < SHARE))
            positions = table.positions.select(chosen)
            for case in agent.cases(positions, agent.base.network.values(positions)):
                worlds = int(random.integers(1 << 32))
                yield _play(agent, positions, case, games[chosen[case.game]], options.worlds, worlds)


def _play(agent: SearchAgent, positions: Positions, case: Case, game: Games, count: int, seed: int) -> Played:
    """Play candidates on in the true hands and in worlds."""
    observations, width = positions.observations[case.game : case.game + 1], len(case.moves)
    worlds = np.empty((1, count, BIG2.num_seats), np.int64)
    deal_worlds(observations, new_streams(seed, 1), worlds)
    hands: Int64Array = np.concatenate((np.roll(game['hands'], -game['player'])[None], worlds[0]))
    owners = np.zeros(width * (count + 1), np.int64)
    moves = np.repeat(positions.moves[case.moves], count + 1)
    outcomes = agent.outcomes(observations, owners, np.tile(hands, (width, 1)), moves).reshape(width, -1)
    logs = log_likelihoods(agent.playing, table_of(Rules()), observations, owners[:count], worlds[0])
    return Played(case.expected, outcomes[:, 0], outcomes[:, 1:], logs)


def main() -> None:
    """Measure, and print the table."""
    options = tyro.cli(Options, description=Options.__doc__)
    playing = None if options.playing is None else DMCAgent.load(options.playing, numpy=True).network
    agent = SearchAgent(load_dmc(numpy=True), worlds=options.worlds, playing=playing)
    gains: dict[str, list[float]] = {name: [] for name in VARIANTS}
    for _, choice in zip(range(options.choices), played_choices(agent, options), strict=False):
        for name, variant in VARIANTS.items():
            gains[name].append(variant.gain(choice))
    table = RichTable('variant', 'gain, cards', 'beyond the first', 'payoff changed')
    first = np.array(next(iter(gains.values())))
    for name, column in gains.items():
        own, apart = estimate(np.array(column)), estimate(np.array(column) - first)
        changed = float(np.mean(np.array(column) != 0))
        table.add_row(name, _text(*own), _text(*apart), f'{100 * changed:.0f} %')
    new_console().print(table)


def _text(mean: float, margin: float) -> str:
    return f'{mean:+.2f} ± {margin:.2f}'


if __name__ == '__main__':
    main()
