"""What search knows at a choice, judged by the true hands: python -m experiments.searching.

Choices of a network's games against itself are played on from each candidate: by the network in the true hands, which
nobody sees, and as in playouts in worlds, which the search sees. A single choice says little, since chance decides most
of what comes of it; so a regression over all choices tells how far the worlds know more than the network. All worlds
count at once, and no candidate is dropped on the way.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, NamedTuple

import numpy as np
import tyro
from rich.table import Table as RichTable

from common.bounds import AtLeast, NaturalInt
from common.cli import new_console
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.state import Games
from rlcard_big2.intervals import Z95, Estimate, estimate
from rlcard_big2.lockstep.arrays import Float64Array, Int64Array
from rlcard_big2.lockstep.positions import Positions
from rlcard_big2.lockstep.random import new_streams
from rlcard_big2.lockstep.table import Player, Table
from rlcard_big2.lockstep.vector import LockstepEnv
from rlcard_big2.models import load_dmc, load_search, shipped_beliefs
from rlcard_big2.rules import Rules
from rlcard_big2.search.agent import Case, SearchAgent
from rlcard_big2.search.beliefs import Beliefs, uniform_beliefs
from rlcard_big2.search.estimates import estimate_moves

GAMES = 32  # in lock step
SHARE = 0.15  # of the choices, so that few are of the same game


@dataclass(frozen=True)
class Options:
    """Prints a table: how much of what worlds say is true, how hopeful they are, and what search gains at a choice."""

    choices: Annotated[int, AtLeast(2)] = 1500
    """With several candidates."""
    worlds: Annotated[int, AtLeast(8)] = 64
    """Dealt at each, of each kind."""
    seed: NaturalInt = 3
    """Of deals, choices and worlds."""


class Played(NamedTuple):
    """What came of the K candidates of a choice, the network's move first."""

    expected: Float64Array  # [K], by the network, in cards
    true: Float64Array  # [K], in the true hands
    outcomes: Mapping[str, Float64Array]  # in worlds of each kind, [K, W]


class Variant(NamedTuple):
    """A way to search."""

    kind: str  # of worlds
    share: float  # of those dealt

    def outcomes(self, choice: Played) -> Float64Array:
        """Return what came of the candidates of a choice in the worlds that count, [K, W]."""
        dealt = choice.outcomes[self.kind]
        return dealt[:, : round(self.share * dealt.shape[1])]

    def gain(self, choice: Played) -> float:
        """Return what its move brings in the true hands beyond the network's."""
        best = estimate_moves(choice.expected, self.outcomes(choice)).means.argmax()
        return float(choice.true[best] - choice.true[0])

    def hope(self, choice: Played) -> float:
        """Return how much better the network's move is in the worlds than in the true hands."""
        return float(self.outcomes(choice)[0].mean() - choice.true[0])

    def knowledge(self, choices: Sequence[Played]) -> Estimate:
        """Return how much of what the worlds say beyond the network is true: 1 if all, 0 if it says nothing.

        It is the second coefficient of a regression of the true differences between candidates on those that the
        network expects, and on how far those in the worlds are from these. What chance adds to the spread of the
        latter if worlds are few is taken off.
        """
        known = np.concatenate([apart(choice.expected) for choice in choices])
        told = np.concatenate([apart(self.outcomes(choice)) for choice in choices])
        true = np.concatenate([apart(choice.true) for choice in choices])
        inputs = np.stack((known, told.mean(axis=1) - known), axis=1)
        chance = told.var(axis=1, ddof=1).sum() / told.shape[1]
        inverse = np.linalg.inv(inputs.T @ inputs - np.diag([0, chance]))
        coefficients = inverse @ inputs.T @ true
        variance = inverse @ inputs.T @ inputs @ inverse * (true - inputs @ coefficients).var()
        return Estimate(float(coefficients[1]), float(Z95 * np.sqrt(variance[1, 1])))


VARIANTS = {
    'posterior': Variant('posterior', 1),
    'half of the worlds': Variant('posterior', 1 / 2),
    'a quarter': Variant('posterior', 1 / 4),
    'learned beliefs alone': Variant('learned', 1),
    'all worlds equally likely': Variant('uniform', 1),
}


def apart(values: Float64Array) -> Float64Array:
    """Return how far the other candidates are from the network's move, [K - 1, ...], given [K, ...]."""
    return values[1:] - values[0]


def played_choices(agent: SearchAgent, kinds: Mapping[str, Beliefs], options: Options) -> Iterator[Played]:
    """Yield choices of the base's games against itself, with what came of their candidates."""
    judge = SearchAgent(agent.base, worlds=0)  # nothing shortens its choices
    judge.prepare(agent.rules)
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
                yield _play(agent, judge, kinds, positions, case, games[chosen[case.game]], options.worlds, worlds)


def _play(
    agent: SearchAgent,
    judge: SearchAgent,
    kinds: Mapping[str, Beliefs],
    positions: Positions,
    case: Case,
    game: Games,
    count: int,
    seed: int,
) -> Played:
    """Play candidates on in the true hands, as the judge does, and in worlds, as the search does."""
    observations, moves = positions.observations[case.game : case.game + 1], positions.moves[case.moves]

    def outcomes(player: SearchAgent, hands: Int64Array) -> Float64Array:
        owners = np.zeros(len(moves) * len(hands), np.int64)
        payoffs = player.outcomes(observations, owners, np.tile(hands, (len(moves), 1)), np.repeat(moves, len(hands)))
        return payoffs.reshape(len(moves), -1)

    true = outcomes(judge, np.roll(game['hands'], -game['player'])[None])[:, 0]
    dealt = {name: kind.draw(observations, new_streams(seed, 1), count)[0] for name, kind in kinds.items()}
    return Played(case.expected, true, {name: outcomes(agent, hands) for name, hands in dealt.items()})


def main() -> None:
    """Measure, and print the table."""
    options = tyro.cli(Options, description=Options.__doc__)
    agent = load_search(load_dmc(numpy=True), options.worlds)
    agent.prepare(Rules())
    kinds = {'posterior': agent.beliefs, 'learned': shipped_beliefs(Rules()), 'uniform': uniform_beliefs(Rules())}
    choices = list(islice(played_choices(agent, kinds, options), options.choices))
    table = RichTable('variant', 'knowledge', 'hope, cards', 'gain, cards', 'payoff changed')
    for name, variant in VARIANTS.items():
        gains, hopes = (np.array([*map(what, choices)]) for what in (variant.gain, variant.hope))
        figures = variant.knowledge(choices), estimate(hopes), estimate(gains)
        table.add_row(name, *(_text(*one) for one in figures), f'{100 * np.mean(gains != 0):.0f} %')
    new_console().print(table)


def _text(mean: float, margin: float) -> str:
    return f'{mean:+.2f} ± {margin:.2f}'


if __name__ == '__main__':
    main()
