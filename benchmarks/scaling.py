"""Estimate the actors that a learner needs, and the first bottleneck: python -m benchmarks.scaling --help.

It measures nothing. Take the rates from a run: `played/s` divided by its actors, and `learned/s`. Sizes are those of
the records that are sent.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

import tyro
from rich.console import Console
from rich.table import Table

from common.cli import reported
from dmc.config import Config
from dmc.workers.base import ANSWER_ROWS, replay_dtype
from rlcard_kit.bounds import PositiveFloat, PositiveInt, check_settings
from training.learner import num_weights
from training.run import REPORT_SECONDS

BITS = 8


@dataclass(frozen=True)
class Figures:
    """Rates and sizes of your cluster.

    Try
      --actor-rate 2000 --learner-rate 200000 --cores 64 --gigabits 25
    """

    actor_rate: PositiveFloat
    """Decisions that one actor plays in a second, on one core."""
    learner_rate: PositiveFloat
    """Decisions that the learner learns from in a second when it never waits."""
    cores: PositiveInt = 64
    """Cores of a node that has actors."""
    gigabits: PositiveFloat = 10.0
    """Bandwidth of the learner's node, gigabits a second each way."""
    versions: PositiveFloat = 1 / REPORT_SECONDS
    """Versions of the weights in a second."""

    def __post_init__(self) -> None:
        check_settings(self)


def estimate(figures: Figures, config: Config) -> Mapping[str, float]:
    """Return the needs of a run at the learner's full rate, by name.

    Args:
        figures: of the machines.
        config: of the run; sizes depend on its game and network.
    """
    row, weights = (
        replay_dtype(config.find_game().card).itemsize,
        4 * num_weights(config.find_game().make_value_network(config.spec)),
    )
    bytes_a_second = figures.gigabits * 1e9 / BITS
    actors = ceil(figures.learner_rate / figures.actor_rate)
    nodes = ceil(actors / figures.cores)
    return {
        'actors that feed the learner': actors,
        'nodes with actors': nodes,
        'bytes of a decision': row,
        'MB of a version of the weights': weights / 1e6,
        'MB/s of decisions to the learner': figures.learner_rate * row / 1e6,
        'MB/s of weights from the learner': nodes * figures.versions * weights / 1e6,
        'answers to the learner in a second': figures.learner_rate / ANSWER_ROWS,
        'MB of weights in the store of a node, two versions': 2 * weights / 1e6,
        'decisions/s at which the network in is full': bytes_a_second / row,
        'nodes at which the network out is full': bytes_a_second / (figures.versions * weights),
        'actors at which the network out is full': figures.cores * bytes_a_second / (figures.versions * weights),
    }


def main() -> None:
    """Print the estimate for DMC with its default settings."""
    with reported('python -m benchmarks.scaling'):
        figures = tyro.cli(Figures, description=__doc__)
        table = Table(show_header=False)
        for name, value in estimate(figures, Config.of()).items():
            table.add_row(name, f'{value:,.0f}' if value >= 100 or value == int(value) else f'{value:,.2f}')
        Console().print(table)


if __name__ == '__main__':
    main()
