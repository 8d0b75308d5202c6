"""Terminal commands: play, replay, advise, score."""

import argparse
import signal
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from rlcard_big2 import records
from rlcard_big2.records import Record
from rlcard_big2.registry import GRAMMAR
from rlcard_big2.rules import Rules, find_rules
from rlcard_big2.search.analysis import MOST_DEALS
from rlcard_big2.study.advice import ADVISOR, DEALS, make_advisor, make_player
from rlcard_big2.study.game import seat_person, warm_up
from rlcard_big2.study.paths import games_file, new_games_file
from rlcard_big2.terminal.formatting import OTHERS, Style
from rlcard_big2.terminal.reports import advice_lines, deep_lines, list_lines, replay_lines, score_lines
from rlcard_big2.terminal.session import LeftError, Session
from rlcard_kit.errors import ConfigError, RecordError, check_whole
from rlcard_kit.rules import rules_note

MAX_SEED = (1 << 32) - 1
STDIN = '-'


def add_commands(commands: 'argparse._SubParsersAction[argparse.ArgumentParser]') -> None:
    """Add the terminal commands to a parser."""
    _add_play(commands)
    _add_reports(commands)
    puzzle = commands.add_parser('puzzle', prefix_chars='\0', add_help=False)  # takes any arguments
    puzzle.add_argument('arguments', nargs='*')
    puzzle.set_defaults(run=_puzzle)


