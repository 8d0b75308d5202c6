"""The command line of the trainers."""

import shlex
import sys
from abc import ABC, abstractmethod
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Annotated, Generic, Protocol, TypeVar

import tyro
from tyro.conf import arg

from eval.common.cli import description_of, new_console, parse, python, reported
from eval.common.entry import step
from rlcard_kit.files import locked, pinning, user_path
from training.config import RunConfig
from training.evaluator import play_opponent
from training.games import LearnedGame
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
    """Named settings, listed above, which other flags override; with --resume, they change those of the run."""

    @abstractmethod
    def run(self) -> None:
        """Run the command."""


def run_command(
    kind: type[C], commands: Callable[[C], Mapping[str, Runnable]], program: str, description: str | None
) -> None:
    """Run the command that the command line names; exit with 1 and a message if that fails.

    `commands` returns the commands by name, given the settings that flags change.
    """
    name = ''.join(sys.argv[1:2])
    with reported(program):
        has_settings = isinstance(commands(kind()).get(name), Command)
        config = _settings_to_change(kind, sys.argv[1:] if has_settings else [])
        by_name = commands(config)
        flat = (tyro.conf.OmitArgPrefixes,)
        if name in by_name:  # alone, so that its hints and its usage are those of this command
            command, own = by_name[name], f'{program} {name}'
            about = _help(command, config)
            chosen = parse(type(command), default=command, prog=own, args=sys.argv[2:], description=about, config=flat)
        else:
            texts = {name: description_of(command).partition('\n')[0] for name, command in by_name.items()}
            kinds = tyro.extras.subcommand_type_from_defaults(dict(by_name), texts, prefix_names=False)
            chosen = parse(kinds, prog=program, description=description, config=flat)
        with pinning():
            chosen.run()


def _help(command: Runnable, config: RunConfig) -> str:
    """Return the help of a command, with the settings that each preset changes."""
    text = description_of(command)
    if not isinstance(command, Command):
        return text
    presets = config.presets(config.game.game).items()
    changes = {name: ', '.join(f'{key} {value}' for key, value in preset.items()) for name, preset in presets}
    return f'{text}\n\nPresets' + ''.join(f'\n  {name}: {change or "no changes"}' for name, change in changes.items())


def _settings_to_change(kind: type[C], arguments: list[str]) -> C:
    """Return the settings that flags change: those of the run that is resumed, then those of the preset."""
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument('--preset', nargs='?', default='')
    parser.add_argument('--game', nargs='?')
    parser.add_argument('--savedir', nargs='?', default=kind.run.savedir, type=user_path)
    parser.add_argument('--resume', action='store_true')
    given = parser.parse_known_args(arguments)[0]
    kept = recorded(kind, given.savedir) if given.resume and given.savedir else {}
    game = str(given.game or kept.get('game', kind.game.game))
    named = kind.presets(game).get(str(given.preset), {})  # none if no preset is given
    rest = {name: value for name, value in kept.items() if name not in named}
    preset = 'default' if given.preset == '' else str(given.preset)
    return kind.preset(preset, **{**rest, 'game': game}, resume=given.resume)


def end_run(command: str, config: RunConfig, trained: Trained) -> None:
    """Print the commands that resume a run and that play against it; then play its closing matches.

    A run that has reached its limit is resumed with twice the limit.

    Args:
        command: its first words, python -m apart.
        config: settings of the run.
        trained: how it ended.
    """
    game = config.find_game()
    limits = {'--minutes': config.run.minutes, '--total-frames': config.run.total_frames}
    further = [] if trained.interrupted else [(flag, 2 * limit) for flag, limit in limits.items() if limit is not None]
    words = ['--resume', '--savedir', config.run.savedir, *chain(*further)]
    what = 'continue training' if further else 'resume'
    flags = shlex.join(map(str, words))
    lines = [f'saved in {config.run.savedir}; to {what}: {python()} -m {command} {flags}']
    if game.play_command:
        name = shlex.quote(f'{config.agent}:{config.run.savedir}')
        lines.append(f'to play against it: {python()} -m {game.play_command} {name}')
    new_console().print(*lines, sep='\n', soft_wrap=True, markup=False, highlight=False)
    if config.evaluation.eval_deals and not trained.interrupted:
        with locked(config.run.savedir):
            _close_curve(config, game, trained)


def _close_curve(config: RunConfig, game: LearnedGame, trained: Trained) -> None:
    """Play the closing matches that the curve lacks, and report whether the run was still improving."""
    console, folder, evaluation = new_console(), config.run.savedir, config.evaluation
    curve, agent = Curve(folder, game.wording.axis), game.load_agent(config.agent, folder)
    missing = [opponent for opponent in evaluation.eval_opponents if not curve.holds(trained.frames, opponent)]
    for opponent in missing:
        with step(f'playing against {game.against(opponent)}'):
            match, point = play_opponent(
                game, config.game.rules, agent, opponent, evaluation.eval_deals, trained.minutes, trained.frames
            )
        curve.add([point])
        title = f'{config.agent.upper()} against {game.against(opponent)}, {evaluation.eval_deals} deals'
        console.print(*game.show(title, match, console.width), sep='\n')
    if missing and game.wording.legend:
        console.print(game.wording.legend)
    for opponent in evaluation.eval_opponents:
        console.print(curve.trend(opponent), soft_wrap=True, markup=False)
