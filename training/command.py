"""What the trainers' command lines share."""

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from inspect import cleandoc
from typing import Any, TypeVar

import tyro
from rich.console import Console

from common.processes import INTERRUPTED
from eval.report import LEGEND, match_note, match_section, rich_table
from rlcard_big2.errors import Big2Error
from training.config import RunConfig
from training.evaluator import Load, play_opponent
from training.learning_curve import Curve, point_of
from training.run import Trained

C = TypeVar('C', bound=RunConfig)

Commands = dict[str, Callable[..., Any]]


def run_command(kind: type[C], commands: Callable[[C], Commands], prog: str, description: str | None) -> None:
    """Run the command that the command line names; exit with 1 and a message where it cannot be done.

    Args:
        kind: of the settings.
        commands: makes the commands, given the settings that flags change: those that --preset names.
        prog: name of the program.
        description: of it.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument('--preset', default='default')
    known, arguments = parser.parse_known_args()
    try:
        found = commands(kind.preset(known.preset))
        for command in found.values():
            command.__doc__ = (
                f'{cleandoc(command.__doc__ or "")}\n\n--preset NAME sets other defaults: {", ".join(kind.presets)}.'
            )
        tyro.extras.subcommand_cli_from_dict(found, prog=prog, description=description, args=arguments)
    except (Big2Error, FloatingPointError) as error:
        sys.exit(f'{prog}: {error}')
    except KeyboardInterrupt:
        sys.stderr.write(f'{prog}: interrupted\n')
        sys.exit(INTERRUPTED)


def say_how_to_go_on(command: str, config: RunConfig, trained: Trained) -> None:
    """Print the command that resumes a run: to its limit where it was interrupted, else without one.

    Args:
        command: its first words, python -m apart.
        config: of the run.
        trained: how it ended.
    """
    rest = config if trained.interrupted else replace(config, minutes=None, total_frames=None)
    flags = f'--resume {rest.flags()}'.rstrip()
    text = f'saved in {config.savedir}; to go on: python -m {command} {flags}'
    Console().print(text, soft_wrap=True, markup=False, highlight=False)


def play_opponents(config: RunConfig, trained: Trained, load: Load) -> None:
    """Play the closing matches of a run that reached its limit, and say whether it still improved."""
    if not config.eval_deals or trained.interrupted:
        return
    console, curve, agent = Console(), Curve(config.savedir), load(config.savedir)
    for opponent in config.eval_opponents:
        match = play_opponent(config, agent, opponent)
        curve.add([point_of(match, trained.minutes, trained.frames, opponent)])
        title = f'{config.agent.upper()} against three of {opponent}, {config.eval_deals} deals in all four seats'
        console.print(rich_table(match_section(title, match)), match_note(match), sep='\n')
    console.print(LEGEND)
    for opponent in config.eval_opponents:
        console.print(curve.trend(opponent), soft_wrap=True)