def _add_play(commands: 'argparse._SubParsersAction[argparse.ArgumentParser]') -> None:
    play = commands.add_parser(
        'play',
        help='play against agents',
        description='Play against three agents.',
        epilog=f'Agents:{GRAMMAR}',
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    seats = 'one agent for all three seats, or three: next, across and previous'
    play.add_argument('--seats', nargs='+', metavar='NAME', default=[ADVISOR], help=seats)
    rules = 'a preset, or a JSON object or file of rules; default: charlesworth'
    play.add_argument('--rules', metavar='RULES', default='charlesworth', help=rules)
    play.add_argument('--seed', type=int, metavar='N', help='seed of the deals; default: random')
    keep = play.add_mutually_exclusive_group()
    file = f'file to append the games to; default: {games_file()}'
    keep.add_argument('--record', type=Path, metavar='FILE', help=file)
    keep.add_argument('--no-record', action='store_true', help='do not record the games')
    play.add_argument('--strict', action='store_true', help='no advice and no take-backs during a game')
    play.set_defaults(run=_play)


def _add_reports(commands: 'argparse._SubParsersAction[argparse.ArgumentParser]') -> None:
    own = str(games_file())
    replay = commands.add_parser(
        'replay', help='show recorded games', description='Show a recorded game with the values of its moves.'
    )
    text = f'file of records, a record as JSON, or - for JSON on standard input; default: {own}'
    replay.add_argument('games', metavar='FILE', nargs='?', default=own, help=text)
    replay.add_argument('--deep', type=int, metavar='N', help='compare move N with the best moves by rollouts')
    advise = commands.add_parser(
        'advise', help='show the values of the moves in a position', description='Show the value of each legal move.'
    )
    advise.add_argument('games', metavar='POSITION', help='JSON, - for JSON on standard input, or a file of records')
    advise.add_argument('--ply', type=int, metavar='N', help='use the position after N moves; default: the last one')
    advise.add_argument('--deep', action='store_true', help='estimate the best moves by rollouts; takes seconds')
    for command in (replay, advise):
        deals = f'sampled deals of the hidden cards for --deep; default: {DEALS}'
        command.add_argument('--deals', type=int, metavar='N', default=DEALS, help=deals)
        command.add_argument('--game', type=int, metavar='N', help='number of the game in the file, from 1')
    score = commands.add_parser(
        'score',
        help='compare your results with an agent on the same deals',
        description="Compare people's results with those of an agent in the same seats of the same deals.",
    )
    score.add_argument('games', metavar='FILE', nargs='?', default=own, help=f'file of records; default: {own}')
    for command, run in ((replay, _replay), (advise, _advise), (score, _score)):
        command.add_argument('--agent', metavar='NAME', default=ADVISOR, help='big2-dmc or dmc:FOLDER')
        command.set_defaults(run=run)


def find_games(text: str) -> list[Record]:
    """Read games or positions from JSON, a file of records, or '-' for JSON on standard input.

    Raises:
        RecordError: if a record is not valid, or there is none.
        OSError: if the file cannot be read.
    """
    if text == STDIN:
        text = sys.stdin.read().strip()
    elif not text.lstrip().startswith('{'):
        found = records.read(Path(text))
        if not found:
            raise RecordError(f'{text} has no games')
        return found
    return [records.parse(text)]


def choose_game(games: Sequence[Record], number: int | None) -> Record:
    """Return a game by its number, from 1; RecordError if there is no such game, or several and no number."""
    if number is None and len(games) > 1:
        raise RecordError(f'there are {len(games):,} games: choose one with --game')
    number = 1 if number is None else number
    if not 1 <= number <= len(games):
        raise RecordError(f'there is no game {number}: choose one from 1 to {len(games):,}')
    return games[number - 1]


def _replay(options: argparse.Namespace) -> int:
    games, style = find_games(options.games), Style.of(sys.stdout)
    if len(games) > 1 and options.game is None and options.deep is None:
        return _say_all(list_lines(games, style), style)
    game = choose_game(games, options.game)
    advisor = make_advisor(options.agent, game.rules)
    if options.deep is None:
        return _say_all(replay_lines(game, advisor, style), style)
    return _say_all(deep_lines(game, options.deep, advisor, style, _deals(options)), style)


def _advise(options: argparse.Namespace) -> int:
    game, style = choose_game(find_games(options.games), options.game), Style.of(sys.stdout)
    position = game if options.ply is None else game.at(options.ply)
    deals = _deals(options) if options.deep else 0
    return _say_all(advice_lines(position, make_advisor(options.agent, game.rules), style, deals), style)


def _deals(options: argparse.Namespace) -> int:
    check_whole('--deals', options.deals, 1, MOST_DEALS)
    return int(options.deals)


def _score(options: argparse.Namespace) -> int:
    np.random.seed(0)  # random agents seed themselves from it
    style, advisor = Style.of(sys.stdout), make_advisor(options.agent, Rules())
    return _say_all(score_lines(find_games(options.games), advisor, style), style)


def _puzzle(options: argparse.Namespace) -> int:
    raise ConfigError('puzzles have moved to the page: run big2 serve')


def _say_all(lines: Iterable[str], style: Style) -> int:
    for line in lines:
        _say(style.paint(style.fit(line)))
    return 0


def _play(options: argparse.Namespace) -> int:
    session = _new_session(options)
    for number in (signal.SIGTERM, signal.SIGHUP):  # the terminal was closed: as Ctrl-C
        signal.signal(number, signal.default_int_handler)
    try:
        session.run()
    except LeftError:
        session.save()
    except KeyboardInterrupt:
        session.save()
        raise
    return 0


def _new_session(options: argparse.Namespace) -> Session:
    """Make the agents, and compile all kernels before the first prompt."""
    names = options.seats * len(OTHERS) if len(options.seats) == 1 else options.seats
    if len(names) != len(OTHERS):
        raise ConfigError(f'--seats has {len(names)} names: give one, or three: next, across and previous')
    if options.seed is not None:
        check_whole('--seed', options.seed, 0, MAX_SEED)
    rules = find_rules(options.rules)
    file = None if options.no_record else options.record or new_games_file()
    if file is not None:
        records.write(file, [])  # fails here rather than after a game
    _say('Starting; wait for the prompt.')
    np.random.seed(options.seed)  # random agents seed themselves from it
    agents = {name: make_player(name, rules) for name in dict.fromkeys(names)}
    game, advisor = seat_person(names, rules, options.seed, agents), make_advisor(ADVISOR, rules)
    for name, agent in agents.items():
        if note := rules_note(name, getattr(agent, 'trained_on', None), rules):
            _say(note)
    warm_up([*(agents[name] for name in names), agents[names[0]]], rules)
    advisor.advise(game.state)
    _discard_input()
    return Session(game, advisor, Style.of(sys.stdout), file=file, strict=options.strict)


def _say(text: str) -> None:
    sys.stdout.write(f'{text}\n')
    sys.stdout.flush()


def _discard_input() -> None:
    """Discard typing from before the first prompt."""
    if sys.stdin.isatty():
        import termios  # not on Windows

        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
