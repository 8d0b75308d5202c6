"""Compare the speed of actors on Ray and in shared memory, on the same cores: python -m benchmarks.cluster."""

import pickle
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import tyro
from rich.console import Console
from rich.table import Table

from common.cli import reported
from common.ray_cluster import LOCAL, connected
from dmc.config import Config
from dmc.inference import Inference
from dmc.workers.base import ANSWER_ROWS, Weights, Workers, replay_dtype
from dmc.workers.processes import ProcessWorkers
from rlcard_kit.bounds import PositiveFloat, PositiveInt, check_settings
from rlcard_kit.nets.weights import dump_weights
from training.run import REPORT_SECONDS

START_SECONDS = 600.0  # for all actors to play


@dataclass(frozen=True)
class Options:
    """Measure the decisions per second of both kinds of actors, in alternating turns; nothing is learned from them."""

    num_actors: PositiveInt = 1
    """Actors of each kind; leave a core to the process that receives the decisions."""
    seconds: PositiveFloat = 30.0
    """Length of a turn, from when every actor may have returned two results. Games that began together end together at
    first, so a few seconds are too short."""
    turns: PositiveInt = 3
    """Turns of each kind."""

    def __post_init__(self) -> None:
        check_settings(self)


def rate(workers: Workers, weights: Weights, options: Options) -> float:
    """Return the decisions per second of a workers whose decisions are all taken, with weights published as in a run.

    Args:
        workers: the actors.
        weights: that they were started with.
        options: of the measurement.

    Raises:
        RuntimeError: if the actors do not play, or one dies.
    """
    before = workers.counts().played
    warm = before + 2 * ANSWER_ROWS * options.num_actors
    _take(workers, weights, START_SECONDS, lambda: workers.counts().played >= warm)
    if workers.counts().played < warm:
        raise RuntimeError(f'the actors have not played {warm:,} decisions in {START_SECONDS:g} seconds')
    played, start = workers.counts().played, time.perf_counter()
    _take(workers, weights, options.seconds, lambda: False)
    return (workers.counts().played - played) / (time.perf_counter() - start)


def _take(workers: Workers, weights: Weights, seconds: float, is_enough: Callable[[], bool]) -> None:
    """Take all decisions, for a time or until there are enough."""
    batch = np.empty(Config().learning.batch_size, replay_dtype(Config().find_game().card))
    end = published = time.monotonic()
    end += seconds
    while (now := time.monotonic()) < end and not is_enough():
        if workers.waiting() >= len(batch):
            workers.take(len(batch), batch)
        else:
            workers.supply()
        if now - published >= REPORT_SECONDS:
            published = now
            workers.publish(weights)
            if reports := workers.replace_dead():
                raise RuntimeError(reports[0])


def compare(config: Config, options: Options) -> dict[str, list[float]]:
    """Return the rates of each kind of actors, turn by turn.

    Raises:
        ClusterError: if Ray cannot be started.
        RuntimeError: see `rate`.
    """
    weights = dump_weights(config.find_game().make_value_network(config.spec))
    rates: dict[str, list[float]] = {'shared memory': [], 'Ray': []}
    for _ in range(options.turns):
        with closing(ProcessWorkers(config, config.find_game(), weights, {'cpu': Inference(torch.float32)})) as workers:
            rates['shared memory'].append(rate(workers, weights, options))
        with connected(LOCAL):
            from dmc.workers.ray_workers import RayWorkers  # needs Ray

            with closing(RayWorkers(config, config.find_game(), weights, Inference(torch.float32))) as ray_workers:
                rates['Ray'].append(rate(ray_workers, weights, options))
    return rates


def sizes(config: Config) -> dict[str, float]:
    """Return the pickled size of a decision and of a version of the weights."""
    rows = np.zeros(ANSWER_ROWS, replay_dtype(config.find_game().card))
    weights = dump_weights(config.find_game().make_value_network(config.spec))
    return {
        'bytes per decision': len(pickle.dumps(rows, 5)) / len(rows),
        'bytes per version of the weights': len(pickle.dumps(weights, 5)),
    }


def main() -> None:
    """Print both rates, their ratio, and the sizes of messages."""
    with reported('python -m benchmarks.cluster'):
        options = tyro.cli(Options, description=__doc__)
        config = Config.of(num_actors=options.num_actors, learner_threads=1, savedir=Path('unused'))
        rates = compare(config, options)
        table = Table(title=f'decisions per second of {options.num_actors} actors, float32')
        for heading in ('', *(f'turn {turn}' for turn in range(1, options.turns + 1)), 'mean'):
            table.add_column(heading, justify='right' if heading else 'left')
        for name, found in rates.items():
            table.add_row(name, *(f'{value:,.0f}' for value in (*found, float(np.mean(found)))))
        ratios = np.divide(rates['Ray'], rates['shared memory'])
        table.add_row(
            'ratio', *(f'{value:.2f}' for value in (*ratios, np.sum(rates['Ray']) / np.sum(rates['shared memory'])))
        )
        Console().print(table)
        for name, value in sizes(config).items():
            Console().print(f'{name}: {value:,.1f}')


if __name__ == '__main__':
    main()
