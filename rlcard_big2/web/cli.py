"""The command that serves: `big2 serve`."""

import argparse
from pathlib import Path

from rlcard_big2.study.paths import data_folder
from rlcard_kit.errors import ConfigError

PORT = 8402
AGENTS = ('rule', 'greedy', 'random')  # that may be seated without being named, beside the advisor
LARGEST_PORT = 65_535


def add_serve(commands: 'argparse._SubParsersAction[argparse.ArgumentParser]') -> None:
    """Add the command to a parser."""
    serve = commands.add_parser(
        'serve',
        help='play in a browser',
        description='Serve a page to play on; the address is printed. Ctrl-C ends it.',
    )
    serve.add_argument('--host', default='127.0.0.1', help='address to listen on; another needs --allow-host')
    serve.add_argument('--port', type=_port, metavar='N', default=PORT, help=f'{PORT} by default; 0 takes a free one')
    serve.add_argument('--no-browser', action='store_true', help='open no browser; none is opened from a script either')
    serve.add_argument('--data', type=Path, metavar='DIR', help="for tables and games; by default in the user's data")
    allow = 'a name or address by which others reach this machine; with --host'
    serve.add_argument('--allow-host', action='append', metavar='NAME', default=[], help=allow)
    agent = 'an agent that may be seated too, as in `big2 play`; may be given again'
    serve.add_argument('--agent', action='append', metavar='NAME', default=[], help=agent)
    delay = "before an agent's move, 0.8 by default"
    serve.add_argument('--delay', type=_seconds, metavar='SECONDS', default=0.8, help=delay)
    away = 'without a sign of a person, after which an agent stands in, if somebody else is there; 60 by default'
    serve.add_argument('--away', type=_seconds, metavar='SECONDS', default=60.0, help=away)
    serve.set_defaults(run=_serve)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > LARGEST_PORT:
        raise argparse.ArgumentTypeError(f'{text!r} is not a port: choose a whole number from 0 to {LARGEST_PORT:,}')
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
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise ConfigError(f"it needs {error.name}, which is not installed: pip install 'rlcard-big2[play]'") from error
    from rlcard_big2.web.server import Settings, serve  # here, since it imports them

    data = options.data or data_folder()
    return serve(
        Settings(
            host=options.host,
            port=options.port,
            data=data.expanduser(),
            hosts=tuple(options.allow_host),
            agents=(*AGENTS, *options.agent),
            delay=options.delay,
            away=options.away,
            browse=not options.no_browser,
        )
    )
