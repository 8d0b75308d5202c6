"""The noise of search, by how much two searches of a decision differ: python -m benchmarks.search_noise.

Each schedule of the chains, and each network of the rollouts, estimates the same decisions twice, in other worlds.
"""

import csv
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro
from rich.console import Console
from rich.table import Table as Printed

from common.cli import reported
from rlcard_big2.models import load_dmc
from rlcard_big2.rules import Rules
from rlcard_big2.search.agent import SearchAgent
from rlcard_big2.search.posterior import SAMPLING, Posterior, Sampling
from rlcard_big2.search.pruning import PrunedValues
from rlcard_big2.search.zoo import load_search, load_small_networks
from rlcard_big2.vector import VectorEnv
from rlcard_kit.arrays import Float64Array
from rlcard_kit.bounds import AtLeast
from rlcard_kit.positions import Positions
from rlcard_kit.rng import Streams, new_streams
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
    agent = load_search(base, worlds=options.worlds)
    agent.prepare(rules)
    posterior, small = agent.beliefs, load_small_networks()[rules]
    if not isinstance(posterior, Posterior):
        raise TypeError(f'search samples from {type(posterior).__name__}: expected Posterior')
    pruned = 'large, pruned', PrunedValues(small, base.network)
    variants = [(*pruned, SHORT), ('small', small, SHORT), (*pruned, SAMPLING), ('small', small, SAMPLING)]
    pairs: list[list[Float64Array]] = [[] for _ in variants]
    seconds = np.zeros(len(variants))
    table = Table(
        VectorEnv(GAMES, rules, options.seed),
        [base],
        np.zeros((GAMES, 4), np.int64),
        new_streams(options.seed, GAMES)[:, None],
    )
    random = np.random.default_rng(options.seed)
    while len(pairs[0]) < options.decisions:
        turn = table.turn()
        for game in np.flatnonzero((turn.positions.counts > 1) & (random.random(GAMES) < SHARE)):
            positions = turn.positions.select(np.array([game]))
            for place, (_, network, sampling) in enumerate(variants):
                agent.playing, posterior.sampling = network, sampling
                streams, start = new_streams(options.seed + len(pairs[0]), 2), time.process_time()
                pair = [differences(agent, positions, streams[i : i + 1]) for i in range(2)]
                if len(pair[0]):
                    seconds[place] += (time.process_time() - start) / 2
                    pairs[place].append(np.array(pair))
    header = 'rollouts by', 'chains', 'proposals before', 'noise of a difference, cards', 'seconds of a decision'
    rows, printed = [], Printed(*header)
    for (name, _, sampling), found, spent in zip(variants, pairs, seconds, strict=True):
        squares = np.array([(one[0] - one[1]) @ (one[0] - one[1]) / 2 / one.shape[1] for one in found])
        noise, error = np.sqrt(squares.mean()), 1.96 * squares.std(ddof=1) / np.sqrt(len(found))
        margin = error / (2 * noise)
        rows.append(
            (name, sampling.chains, sampling.burn_in, f'{noise:.2f} ± {margin:.2f}', f'{spent / len(found):.2f}')
        )
        printed.add_row(*map(str, rows[-1]))
    Console().print(printed)
    if options.out is not None:
        with options.out.open('w', newline='', encoding='utf-8') as file:
            csv.writer(file, lineterminator='\n').writerows((header, *rows))


if __name__ == '__main__':
    main()
