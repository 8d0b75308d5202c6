"""The commands of the terminal: play, look at recorded games, ask for advice, see how you did."""

import argparse
import signal
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from rlcard_big2 import records
from rlcard_big2.registry import GRAMMAR
from rlcard_big2.rules import Rules, find_rules
from rlcard_big2.search.analysis import MOST_DEALS
from rlcard_big2.study.advice import ADVISOR, DEALS, make_advisor, make_player
from rlcard_big2.study.analysis import advice_lines, choose_game, deep_lines, find_games, list_lines, replay_lines
from rlcard_big2.study.game import Table, seat_person, warm_up
from rlcard_big2.study.paths import games_file, new_games_file
from rlcard_big2.study.puzzles import find_puzzles, is_confirmed, shipped
from rlcard_big2.study.score import score_lines
from rlcard_big2.terminal.formatting import OTHERS, Style
from rlcard_big2.terminal.quiz import Quiz
from rlcard_big2.terminal.session import LeftError, Session
from rlcard_kit.errors import ConfigError, check_whole
from rlcard_kit.rules import rules_note

INTERRUPTED = 130
LARGEST_SEED = (1 << 32) - 1


def add_commands(commands: 'argparse._SubParsersAction[argparse.ArgumentParser]') -> None:
    """Add the commands of the terminal to a parser."""
    _add_play(commands)
    _add_analysis(commands)


def _add_play(commands: 'argparse._SubParsersAction[argparse.ArgumentParser]') -> None:
    play = commands.add_parser(
        'play',
        help='play against agents',
        description='Play against three agents.',
        epilog=f'Agents:{GRAMMAR}',
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    seats = 'one agent for all three seats, or the next, the one across and the previous'
    play.add_argument('--seats', nargs='+', metavar='NAME', default=[ADVISOR], help=seats)
    play.add_argument('--rules', metavar='RULES', default='charlesworth', help='a preset, or rules of your own')
    play.add_argument('--seed', type=_seed, metavar='N', help='of the deals, to play the same ones again')
    keep = play.add_mutually_exclusive_group()
    keep.add_argument('--record', type=Path, metavar='FILE', help=f'append the games to this file, not {games_file()}')
    keep.add_argument('--no-record', action='store_true', help='keep no games')
    play.add_argument('--strict', action='store_true', help='no advice during a game, and no move taken back')
    play.set_defaults(run=_play)


def _add_analysis(commands: 'argparse._SubParsersAction[argparse.ArgumentParser]') -> None:
    replay = commands.add_parser(
        'replay', help='read recorded games', description='Write a recorded game, with what its moves were worth.'
    )
    own = str(games_file())
    text = f'of records; JSON, and - for JSON on standard input, do too; by default {own}'
    replay.add_argument('games', metavar='FILE', nargs='?', default=own, help=text)
    advise = commands.add_parser(
        'advise', help='values of the moves of a position', description='Say what the moves of a position are worth.'
    )
    advise.add_argument('games', metavar='POSITION', help='JSON, - for JSON on standard input, or a file of records')
    advise.add_argument('--ply', type=int, metavar='N', help='take the position after N moves; by default, after all')
    replay.add_argument('--deep', type=int, metavar='N', help='play on from move N and from what else was possible')
    advise.add_argument('--deep', action='store_true', help='play on from the best moves; takes seconds')
    for command in (replay, advise):
        command.add_argument(
            '--deals', type=int, metavar='N', default=DEALS, help='of the hidden cards, to play on in with --deep'
        )
    score = commands.add_parser(
        'score',
        help='how you did, beside an agent on the same deals',
        description='Say how people did in recorded games, beside an agent in the same seats of the same deals.',
    )
    score.add_argument('games', metavar='FILE', nargs='?', default=own, help=f'of records; by default {own}')
    puzzle = commands.add_parser(
        'puzzle',
        help='find the best move',
        description='Ask for the best move in positions where somebody made a mistake.',
    )
    which = puzzle.add_mutually_exclusive_group()
    text = 'of records: puzzles, and games whose mistakes make puzzles; without one, those that come with the package'
    which.add_argument('games', metavar='FILE', nargs='?', help=text)
    which.add_argument('--own', action='store_const', dest='games', const=own, help=f'from your own games, {own}')
    puzzle.add_argument(
        '--write', type=Path, metavar='FILE', help='ask nothing: append those that a deep look confirms'
    )
    puzzle.add_argument('--seed', type=_seed, metavar='N', help='of the order, to be asked the same again')
    for command in (replay, advise):
        command.add_argument('--game', type=int, metavar='N', help='number of the game in the file, from 1 on')
    for command, run in ((replay, _replay), (advise, _advise), (score, _score), (puzzle, _puzzle)):
        command.add_argument('--agent', metavar='NAME', default=ADVISOR, help='whose values: big2-dmc or dmc:FOLDER')
        command.set_defaults(run=run)


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
    """Return the number of deals of a deep look; ConfigError if it is out of bounds."""
    check_whole('--deals', options.deals, 1, MOST_DEALS)
    return int(options.deals)


def _score(options: argparse.Namespace) -> int:
    np.random.seed(0)  # opponents that draw seed themselves from it
    style, advisor = Style.of(sys.stdout), make_advisor(options.agent, Rules())
    return _say_all(score_lines(find_games(options.games), advisor, style), style)


def _puzzle(options: argparse.Namespace) -> int:
    advisor = make_advisor(options.agent, Rules())
    puzzles = shipped() if options.games is None else list(find_puzzles(find_games(options.games), advisor))
    if not puzzles:
        raise ConfigError(f'no clear mistake was made in {options.games}')
    if options.write is not None:
        records.write(options.write, [])  # or the work would be lost
        confirmed = [puzzle for puzzle in puzzles if is_confirmed(puzzle, advisor)]
        records.write(options.write, confirmed)
        _say(f'{len(confirmed):,} of {len(puzzles):,} puzzles confirmed and appended to {options.write}')
        return 0
    order = np.random.RandomState(options.seed).permutation(len(puzzles))
    quiz = Quiz([puzzles[i] for i in order], advisor, Style.of(sys.stdout))
    try:
        quiz.run()
    except KeyboardInterrupt:
        _say('')
        quiz.tell()
        return INTERRUPTED
    return 0


def _say_all(lines: Iterable[str], style: Style) -> int:
    for line in lines:
        _say(style.paint(style.fit(line)))
    return 0


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) > LARGEST_SEED:
        raise argparse.ArgumentTypeError(f'{text!r} is not a whole number from 0 to {LARGEST_SEED:,}')
    return int(text)


