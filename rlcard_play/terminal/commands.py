"""Commands of the terminal: options, files of games, and the start and end of sessions."""

import argparse
import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from typing_extensions import override

from rlcard_kit.errors import KitError, RecordError, check_whole, text_of
from rlcard_kit.files import user_path
from rlcard_kit.process import prepare_streams
from rlcard_kit.programs.serve import serve
from rlcard_kit.rules import Rulebook, rules_note
from rlcard_kit.signals import handle, held_back
from rlcard_play.study.played import MAX_SEED, PlayedGame
from rlcard_play.study.seated_game import choose_move, seats_of, warm_up
from rlcard_play.terminal.session import LeftError, Session
from rlcard_play.terminal.style import Style

Commands = argparse._SubParsersAction  # the result of `add_subparsers`


class Parser(argparse.ArgumentParser):
    """A parser that reports unknown arguments of its command itself, with the usage of that command, and guesses."""

    @override
    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            guess = _guess(unknown[0].partition('=')[0], self._option_string_actions)
            self.error(f'unrecognized arguments: {" ".join(unknown)}{guess}')
        return options, unknown

    @override
    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            error.message += _guess(str(value), map(str, action.choices or ()))
            raise


def _guess(word: str, known: Iterable[str]) -> str:
    near = get_close_matches(word, list(known), 1)
    return f': did you mean {near[0]}?' if near else ''


def run_command(parser: Parser, arguments: Sequence[str] | None) -> None:
    """Run the command of a parser.

    Exit with 1 and a message if it fails, and with 128 plus the number of the signal that ends it, such as 130 after
    Ctrl-C.
    """
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
    except EOFError:  # no answer to the first question
        sys.exit(0)
    except KeyboardInterrupt as end:
        sys.exit(status_of(end))
    sys.exit(status)


def interrupt(number: int, frame: object = None) -> NoReturn:
    """Handle a signal: raise KeyboardInterrupt with its number."""
    raise KeyboardInterrupt(number)


def status_of(end: KeyboardInterrupt) -> int:
    """Return the exit status after a signal, Ctrl-C if `end` has no number."""
    return 128 + (end.args[0] if end.args and isinstance(end.args[0], int) else signal.SIGINT)


def add_command(commands: 'Commands[Parser]', name: str, grammar: str, help: str, description: str) -> Parser:
    """Add a command that takes names of agents, whose grammar its help ends with."""
    return commands.add_parser(
        name,
        help=help,
        description=description,
        epilog=f'Agents:{grammar}',
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_play(
    commands: 'Commands[Parser]', game: PlayedGame, grammar: str, about: str, rules: str, run: Callable[..., int]
) -> Parser:
    """Add the command `play`, with default rules of a name and the options that every game has; return its parser."""
    play = add_command(commands, 'play', grammar, about, f'{about.capitalize()}.')
    play.set_defaults(run=run)
    text = f'a preset, or a JSON object or file of rules; default: {rules}'
    play.add_argument('--rules', metavar='RULES', default=rules, help=text)
    play.add_argument('--seed', type=int, metavar='N', help='seed of the deals; default: random')
    keep = play.add_mutually_exclusive_group()
    file = f'file to append the games to; default: {game.games_file()}'
    keep.add_argument('--record', type=user_path, metavar='FILE', help=file)
    keep.add_argument('--no-record', action='store_true', help='do not record the games')
    play.add_argument('--strict', action='store_true', help='no advice and no take-backs during a game')
    return play


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

    def run(options: argparse.Namespace) -> int:
        chosen = make_agent(options.name)
        return serve(lambda question: choose_move(chosen, state_of(question)))

    agent.set_defaults(run=run)


def new_session(
    kind: type[Session], options: argparse.Namespace, names: Sequence[str], rules: Rulebook, **more: Any
) -> Session:
    """Make a session of `play` with agents of some names, and compile its kernels before the first prompt.

    Unless there is a seed, a game that was left in the middle may go on, with its own agents and rules.

    Args:
        kind: of the session.
        options: of the command.
        names: of the agents, from the seat after the person's on.
        rules: of the game.
        more: arguments of the seated game.
    """
    game, file = kind.BOARD.game, options.record
    if options.seed is not None:
        check_whole('--seed', options.seed, 0, MAX_SEED)
    if file is None and not options.no_record:
        file = game.games_file()
        file.parent.mkdir(parents=True, exist_ok=True)
    if file is not None:
        game.records.write(file, [])  # fails here rather than after a game
    left = None if file is None or options.seed is not None else unfinished(game, file)
    if left is not None and _wants_to_go_on(left):
        names, rules = [str(seat['name']) for seat in left.seats[1:]], left.rules
    else:
        left = None
    style = Style.of(sys.stdout)
    say_all(kind.BOARD.introduction(rules, names, style), style)
    say(' Starting; wait for the prompt.')
    np.random.seed(options.seed)  # random agents seed themselves from it
    agents = {name: game.make_agent(name, rules) for name in dict.fromkeys(names)}
    for name, agent in agents.items():
        if note := rules_note(name, getattr(agent, 'trained_on', None), rules):
            say(note)
    seated = game.seated(seats_of(names), rules, options.seed, agents, **more)
    if left is not None:
        seated.resume(left)
    advisor = game.make_advisor(game.advisor, rules)
    warm_up(game.key, [agents[name] for name in (*names, names[0])], rules)
    advisor.advise(seated.state)
    return kind(seated, advisor, style, file=file, strict=options.strict)


def unfinished(game: PlayedGame, file: Path) -> Any:
    """Return the record that ends a file, if a person in seat 0 left that game to agents; else None."""
    with suppress(RecordError, IndexError):  # what cannot be read is no game to go on with
        record = game.records.parse(file.read_bytes().splitlines()[-1])
        is_known = game.deal_key(game.records.to_dict(record)) != ''
        kinds = [seat.get('kind') for seat in record.seats or ()]
        if is_known and record.payoffs is None and kinds == ['person', *['agent'] * (record.rules.players - 1)]:
            return record
    return None


def _wants_to_go_on(record: Any) -> bool:
    question = f'Go on with the game that you left after {len(record.moves)} moves? (y/n) '
    while (answer := input(question).strip().lower()) not in ('', 'y', 'yes', 'n', 'no'):
        say(' Enter y or n.')
    return answer not in ('n', 'no')


def run_session(session: Session) -> int:
    """Run a session to its end; the game in progress is saved even if the terminal is closed."""
    handle(interrupt)
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
