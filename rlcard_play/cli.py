"""Command lines of the games: play in a browser or terminal, replay games, get advice, see your score."""

import argparse
from collections.abc import Sequence
from typing import Any

from rlcard_play.big2.terminal import cli as big2_commands
from rlcard_play.catch5.terminal import cli as catch5_commands
from rlcard_play.games import GAMES
from rlcard_play.terminal.commands import run_command
from rlcard_play.web.cli import add_serve

COMMANDS = {'big2': big2_commands.add_commands, 'catch5': catch5_commands.add_commands}


def big2(arguments: Sequence[str] | None = None) -> None:
    """Run a command of Big 2; see `run_command`."""
    run_command(add_commands(argparse.ArgumentParser(**_about('big2')), 'big2'), arguments)


def catch5(arguments: Sequence[str] | None = None) -> None:
    """Run a command of Catch Five; see `run_command`."""
    run_command(add_commands(argparse.ArgumentParser(**_about('catch5')), 'catch5'), arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command of the game that the first argument names."""
    parser = argparse.ArgumentParser(prog='python -m rlcard_play', description='Play a game.')
    games = parser.add_subparsers(dest='game', metavar='GAME', required=True)
    for key in GAMES:
        add_commands(games.add_parser(key, **_about(key)), key)
    run_command(parser, arguments)


def add_commands(parser: argparse.ArgumentParser, key: str) -> argparse.ArgumentParser:
    """Add the commands of a game to a parser, and return it."""
    commands = parser.add_subparsers(dest='command', metavar='COMMAND', required=True)
    add_serve(commands, key, GAMES)
    COMMANDS[key](commands)
    return parser


def _about(key: str) -> dict[str, Any]:
    return {'prog': key, 'description': f'Play {GAMES[key].title}, replay games, get advice, see your score.'}