def _play(options: argparse.Namespace) -> int:
    session = _seated(options)
    for number in (signal.SIGTERM, signal.SIGHUP):  # the terminal was closed: as Ctrl-C
        signal.signal(number, signal.default_int_handler)
    try:
        session.run()
    except LeftError:
        session.keep()
    except KeyboardInterrupt:
        session.keep()
        return INTERRUPTED
    return 0


def _seated(options: argparse.Namespace) -> Session:
    """Seat everybody, and have everything compiled before the first prompt."""
    names = options.seats * len(OTHERS) if len(options.seats) == 1 else options.seats
    if len(names) != len(OTHERS):
        raise ConfigError(f'{len(names)} seats: name one agent, or three: the next, the one across, the previous')
    rules = find_rules(options.rules)
    file = None if options.no_record else options.record or new_games_file()
    if file is not None:
        records.write(file, [])  # or a game would be lost
    _say('Getting ready; wait for the prompt.')
    np.random.seed(options.seed)  # agents that draw seed themselves from it
    agents = {name: make_player(name, rules) for name in dict.fromkeys(names)}
    table, advisor = seat_person(names, rules, options.seed, agents), make_advisor(ADVISOR, rules)
    _warn(table)
    warm_up([*(agents[name] for name in names), agents[names[0]]], rules)
    advisor.advise(table.state)
    _discard_input()
    return Session(table, advisor, Style.of(sys.stdout), file=file, strict=options.strict)


def _warn(table: Table) -> None:
    """Say which agents were not trained on the rules."""
    for name, agent in table.agents.items():
        note = rules_note(name, getattr(agent, 'trained_on', None), table.rules)
        if note:
            _say(note)


def _say(text: str) -> None:
    sys.stdout.write(f'{text}\n')
    sys.stdout.flush()


def _discard_input() -> None:
    """Forget what was typed so far, if a person types."""
    if not sys.stdin.isatty():
        return
    import termios  # here, since Windows has none

    termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
