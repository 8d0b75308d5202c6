"""Trains with one setting changed at a time, and compares: python -m experiments.tuning dmc|ppo AGENT."""

import re
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import tyro
from rich.console import Console

import dmc.config
import dmc.trainer
import ppo.config
import ppo.trainer
from eval.tables import Row, Section, markdown_table
from rlcard_big2.duplicate import Match, difference, play_match
from rlcard_big2.errors import Big2Error
from rlcard_big2.names import make_agent
from rlcard_big2.nets.saved import Settings
from training.run import Trained

Trials = Mapping[str, Mapping[str, Any]]  # what each changes of the default setting

DMC_TRIALS: Trials = {
    'default': {},
    "the paper's optimiser: RMSprop 1e-4, batch 3200": {
        'optimizer': 'rmsprop', 'learning_rate': 1e-4, 'batch_size': 3200, 'epsilon': 1e-5,
    },
    'lambda 1: payoffs alone': {'td_lambda': 1.0},
    'lambda 0.8': {'td_lambda': 0.8},
    'lambda 0.2': {'td_lambda': 0.2},
    'learning rate 3e-4': {'learning_rate': 3e-4},
    'learning rate 1.6e-3': {'learning_rate': 1.6e-3},
    'batch 256': {'batch_size': 256},
    'batch 3072': {'batch_size': 3072},
    'epsilon 0.05': {'exp_epsilon': 0.05},
    'temperature 0': {'exp_temperature': 0.0},
    'temperature 1': {'exp_temperature': 1.0},
    'no bonus for the winner': {'win_bonus': 0.0},
    'a bonus of 10': {'win_bonus': 10.0},
    'inputs by the rules': {'inputs': 'rules'},
    'published inputs': {'inputs': 'cards'},
    'published inputs, network residual': {'inputs': 'cards', 'network': 'residual'},
    'published inputs, network memoryless-residual': {'inputs': 'cards', 'network': 'memoryless-residual'},
    'hidden size 512': {'hidden_size': 512},
    'network plain': {'network': 'plain'},
    'network convolutional-residual': {'network': 'convolutional-residual'},
    'network residual': {'network': 'residual'},
    'network memoryless-residual': {'network': 'memoryless-residual'},
    '64 games': {'num_games': 64},
    'learn from forced moves too': {'learn_forced': True},
    'no averaging': {'averaging': 1},
    'taught by search': {'teacher': 'search'},
    'constant rate': {'decay': 0.0},
    'rate falling in the last third': {'decay': 0.3},
}  # fmt: skip

PPO_TRIALS: Trials = {
    'default': {},
    "the paper's setting": ppo.config.PRESETS['big2']['paper'],
    "the paper's network": {'network': 'charlesworth'},
    '3 epochs': {'epochs': 3},
    'learning rate 1e-4': {'learning_rate': 1e-4},
    'learning rate 1e-3': {'learning_rate': 1e-3},
    'minibatch 4096': {'minibatch_size': 4096},
    'minibatch 256': {'minibatch_size': 256},
    '128 games, 128 moves between two updates': {'num_games': 128, 'num_steps': 128},
    '2048 games': {'num_games': 2048},
    'lambda 1': {'gae_lambda': 1.0},
    'lambda 0.8': {'gae_lambda': 0.8},
    'divergence from equal chances 0.1': {'uniform_coefficient': 0.1},
    'divergence from equal chances 0.01': {'uniform_coefficient': 0.01},
    'entropy 0.01 instead': {'uniform_coefficient': 0.0, 'entropy_coefficient': 0.01},
    'entropy 0.06 instead': {'uniform_coefficient': 0.0, 'entropy_coefficient': 0.06},
    'no z-loss': {'z_coefficient': 0.0},
    'published inputs': {'inputs': 'cards'},
    'hidden size 256': {'hidden_size': 256},
    'no averaging': {'averaging': 1},
    'against a pool': {'opponent': 'pool'},
}  # fmt: skip


