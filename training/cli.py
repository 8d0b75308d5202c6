"""The command line of the trainers."""

import shlex
import sys
from abc import ABC, abstractmethod
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Annotated, Generic, Protocol, TypeVar

import tyro
from tyro.conf import arg

from common.cli import description_of, new_console, reported
from common.steps import step
from rlcard_kit.errors import ConfigError
from rlcard_kit.files import locked
from training.config import RunConfig
from training.evaluator import Load, play_opponent, played
from training.learning_curve import Curve
from training.run import Trained
from training.run_settings import recorded

C = TypeVar('C', bound=RunConfig)


class Runnable(Protocol):
    """A command: a dataclass whose fields are its flags."""

    def run(self) -> None:
        """Run the command."""
        ...


@dataclass(frozen=True)
class Command(ABC, Generic[C]):
    """A command of a trainer: its flags are its fields and the settings."""

    config: Annotated[C, arg(name='')]
    preset: Annotated[str, arg(metavar='NAME')] = field(default='default', kw_only=True)
    """Named settings, see above, which the other flags change; with --resume, they change the run's own."""

    @abstractmethod
    def run(self) -> None:
        """Run the command."""


def run_command(
    kind: type[C], commands: Callable[[C], Mapping[str, Runnable]], program: str, description: str | None
) -> None:
    """Run the command that the command line names; exit with 1 and a message if that fails.

    `commands` returns the commands by name, given the settings that flags change.
    """
    with reported(program):
        config = _settings_to_change(kind, sys.argv[1:])
        found = commands(config)
        texts = {name: _help(command, config) for name, command in found.items()}
        kinds = tyro.extras.subcommand_type_from_defaults(dict(found), texts, prefix_names=False)
        chosen = tyro.cli(kinds, prog=program, description=description, config=(tyro.conf.OmitArgPrefixes,))
        chosen.run()


def _help(command: Runnable, config: RunConfig) -> str:
    """Return the help of a command, with the settings that each preset changes."""
    text = description_of(command)
    if not isinstance(command, Command):
        return text
    presets = config.presets(config.game.game).items()
    changes = {name: ', '.join(f'{key} {value}' for key, value in preset.items()) for name, preset in presets}
    return f'{text}\n\nPresets: ' + ' '.join(f'{name}: {change or "no changes"}.' for name, change in changes.items())


def _settings_to_change(kind: type[C], arguments: list[str]) -> C:
    """Return the settings that flags change: those of the run that is resumed, then those of the preset."""
    _check_removed(kind, arguments)
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument('--preset', nargs='?', default='')
    parser.add_argument('--game', nargs='?')
    parser.add_argument('--savedir', nargs='?', default=kind.run.savedir, type=Path)
    parser.add_argument('--resume', action='store_true')
    given = parser.parse_known_args(arguments)[0]
    kept = recorded(kind, given.savedir) if given.resume and given.savedir else {}
    game = str(given.game or kept.get('game', kind.game.game))
    named = kind.presets(game).get(str(given.preset), {})  # none if no preset is given
    rest = {name: value for name, value in kept.items() if name not in named}
    preset = 'default' if given.preset == '' else str(given.preset)
    return kind.preset(preset, **{**rest, 'game': game}, resume=given.resume)


def _check_removed(kind: type[RunConfig], arguments: list[str]) -> None:
    """Raise ConfigError for the flag of a setting that earlier versions had."""
    for argument in arguments:
        flag = argument.partition('=')[0]
        name = flag.removeprefix('--').removeprefix('no-').replace('-', '_')
        if flag.startswith('--') and name in kind.removed:
            raise ConfigError(f'{flag}: {kind.removed[name]}')


def print_resume_command(command: str, config: RunConfig, trained: Trained) -> None:
    """Print the commands that resume a run, with twice its limit if it has reached that, and that play against it.

    Args:
        command: its first words, python -m apart.
        config: settings of the run.
        trained: how it ended.
    """
    limits = {'--minutes': config.run.minutes, '--total-frames': config.run.total_frames}
    further = [] if trained.interrupted else [(flag, 2 * limit) for flag, limit in limits.items() if limit is not None]
    words = ['--resume', '--savedir', config.run.savedir, *chain(*further)]
    what = 'train on' if further else 'resume'
    flags = shlex.join(map(str, words))
    lines = [f'saved in {config.run.savedir}; to {what}: python -m {command} {flags}']
    if config.learned.play_command:
        name = shlex.quote(f'{config.agent}:{config.run.savedir}')
        lines.append(f'to play against it: {config.learned.play_command} {name}')
    new_console().print(*lines, sep='\n', soft_wrap=True, markup=False, highlight=False)


def play_opponents(config: RunConfig, trained: Trained, load: Load) -> None:
    """Play the closing matches of a run that reached its limit, and report whether it was still improving.

    Matches that the curve has already are not played again.
    """
    if not config.evaluation.eval_deals or trained.interrupted:
        return
    with locked(config.run.savedir):
        _close_curve(config, trained, Curve(config.run.savedir, config.learned.wording.axis), load(config.run.savedir))


def _close_curve(config: RunConfig, trained: Trained, curve: Curve, agent: object) -> None:
    console = new_console()
    missing = [opponent for opponent in config.evaluation.eval_opponents if not curve.holds(trained.frames, opponent)]
    for opponent in missing:
        with step(f'playing against {config.learned.against(opponent)}'):
            match = play_opponent(config, agent, opponent)
        curve.add([played(config, match, trained.minutes, trained.frames, opponent)])
        title = f'{config.agent.upper()} against {config.learned.against(opponent)}'
        title = f'{title}, {config.evaluation.eval_deals} deals'
        console.print(*config.learned.show(title, match, console.width), sep='\n')
    if missing and config.learned.wording.legend:
        console.print(config.learned.wording.legend)
    for opponent in config.evaluation.eval_opponents:
        console.print(curve.trend(opponent), soft_wrap=True, markup=False)
