"""Big 2: play in a browser or in the terminal, look at recorded games, ask for advice, see how you did."""

import argparse
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from rlcard_big2.terminal.cli import INTERRUPTED, add_commands
from rlcard_big2.web.cli import add_serve
from rlcard_kit.errors import KitError, text_of


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; exit with 1 and a message if that fails, with 130 after Ctrl-C."""
    options = new_parser().parse_args(arguments)
    for stream in (sys.stdin, sys.stdout):  # what cannot be read or shown is a question mark
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors='replace')
    try:
        status = options.run(options)
        sys.stdout.flush()  # here, where a closed pipe is known
    except BrokenPipeError:  # whoever read this has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except (KitError, OSError) as error:
        sys.exit(f'big2 {options.command}: {text_of(error)}')
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    sys.exit(status)


def new_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog='big2', description=__doc__)
    commands = parser.add_subparsers(dest='command', metavar='COMMAND', required=True)
    add_serve(commands)
    add_commands(commands)
    return parser
