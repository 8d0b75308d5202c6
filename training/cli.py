"""What the trainers' command lines share."""

import shlex
import sys
from abc import ABC, abstractmethod
from argparse import ArgumentParser
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, replace
from inspect import cleandoc
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import tyro

from common.cli import new_console, reported
from rlcard_kit.errors import ConfigError
from rlcard_kit.files import locked
from training.config import RunConfig
from training.evaluator import Load, play_opponent, played
from training.flags import Flags, fields_of
from training.learning_curve import Curve
from training.run import Trained
from training.run_settings import recorded

REMOVED = {'--learner-resources': '`ray job submit --entrypoint-num-gpus`, see docs/scaling.md'}  # flags: successors

C = TypeVar('C', bound=RunConfig)


class Runnable(Protocol):
    """A command: a dataclass whose fields are its flags."""

    def run(self) -> None:
        """Run the command."""
        ...


@dataclass(frozen=True)
class Command(ABC, Generic[C]):
    """A command of a trainer: its flags are its fields and the settings'."""

    hidden: ClassVar[Collection[str]] = ()  # settings that mean nothing to it

    config: C

    @abstractmethod
    def run(self) -> None:
        """Run the command."""


def run_command(
    kind: type[C], commands: Callable[[C], Mapping[str, Runnable]], program: str, description: str | None
) -> None:
    """Run the command that the command line names; exit with 1 and a message if that fails.

    Args:
        kind: of the settings.
        commands: returns the commands by name, given the settings that flags change.
        program: its name.
        description: of the program.
    """
    with reported(program):
        for flag in REMOVED.keys() & {word.partition('=')[0] for word in sys.argv[1:]}:
            raise ConfigError(f'{flag} was removed: use {REMOVED[flag]}')
        found = commands(_settings_to_change(kind, sys.argv[1:]))
        flags = {command: _flags_of(command) for command in found.values() if isinstance(command, Command)}
        shown = {name: flags[command].kind() if command in flags else command for name, command in found.items()}
        texts = {name: cleandoc(command.__doc__ or '') for name, command in found.items()}
        kinds = tyro.extras.subcommand_type_from_defaults(shown, texts, prefix_names=False)
        answer = tyro.cli(kinds, prog=program, description=description, config=(tyro.conf.OmitArgPrefixes,))
        commands_made = (_answered(*pair, answer) for pair in flags.items() if isinstance(answer, pair[1].kind))
        chosen = next(commands_made, answer)
        chosen.run()


def _flags_of(command: Command[C]) -> Flags[C]:
    own = [part.name for part in fields(command) if part.name != 'config']
    return Flags(fields_of(command, own), command.config, command.hidden)


def _answered(command: Command[C], flags: Flags[C], answer: Any) -> Command[C]:
    """Return a command with the settings and fields that tyro has made of a command line."""
    own = {part.name: getattr(answer, part.name) for part in fields(command) if part.name != 'config'}
    return replace(command, config=flags.settings(answer), **own)


def _settings_to_change(kind: type[C], arguments: list[str]) -> C:
    """Return the settings that flags change: those of the run that is resumed, and over them those of the preset."""
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument('--preset', nargs='?', default='')
    parser.add_argument('--game', nargs='?')
    parser.add_argument('--savedir', nargs='?', default=kind.savedir, type=Path)
    parser.add_argument('--resume', action='store_true')
    given = parser.parse_known_args(arguments)[0]
    kept = recorded(kind, given.savedir) if given.resume and given.savedir else {}
    game = str(given.game or kept.get('game', kind.game))
    named = kind.presets(game).get(str(given.preset), {})  # none if no preset is given
    rest = {name: value for name, value in kept.items() if name not in named}
    preset = 'default' if given.preset == '' else str(given.preset)
    return kind.preset(preset, **{**rest, 'game': game}, resume=given.resume)


def print_resume_command(command: str, config: RunConfig, trained: Trained) -> None:
    """Print the command that resumes a run; if it has reached its limit, with one that is twice as high.

    Args:
        command: its first words, python -m apart.
        config: settings of the run.
        trained: how it ended.
    """
    limits = {'--minutes': config.minutes, '--total-frames': config.total_frames}
    further = [] if trained.interrupted else [(flag, 2 * limit) for flag, limit in limits.items() if limit is not None]
    words = ['--resume', '--savedir', config.savedir, *chain(*further)]
    what = 'train on' if further else 'resume'
    flags = shlex.join(map(str, words))
    text = f'saved in {config.savedir}; to {what}: python -m {command} {flags}'
    new_console().print(text, soft_wrap=True, markup=False, highlight=False)


def play_opponents(config: RunConfig, trained: Trained, load: Load) -> None:
    """Play the closing matches of a run that reached its limit, and say whether it was still improving.

    Matches that the curve has already are not played again.
    """
    if not config.eval_deals or trained.interrupted:
        return
    with locked(config.savedir):
        _close_curve(config, trained, Curve(config.savedir, config.learned.axis), load(config.savedir))


def _close_curve(config: RunConfig, trained: Trained, curve: Curve, agent: object) -> None:
    console = new_console()
    missing = [opponent for opponent in config.eval_opponents if not curve.holds(trained.frames, opponent)]
    for opponent in missing:
        match = play_opponent(config, agent, opponent)
        curve.add([played(config, match, trained.minutes, trained.frames, opponent)])
        title = f'{config.agent.upper()} against {config.learned.opponents} of {opponent}, {config.eval_deals} deals'
        console.print(*config.learned.show(title, match), sep='\n')
    if missing and config.learned.legend:
        console.print(config.learned.legend)
    for opponent in config.eval_opponents:
        console.print(curve.trend(opponent), soft_wrap=True, markup=False)
