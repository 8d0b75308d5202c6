"""Commands of the terminal: options, files of games, and the start and end of sessions."""

import argparse
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from rlcard_kit.errors import INTERRUPTED, KitError, RecordError, check_whole, text_of
from rlcard_kit.process import prepare_streams
from rlcard_kit.programs.serve import choose_by, serve
from rlcard_kit.records import Format
from rlcard_kit.rules import rules_note
from rlcard_play.terminal.grades import MOST_SECONDS, SECONDS
from rlcard_play.terminal.paths import games_file
from rlcard_play.terminal.session import LeftError, Session
from rlcard_play.terminal.style import Style

Commands = argparse._SubParsersAction  # the result of `add_subparsers`
Parser = argparse.ArgumentParser
Record = TypeVar('Record')

MAX_SEED = (1 << 32) - 1
STDIN = '-'


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
    keep.add_argument('--record', type=Path, metavar='FILE', help=file)
    keep.add_argument('--no-record', action='store_true', help='do not record the games')
    play.add_argument('--strict', action='store_true', help='no advice and no take-backs during a game')


def add_reports(commands: 'Commands[Parser]', game: str) -> tuple[Parser, Parser, Parser]:
    """Add the commands `replay`, `advise` and `score` of a game; return their parsers."""
    own = str(games_file(game))
    replay = commands.add_parser(
        'replay', help='show recorded games', description='Show a recorded game with the values of its moves.'
    )
    text = f'file of records, a record as JSON, or - for JSON on standard input; default: {own}'
    replay.add_argument('games', metavar='FILE', nargs='?', default=own, help=text)
    text = f'time for the rollouts that confirm grades, the worst first; default: {SECONDS}'
    replay.add_argument('--seconds', type=int, metavar='S', default=SECONDS, help=text)
    advise = commands.add_parser(
        'advise', help='show the values of the moves in a position', description='Show the value of each legal move.'
    )
    advise.add_argument('games', metavar='POSITION', help='JSON, - for JSON on standard input, or a file of records')
    advise.add_argument('--ply', type=int, metavar='N', help='use the position after N moves; default: the last one')
    for command in (replay, advise):
        command.add_argument('--game', type=int, metavar='N', help='number of the game in the file, from 1')
    score = commands.add_parser(
        'score',
        help='compare your results with an agent on the same deals',
        description="Compare people's results with those of an agent in the same seats of the same deals.",
    )
    score.add_argument('games', metavar='FILE', nargs='?', default=own, help=f'file of records; default: {own}')
    return replay, advise, score


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


def read_games(text: str, form: Format[Record]) -> list[Record]:
    """Read games or positions from JSON, a file of records, or '-' for JSON on standard input.

    Raises:
        RecordError: if a record is not valid, or there is none.
        OSError: if the file cannot be read.
    """
    if text == STDIN:
        text = sys.stdin.read().strip()
    elif not text.lstrip().startswith('{'):
        found = form.read(Path(text))
        if not found:
            raise RecordError(f'{text} has no games')
        return found
    return [form.parse(text)]


def choose_game(games: Sequence[Record], number: int | None) -> Record:
    """Return a game by its number, from 1; RecordError if there is no such game, or several and no number."""
    if number is None and len(games) > 1:
        raise RecordError(f'there are {len(games):,} games: choose one with --game')
    number = 1 if number is None else number
    if not 1 <= number <= len(games):
        raise RecordError(f'there is no game {number}: choose one from 1 to {len(games):,}')
    return games[number - 1]


def seconds_of(options: argparse.Namespace) -> int:
    """Return the time for the rollouts of `replay`; ConfigError if it is out of bounds."""
    check_whole('--seconds', options.seconds, 0, MOST_SECONDS)
    return int(options.seconds)


def seat_names(record: Any) -> list[str]:
    """Return labels of the seats of a record."""
    seats: Sequence[dict[str, Any]] = record.seats or ({},) * record.rules.players
    return [f'[{seat}] {known["name"]}' if known.get('name') else f'seat {seat}' for seat, known in enumerate(seats)]


def list_lines(games: Sequence[Any], style: Style, end_of: Callable[[Any], list[str]]) -> Iterator[str]:
    """List the games of records, one a line: rules, players with payoffs, and how it ended, by `end_of`."""
    for number, game in enumerate(games, 1):
        payoffs = game.payoffs or (None,) * game.rules.players
        seats = [
            name if payoff is None else f'{name} {payoff:+d}'
            for name, payoff in zip(seat_names(game), payoffs, strict=True)
        ]
        yield style.line(f' #{number} ', [game.rules.title, *seats, *end_of(game)])


def prepare_play(
    options: argparse.Namespace,
    form: Format[Any],
    names: Sequence[str],
    rules: Any,
    make_player: Callable[[str, Any], Any],
) -> tuple[Path | None, dict[str, Any]]:
    """Check the options of `play`; return the file for the games, or None, and the agents by name."""
    if options.seed is not None:
        check_whole('--seed', options.seed, 0, MAX_SEED)
    file = None if options.no_record else options.record or _new_games_file(form.key)
    if file is not None:
        form.write(file, [])  # fails here rather than after a game
    say('Starting; wait for the prompt.')
    np.random.seed(options.seed)  # random agents seed themselves from it
    agents = {name: make_player(name, rules) for name in dict.fromkeys(names)}
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
    for number in (signal.SIGTERM, signal.SIGHUP):  # as Ctrl-C
        signal.signal(number, signal.default_int_handler)
    _discard_input()
    try:
        session.run()
    except LeftError:
        session.save()
    except KeyboardInterrupt:
        session.save()
        raise
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
