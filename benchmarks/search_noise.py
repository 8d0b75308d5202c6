"""The noise of search, by how much two searches of a decision differ: python -m benchmarks.search_noise.

Each schedule of the chains, and each network of the rollouts, estimates the same decisions twice, in other worlds.
"""

import time
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro

from benchmarks.printed import print_table
from common.cli import reported
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.models import load_dmc
from rlcard_big2.nets.agents import DMCAgent
from rlcard_big2.rules import Rules
from rlcard_big2.search.agent import SearchAgent
from rlcard_big2.search.posterior import MIN_TEMPERATURE, SAMPLING, Posterior, Sampling
from rlcard_big2.search.pruning import PrunedValues
from rlcard_big2.search.zoo import INIT_PROPOSALS, load_small_networks, shipped_beliefs
from rlcard_big2.vector import VectorEnv
from rlcard_kit.agents.base import ValueFunction
from rlcard_kit.arrays import Float64Array
from rlcard_kit.bounds import AtLeast
from rlcard_kit.positions import Positions
from rlcard_kit.rng import Streams, new_streams
from rlcard_kit.statistics import estimate
from rlcard_kit.table import Table
from rlcard_kit.threads import limit_threads

PRESET = 'charlesworth'
GAMES, SHARE = 64, 0.02  # at once, and of their decisions that are searched
SHORT = Sampling(64, 4, 20, 10)  # of the chains until 28 November 2026


@dataclass(frozen=True)
class Options:
    """Measures what two searches of the same decision differ by, in games of `big2-dmc` against itself."""

    decisions: Annotated[int, AtLeast(2)] = 150
    """With several candidates."""
    worlds: Annotated[int, AtLeast(1)] = 256
    """Of each search."""
    seed: int = 1
    """Of the deals."""
    out: Path | None = None
    """CSV to write the figures to."""


def searching(base: DMCAgent, network: ValueFunction, sampling: Sampling, worlds: int) -> SearchAgent:
    """Return search whose rollouts a network plays, from chains of a schedule; the small network judges past moves."""

    def beliefs(rules: Rules) -> Posterior:
        initial = shipped_beliefs(rules, INIT_PROPOSALS)
        return Posterior(initial, load_small_networks()[rules], tabulate(rules), MIN_TEMPERATURE, sampling)

    rules = Rules.preset(PRESET)
    agent = SearchAgent(base, worlds, small_networks={rules: network}, beliefs=beliefs)
    agent.prepare(rules)
    return agent


def differences(agent: SearchAgent, positions: Positions, stream: Streams) -> Float64Array:
    """Return the mean differences of a decision's candidates to its first, [candidates - 1]; none if it has one."""
    found = agent.cases(positions, agent.base.evaluate(positions)[0])
    if not found:
        return np.empty(0)
    moves, count = positions.moves[found[0].moves], agent.worlds or 0
    worlds = agent.beliefs.rounds(positions.observations).draw(np.arange(1), stream, count)[0]
    hands, size = np.tile(worlds, (len(moves), 1)), len(moves) * count
    owners, draws = np.zeros(size, np.int64), np.zeros(size, np.uint64)
    each = np.repeat(moves, count)
    outcomes = agent.outcomes(positions.observations, owners, hands, each, np.zeros_like(hands), draws)
    means: Float64Array = outcomes.reshape(-1, count).mean(axis=1)
    return means[1:] - means[0]


@reported('python -m benchmarks.search_noise')
def main() -> None:
    """Search, and print the table."""
    options = tyro.cli(Options, description=Options.__doc__)
    limit_threads()
    rules, base = Rules.preset(PRESET), load_dmc(numpy=True)
    small = load_small_networks()[rules]
    networks = {'large, pruned': PrunedValues(small, base.network), 'small': small}
    variants = list(product((SHORT, SAMPLING), networks))
    agents = [searching(base, networks[name], sampling, options.worlds) for sampling, name in variants]
    pairs: list[list[Float64Array]] = [[] for _ in variants]
    seconds = np.zeros(len(variants))
    seating, streams = np.zeros((GAMES, 4), np.int64), new_streams(options.seed, GAMES)[:, None]
    table = Table(VectorEnv(GAMES, rules, options.seed), [base], seating, streams)
    random = np.random.default_rng(options.seed)
    while len(pairs[0]) < options.decisions:
        turn = table.turn()
        for game in np.flatnonzero((turn.positions.counts > 1) & (random.random(GAMES) < SHARE)):
            positions = turn.positions.select(np.array([game]))
            for place, agent in enumerate(agents):
                both, start = new_streams(options.seed + len(pairs[place]), 2), time.process_time()
                pair = [differences(agent, positions, both[i : i + 1]) for i in range(2)]
                if len(pair[0]):
                    seconds[place] += (time.process_time() - start) / 2
                    pairs[place].append(np.array(pair))
    rows = [('rollouts by', 'chains', 'proposals before', 'mean distance, cards', 'seconds of a decision')]
    for (sampling, name), found, spent in zip(variants, pairs, seconds, strict=True):
        apart = estimate(np.array([np.abs(one[0] - one[1]).mean() for one in found]))
        text, duration = f'{apart.mean:.2f} ± {apart.margin:.2f}', f'{spent / len(found):.2f}'
        rows.append((name, str(sampling.chains), str(sampling.burn_in), text, duration))
    print_table(rows, options.out)


if __name__ == '__main__':
    main()
