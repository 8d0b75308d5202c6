"""Commands of the terminal: options, files of games, and the start and end of sessions."""

import argparse
import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from rlcard_kit.errors import INTERRUPTED, KitError, check_whole, text_of
from rlcard_kit.files import user_path
from rlcard_kit.process import prepare_streams
from rlcard_kit.programs.serve import choose_by, serve
from rlcard_kit.rules import Rulebook, rules_note
from rlcard_kit.signals import handle, held_back
from rlcard_play.study.played import PlayedGame
from rlcard_play.study.protocols import GameRecord, Player
from rlcard_play.terminal.paths import games_file
from rlcard_play.terminal.session import LeftError, Session
from rlcard_play.terminal.style import Style

Commands = argparse._SubParsersAction  # the result of `add_subparsers`
Parser = argparse.ArgumentParser
Record = TypeVar('Record', bound=GameRecord)

MAX_SEED = (1 << 32) - 1


def run_command(parser: Parser, arguments: Sequence[str] | None) -> None:
    """Run the command of a parser; exit with 1 and a message if it fails, and with 130 after Ctrl-C."""
    prepare_streams()
    options = parser.parse_args(arguments)
    try:
        status = options.run(options)
        sys.stdout.flush()  # raises here if the pipe is closed
    except BrokenPipeError:  # the reader, such as `head`, has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except (KitError, OSError) as error:
        sys.exit(f'{parser.prog} {options.command}: {text_of(error)}')
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    sys.exit(status)


def add_command(commands: 'Commands[Parser]', name: str, grammar: str, help: str, description: str) -> Parser:
    """Add a command that takes names of agents, whose grammar its help ends with."""
    return commands.add_parser(
        name,
        help=help,
        description=description,
        epilog=f'Agents:{grammar}',
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_play_options(play: Parser, game: str, rules: str) -> None:
    """Add the options of `play` that every game has, given its key and the name of its default rules."""
    text = f'a preset, or a JSON object or file of rules; default: {rules}'
    play.add_argument('--rules', metavar='RULES', default=rules, help=text)
    play.add_argument('--seed', type=int, metavar='N', help='seed of the deals; default: random')
    keep = play.add_mutually_exclusive_group()
    file = f'file to append the games to; default: {games_file(game)}'
    keep.add_argument('--record', type=user_path, metavar='FILE', help=file)
    keep.add_argument('--no-record', action='store_true', help='do not record the games')
    play.add_argument('--strict', action='store_true', help='no advice and no take-backs during a game')


def add_agent(
    commands: 'Commands[Parser]', grammar: str, make_agent: Callable[[str], Any], state_of: Callable[[Any], Any]
) -> None:
    """Add the command `agent` of a game."""
    agent = add_command(
        commands,
        'agent',
        grammar,
        help='run an agent as a program for other servers',
        description='Answer questions of docs/own-program.md on standard input with moves on standard output.',
    )
    agent.add_argument('name', metavar='NAME', help='name of the agent')
    agent.set_defaults(run=lambda options: serve(choose_by(make_agent(options.name), state_of)))


def prepare_play(
    options: argparse.Namespace, game: PlayedGame, names: Sequence[str], rules: Rulebook
) -> tuple[Path | None, dict[str, Player]]:
    """Check the options of `play`; return the file for the games, or None, and the agents by name."""
    if options.seed is not None:
        check_whole('--seed', options.seed, 0, MAX_SEED)
    file = None if options.no_record else options.record or _new_games_file(game.key)
    if file is not None:
        game.records.write(file, [])  # fails here rather than after a game
    say('Starting; wait for the prompt.')
    np.random.seed(options.seed)  # random agents seed themselves from it
    agents = {name: game.make_agent(name, rules) for name in dict.fromkeys(names)}
    for name, agent in agents.items():
        if note := rules_note(name, getattr(agent, 'trained_on', None), rules):
            say(note)
    return file, agents


def _new_games_file(game: str) -> Path:
    """Return the file of the user's recorded games, in a folder that exists; OSError if it cannot be made."""
    file = games_file(game)
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def run_session(session: Session) -> int:
    """Run a session to its end; the game in progress is saved even if the terminal is closed."""
    handle(signal.default_int_handler)
    _discard_input()
    with suppress(LeftError):
        try:
            session.run()
        finally:
            with held_back():
                session.save()
    return 0


def say_all(lines: Iterable[str], style: Style) -> int:
    """Write lines in a style; return the status of success."""
    for line in lines:
        say(style.paint(style.fit(line)))
    return 0


def say(text: str) -> None:
    """Write a line at once."""
    sys.stdout.write(f'{text}\n')
    sys.stdout.flush()


def _discard_input() -> None:
    """Discard typing from before the first prompt."""
    if sys.stdin.isatty():
        import termios  # not on Windows

        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
