"""Command lines of the games: play in a browser or terminal, replay games, get advice, see your score."""

import argparse
from collections.abc import Sequence
from typing import Any

from rlcard_kit.errors import ConfigError, installing
from rlcard_kit.files import user_path
from rlcard_kit.version import __version__
from rlcard_play.big2.terminal import cli as big2_commands
from rlcard_play.catch5.terminal import cli as catch5_commands
from rlcard_play.games import GAMES
from rlcard_play.terminal.commands import Commands, Parser, run_command

COMMANDS = {'big2': big2_commands.add_commands, 'catch5': catch5_commands.add_commands}
PORT = 8402
MAX_PORT = 65_535


def big2(arguments: Sequence[str] | None = None) -> None:
    """Run a command of Big 2; see `run_command`."""
    run_command(add_commands(Parser(**_about('big2')), 'big2'), arguments)


def catch5(arguments: Sequence[str] | None = None) -> None:
    """Run a command of Catch Five; see `run_command`."""
    run_command(add_commands(Parser(**_about('catch5')), 'catch5'), arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command of the game that the first argument names."""
    parser = Parser(prog='python -m rlcard_play', description='Play a game.')
    games = parser.add_subparsers(dest='game', metavar='GAME', required=True)
    for key in GAMES:
        add_commands(games.add_parser(key, **_about(key)), key)
    run_command(parser, arguments)


def add_commands(parser: Parser, key: str) -> Parser:
    """Add the commands of a game to a parser, and return it."""
    parser.add_argument('--version', action='version', version=f'{key} {__version__}')
    commands = parser.add_subparsers(dest='command', metavar='COMMAND', required=True)
    _add_serve(commands, key)
    COMMANDS[key](commands)
    return parser


def _about(key: str) -> dict[str, Any]:
    return {'prog': key, 'description': f'Play {GAMES[key].title}, replay games, get advice, see your score.'}


def _add_serve(commands: 'Commands[Parser]', game: str) -> None:
    """Add the command `serve`, given the key of the game that the printed address shows."""
    serve = commands.add_parser(
        'serve',
        help='play in a browser',
        description='Serve a page to play on, and print its address. Stop with Ctrl-C.',
    )
    serve.add_argument(
        '--host', default='127.0.0.1', help='address to listen on; default: 127.0.0.1; others need --allow-host'
    )
    serve.add_argument(
        '--port', type=_port, metavar='N', default=PORT, help=f'port; default: {PORT}; 0 takes a free one'
    )
    serve.add_argument('--no-browser', action='store_true', help='do not open a browser')
    serve.add_argument(
        '--data', type=user_path, metavar='DIR', help="folder of tables and games; default: the user's data folder"
    )
    allow = 'host name or address by which others reach this machine; with --host'
    serve.add_argument('--allow-host', action='append', metavar='NAME', default=[], help=allow)
    public = 'address at which a proxy that ends TLS shows the page, such as https://cards.example.org/big2'
    serve.add_argument('--public', metavar='URL', help=public)
    agent = f'make another agent available, as in `{game} play`; repeatable'
    serve.add_argument('--agent', action='append', metavar='NAME', default=[], help=agent)
    delay = "delay before an agent's move; default: 0.8"
    serve.add_argument('--delay', type=_seconds, metavar='SECONDS', default=0.8, help=delay)
    away = 'inactivity after which an agent stands in for a person, if others are waiting; default: 60'
    serve.add_argument('--away', type=_seconds, metavar='SECONDS', default=60.0, help=away)
    serve.set_defaults(run=_serve, game=game)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > MAX_PORT:
        raise argparse.ArgumentTypeError(f'{text!r} is not a port: choose a whole number from 0 to {MAX_PORT:,}')
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 86_400:
        raise argparse.ArgumentTypeError(f'{text!r} is not a number of seconds from 0 to 86,400')
    return seconds


def _serve(options: argparse.Namespace) -> int:
    try:
        from rlcard_play.web.server import serve  # needs starlette and uvicorn
    except ModuleNotFoundError as error:
        raise ConfigError(f'{error.name} is not installed: {installing("play")}') from error
    serve(options, GAMES)
