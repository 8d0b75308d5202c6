"""Command line of Big 2: play in a browser or terminal, replay games, get advice, see your score."""

import argparse
import os
import sys
from collections.abc import Sequence

from rlcard_big2.terminal.cli import add_commands
from rlcard_big2.web.cli import add_serve
from rlcard_kit.errors import INTERRUPTED, KitError, text_of
from rlcard_kit.streams import prepare_streams


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; exit with 1 and a message if it fails, and with 130 after Ctrl-C."""
    prepare_streams()
    options = new_parser().parse_args(arguments)
    try:
        status = options.run(options)
        sys.stdout.flush()  # raises here if the pipe is closed
    except BrokenPipeError:  # the reader, such as `head`, has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except (KitError, OSError) as error:
        sys.exit(f'big2 {options.command}: {text_of(error)}')
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    sys.exit(status)


def new_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog='big2', description='Play Big 2, replay games, get advice, see your score.')
    commands = parser.add_subparsers(dest='command', metavar='COMMAND', required=True)
    add_serve(commands)
    add_commands(commands)
    return parser
