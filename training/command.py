"""What the trainers' command lines share."""

import sys
from abc import ABC, abstractmethod
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from inspect import cleandoc
from typing import Annotated, Generic, Protocol, TypeVar

import tyro
from rich.console import Console
from tyro.conf import arg

from common.cli import reported
from eval.report import LEGEND, match_note, match_section, rich_table
from training.config import RunConfig
from training.evaluator import Load, play_opponent
from training.learning_curve import Curve, played
from training.run import Trained

C = TypeVar('C', bound=RunConfig)


class Runnable(Protocol):
    """A command: a dataclass whose fields are its flags."""

    def run(self) -> None:
        """Run the command."""
        ...


@dataclass(frozen=True)
class Command(ABC, Generic[C]):
    """A command of a trainer: its flags are its fields and the settings'."""

    config: Annotated[C, arg(name='')]
    preset: Annotated[str, arg(metavar='NAME')] = 'default'
    """Named settings, which the other flags change."""

    @abstractmethod
    def run(self) -> None:
        """Run the command."""


def run_command(
    kind: type[C], commands: Callable[[C], Mapping[str, Runnable]], program: str, description: str | None
) -> None:
    """Run the command that the command line names; exit with 1 and a message if that fails.

    Args:
        kind: of the settings.
        commands: returns the commands by name, given the settings that flags change: those of the preset.
        program: its name.
        description: of the program.
    """
    with reported(program):
        found = commands(kind.preset(_preset_in(sys.argv[1:])))
        presets = f'\n\nPresets: {", ".join(kind.presets)}.'
        texts = {
            name: cleandoc(command.__doc__ or '') + presets * isinstance(command, Command)
            for name, command in found.items()
        }
        kinds = tyro.extras.subcommand_type_from_defaults(found, texts, prefix_names=False)
        tyro.cli(kinds, prog=program, description=description).run()


def _preset_in(arguments: list[str]) -> str:
    """Return the preset that the command line names: it decides the defaults that all other flags are read with."""
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument('--preset', default='default')
    return str(parser.parse_known_args(arguments)[0].preset)


def print_resume_command(command: str, config: RunConfig, trained: Trained) -> None:
    """Print the command that resumes a run: to its limit if it was interrupted, else without one.

    Args:
        command: its first words, python -m apart.
        config: settings of the run.
        trained: how it ended.
    """
    rest = config if trained.interrupted else replace(config, minutes=None, total_frames=None)
    flags = f'--resume {rest.flags()}'.rstrip()
    text = f'saved in {config.savedir}; to resume: python -m {command} {flags}'
    Console().print(text, soft_wrap=True, markup=False, highlight=False)


def play_opponents(config: RunConfig, trained: Trained, load: Load) -> None:
    """Play the closing matches of a run that reached its limit, and say whether it was still improving."""
    if not config.eval_deals or trained.interrupted:
        return
    console, curve, agent = Console(), Curve(config.savedir), load(config.savedir)
    for opponent in config.eval_opponents:
        match = play_opponent(config, agent, opponent)
        curve.add([played(match, trained.minutes, trained.frames, opponent)])
        title = f'{config.agent.upper()} against three of {opponent}, {config.eval_deals} deals in all four seats'
        console.print(rich_table(match_section(title, match)), match_note(match), sep='\n')
    console.print(LEGEND)
    for opponent in config.eval_opponents:
        console.print(curve.trend(opponent), soft_wrap=True)