class Trainer(NamedTuple):
    """A trainer by its settings, and what is tried."""

    config: Callable[..., Any]
    train: Callable[[Any], Trained]
    trials: Trials
    play: str  # follows the name of its agents in matches


TRAINERS = {
    'dmc': Trainer(dmc.config.Config, dmc.trainer.train, DMC_TRIALS, ''),
    'ppo': Trainer(ppo.config.Config, ppo.trainer.train, PPO_TRIALS, ',greedy'),
}


@dataclass(frozen=True)
class Options:
    """Trains once per trial and plays each against three of AGENT over the same deals; prints a Markdown table."""

    trainer: Annotated[Literal['dmc', 'ppo'], tyro.conf.Positional, tyro.conf.arg(metavar='dmc|ppo')]
    """Whose settings to try."""
    agent: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar='AGENT')]
    """Whom to play against."""
    minutes: float = 10.0
    """Length of each run; after three, methods cannot be told apart that differ by 0.5 after ten."""
    frames: int | None = None
    """Decisions that each run learns from, in place of minutes."""
    start_from: str | None = None
    """Folder of a network that each run starts from, in place of weights drawn at random."""
    deals: int = 3000
    """Deals, each played in all four seats."""
    seed: int = 77
    """Seed of the deals."""
    folder: Path = Path('runs/tuning')
    """Where the runs are kept; those that are there already are not repeated."""
    only: tuple[str, ...] = ()
    """Names of the trials to run, 'default' coming first in any case; all of them where none is named."""


def length(options: Options) -> str:
    """Return how long each run is, in words."""
    return f'{options.minutes:g} minutes' if options.frames is None else f'{options.frames} frames'


def _file_name(text: str) -> str:
    return re.sub(r'[^\w.-]+', '-', text)


def trained(options: Options, name: str) -> Path:
    """Return the folder of a trial's run, which is made if it is not there."""
    trainer = TRAINERS[options.trainer]
    start = '' if options.start_from is None else f'-from-{options.start_from}'
    folder = options.folder / options.trainer / _file_name(length(options) + start) / _file_name(name)
    if not folder.exists():
        unfinished = folder.with_name(f'{folder.name}-unfinished')
        shutil.rmtree(unfinished, ignore_errors=True)
        config = trainer.config(
            savedir=unfinished,
            start_from=options.start_from,
            minutes=options.minutes if options.frames is None else None,
            total_frames=options.frames,
            eval_deals=0,
            **trainer.trials[name],
        )
        if trainer.train(config).interrupted:
            sys.exit(f'interrupted; {unfinished} is not used')
        unfinished.rename(folder)
    return folder


def play(options: Options, folder: Path) -> Match:
    """Play the agent of a run."""
    agent = make_agent(f'{options.trainer}:{folder}{TRAINERS[options.trainer].play}')
    return play_match(agent, options.agent, options.deals, seed=options.seed)


def chosen_trials(options: Options) -> list[str]:
    """Return the names of the trials to run, the default first."""
    known = list(TRAINERS[options.trainer].trials)
    if unknown := set(options.only) - set(known):
        sys.exit(f'--only {", ".join(sorted(unknown))}: not a trial; choose from: {"; ".join(known)}')
    return [name for name in known if not options.only or name == 'default' or name in options.only]


def main() -> None:
    """Train, play, and print the table."""
    options = tyro.cli(Options, description=__doc__)
    rows, first = [], None
    try:
        make_agent(options.agent)
        for name in chosen_trials(options):
            folder = trained(options, name)
            match = play(options, folder)
            first = first or match
            apart = difference(match, first).ev if match is not first else None
            frames = Settings.load(folder, options.trainer).frames
            rows.append(Row(f'{name}; {frames / 1e6:.1f} M frames', (match.ev, apart)))
    except Big2Error as error:
        sys.exit(str(error))
    title = f'{length(options)} each; EV against three of {shlex.quote(options.agent)}, {options.deals} deals'
    Console().print(markdown_table(Section(title, ('EV', 'EV minus that of the default'), tuple(rows))), soft_wrap=True)


if __name__ == '__main__':
    main()
