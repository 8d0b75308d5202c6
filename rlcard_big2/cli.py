"""Command line of Big 2: play in a browser or terminal, replay games, get advice, see your score."""

import argparse
from collections.abc import Sequence

from rlcard_big2.terminal.cli import add_commands
from rlcard_kit.terminal.commands import run_command
from rlcard_kit.web.cli import add_serve


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; exit with 1 and a message if it fails, and with 130 after Ctrl-C."""
    run_command(new_parser(), arguments)


def new_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog='big2', description='Play Big 2, replay games, get advice, see your score.')
    commands = parser.add_subparsers(dest='command', metavar='COMMAND', required=True)
    add_serve(commands, 'big2')
    add_commands(commands)
    return parser
