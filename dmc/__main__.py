"""Deep Monte Carlo for Big 2: train an agent, find out how exploitable one is, measure the training."""

import argparse
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

import tyro
from rich.console import Console
from tyro.conf import Positional, arg

from dmc.actors import ActorError
from dmc.bench import bench
from dmc.config import SETTINGS, Config, preset
from dmc.evaluator import play_opponent
from dmc.standing import Curve, point_of
from dmc.trainer import Trained, train
from eval.report import LEGEND, match_note, match_section, rich_table
from rlcard_big2.errors import Big2Error, ConfigError


def train_and_play(config: Config) -> None:
    """Train a DMC agent, then play it against fixed opponents over the same deals in all four seats."""
    trained = train(config)
    _say_how_to_go_on('train', config)
    _play_opponents(config, trained)


def exploit(agent: str, config: Config) -> None:
    """Train a fresh DMC agent against three frozen copies of an agent, and report the EV that it reaches.

    That EV is a lower bound on how exploitable the agent is: a longer run, or another learner, may find more.
    """
    if config.opponent != 'self':
        raise ConfigError(f'opponent={config.opponent!r}: here it is the agent to exploit, {agent!r}')
    against = replace(config, opponent=agent, eval_opponents=(agent,))
    trained = train(against)
    _say_how_to_go_on(f'exploit {shlex.quote(agent)}', config)
    _play_opponents(against, trained)


def _say_how_to_go_on(command: str, config: Config) -> None:
    flags = f'--resume {config.flags()}'.rstrip()
    Console().print(f'saved in {config.savedir}; to go on: python -m dmc {command} {flags}', soft_wrap=True)


def _play_opponents(config: Config, trained: Trained) -> None:
    """Play the closing matches of a run that reached its limit, and say whether it still improved."""
    if not config.eval_deals or trained.interrupted:
        return
    console, curve = Console(), Curve(config.savedir)
    for opponent in config.eval_opponents:
        match = play_opponent(config, trained.network, opponent)
        curve.add([point_of(match, trained.minutes, trained.progress.frames, opponent)])
        title = f'DMC against three of {opponent}, {config.eval_deals} deals in all four seats'
        console.print(rich_table(match_section(title, match)), match_note(match), sep='\n')
    console.print(LEGEND)
    for opponent in config.eval_opponents:
        console.print(curve.trend(opponent), soft_wrap=True)


def _commands(defaults: Config) -> dict[str, Callable[..., Any]]:
    """Return the commands by name, their settings being `defaults` where a flag says nothing else."""
    Settings = Annotated[Config, arg(name='')]  # noqa: N806  # a type

    def train_command(config: Settings = defaults) -> None:
        train_and_play(config)

    def exploit_command(agent: Annotated[Positional[str], arg(metavar='AGENT')], config: Settings = defaults) -> None:
        exploit(agent, config)

    def bench_command(config: Settings = defaults, seconds: float = 10.0) -> None:
        bench(config, seconds)

    note = f'--preset NAME sets other defaults: {", ".join(SETTINGS)}.'
    train_command.__doc__ = f'{train_and_play.__doc__}\n\n{note}'
    exploit_command.__doc__ = f'{exploit.__doc__}\n\n{note}'
    bench_command.__doc__ = f'{bench.__doc__}\n\n{note}'
    return {'train': train_command, 'exploit': exploit_command, 'bench': bench_command}


def main() -> None:
    """Run a command; exit with 1 and a message where it cannot be done."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument('--preset', default='default')
    known, arguments = parser.parse_known_args()
    try:
        commands = _commands(preset(known.preset))
        tyro.extras.subcommand_cli_from_dict(commands, prog='big2-dmc', description=__doc__, args=arguments)
    except (Big2Error, ActorError, FloatingPointError) as error:
        sys.exit(f'big2-dmc: {error}')


if __name__ == '__main__':
    main()
