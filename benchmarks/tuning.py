"""Trains with one setting changed at a time, and compares: python -m benchmarks.tuning AGENT."""

import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from dmc.agent import DMCAgent
from dmc.config import Config
from dmc.trainer import train
from eval.agents import make_agent
from eval.match import Match, play_match
from eval.report import Row, Section, markdown_table
from eval.statistics import difference, overall
from rlcard_big2.errors import Big2Error
from rlcard_big2.rules import Rules
from training.checkpoint import load_settings

# What was tried beside the default: optimiser, rate, batch, epsilon, games, network, averaging, forced moves.
TRIALS: dict[str, dict[str, object]] = {
    'default': {},
    "the paper's optimiser: RMSprop 1e-4, batch 3200": {
        'optimizer': 'rmsprop', 'learning_rate': 1e-4, 'batch_size': 3200, 'epsilon': 1e-5,
    },
    'learning rate 1e-3': {'learning_rate': 1e-3},
    'batch 3072': {'batch_size': 3072},
    'epsilon 0.05': {'exp_epsilon': 0.05},
    'network convolutional-residual': {'network': 'convolutional-residual'},
    '64 games': {'num_games': 64},
    'learning rate 1e-4': {'learning_rate': 1e-4},
    'batch 256': {'batch_size': 256},
    'network plain': {'network': 'plain'},
    'learn from forced moves too': {'learn_forced': True},
    'no averaging': {'averaging': 1},
    'constant rate': {'decay': 0.0},
}  # fmt: skip


@dataclass(frozen=True)
class Options:
    """Trains once per trial and plays each against three of AGENT over the same deals; prints a Markdown table."""

    agent: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar='AGENT')]
    """Whom to play against."""
    minutes: float = 3.0
    """Length of each run."""
    deals: int = 3000
    """Deals, each played in all four seats."""
    seed: int = 77
    """Seed of the deals."""
    folder: Path = Path('runs/tuning')
    """Where the runs are kept; those that are there already are not repeated."""
    trials: int = len(TRIALS)
    """Run only so many, the first."""


def trained(options: Options, name: str, settings: dict[str, object]) -> Path:
    """Return the folder of a trial's run, which is made if it is not there."""
    folder = options.folder / name.replace(' ', '-').replace("'", '')
    if not folder.exists():
        unfinished = folder.with_name(f'{folder.name}-unfinished')
        config = Config(savedir=unfinished, minutes=options.minutes, eval_deals=0)
        if train(replace(config, **settings)).interrupted:
            sys.exit(f'interrupted; {unfinished} is not used')
        unfinished.rename(folder)
    return folder


def play(options: Options, folder: Path) -> Match:
    """Play the agent of a run."""
    return play_match(DMCAgent.load(folder), make_agent(options.agent), Rules(), options.deals, options.seed)


def main() -> None:
    """Train, play, and print the table."""
    options = tyro.cli(Options, description=__doc__)
    rows, first = [], None
    try:
        make_agent(options.agent)
        for name, settings in list(TRIALS.items())[: options.trials]:
            folder = trained(options, name, settings)
            match = play(options, folder)
            first = first or match
            apart = difference(match, first).ev if match is not first else None
            frames = load_settings(folder, Config.agent)['frames']
            rows.append(Row(f'{name}; {frames / 1e6:.1f} M frames', (overall(match).ev, apart)))
    except Big2Error as error:
        sys.exit(str(error))
    title = f'{options.minutes:g} minutes each; EV against three of {shlex.quote(options.agent)}, {options.deals} deals'
    Console().print(markdown_table(Section(title, ('EV', 'EV minus that of the default'), tuple(rows))), soft_wrap=True)


if __name__ == '__main__':
    main()
