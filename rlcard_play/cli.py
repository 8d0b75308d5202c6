"""Command lines of the games: play in a browser or terminal, replay games, get advice, see your score."""

import argparse
from collections.abc import Sequence

from rlcard_play.big2.terminal import cli as big2_commands
from rlcard_play.catch5.terminal import cli as catch5_commands
from rlcard_play.games import GAMES
from rlcard_play.terminal.commands import run_command
from rlcard_play.web.cli import add_serve

COMMANDS = {'big2': big2_commands.add_commands, 'catch5': catch5_commands.add_commands}


def big2(arguments: Sequence[str] | None = None) -> None:
    """Run a command of Big 2; see `run_command`."""
    run_command(new_parser('big2'), arguments)


def catch5(arguments: Sequence[str] | None = None) -> None:
    """Run a command of Catch Five; see `run_command`."""
    run_command(new_parser('catch5'), arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command of the game that the first argument names."""
    parser = argparse.ArgumentParser(prog='python -m rlcard_play', description='Play a game: see big2 --help.')
    parser.add_argument('game', choices=GAMES)
    parser.add_argument('command', nargs=argparse.REMAINDER, metavar='COMMAND ...')
    options = parser.parse_args(arguments)
    run_command(new_parser(options.game), options.command)


def new_parser(key: str) -> argparse.ArgumentParser:
    """Return the parser of a game's command line."""
    text = f'Play {GAMES[key].title}, replay games, get advice, see your score.'
    parser = argparse.ArgumentParser(prog=key, description=text)
    commands = parser.add_subparsers(dest='command', metavar='COMMAND', required=True)
    add_serve(commands, key, GAMES)
    COMMANDS[key](commands)
    return parser
