"""The command `serve` of each game."""

import argparse
from collections.abc import Mapping

from rlcard_kit.errors import ConfigError
from rlcard_kit.files import user_path
from rlcard_play.study.played import PlayedGame

PORT = 8402
MAX_PORT = 65_535


def add_serve(
    commands: 'argparse._SubParsersAction[argparse.ArgumentParser]', game: str, games: Mapping[str, PlayedGame]
) -> None:
    """Add the command to a parser, given the games, and the key of the one that the printed address shows."""
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
    serve.set_defaults(run=lambda options: _serve(options, games), game=game)


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


def _serve(options: argparse.Namespace, games: Mapping[str, PlayedGame]) -> int:
    try:
        from rlcard_play.web.server import serve  # needs starlette and uvicorn
    except ModuleNotFoundError as error:
        raise ConfigError(f"{error.name} is not installed: pip install '.[play]'") from error
    serve(options, games)
