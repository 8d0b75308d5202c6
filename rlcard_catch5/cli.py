"""Command line of Catch Five: play in a browser or terminal, replay games, get advice, see your score."""

import argparse
from collections.abc import Sequence

from rlcard_catch5.terminal.cli import add_commands
from rlcard_kit.terminal.commands import run_command
from rlcard_kit.web.cli import add_serve


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; see `run_command`."""
    text = 'Play Catch Five, replay games, get advice, see your score.'
    parser = argparse.ArgumentParser(prog='catch5', description=text)
    commands = parser.add_subparsers(dest='command', metavar='COMMAND', required=True)
    add_serve(commands, 'catch5')
    add_commands(commands)
    run_command(parser, arguments)
