"""The terminal commands `replay`, `advise`, `score` and `puzzle`: recorded games and positions."""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from typing import Any

import numpy as np

from rlcard_kit.errors import RecordError, check_whole
from rlcard_kit.files import user_path
from rlcard_kit.records import Format
from rlcard_play.study.protocols import Advisor, GameRecord, Record, State
from rlcard_play.study.puzzles import DIFFICULTIES, choose_puzzles, read_puzzles
from rlcard_play.study.review import LISTED
from rlcard_play.study.score import Judge, Summary
from rlcard_play.terminal.board import QUIT, SECONDS, Board
from rlcard_play.terminal.commands import Commands, Parser, say, say_all
from rlcard_play.terminal.style import Style

STDIN = '-'
MOST_SECONDS = 3600


def add_reports(commands: 'Commands[Parser]', board: Board, agents: str, deep: str) -> tuple[Parser, Parser]:
    """Add the commands; return the parsers of `replay` and `advise`.

    Args:
        commands: of the parser.
        board: of the game.
        agents: help of `--agent`.
        deep: help of `advise --deep`.
    """
    file = str(board.game.games_file())
    replay = commands.add_parser(
        'replay', help='show recorded games', description='Show a recorded game with the values of its moves.'
    )
    text = f'file of records, a record as JSON, or - for JSON on standard input; default: {file}'
    replay.add_argument('games', metavar='FILE', nargs='?', default=file, help=text)
    text = f'processor time for rollouts that confirm grades, the worst first; default: {SECONDS}'
    replay.add_argument('--seconds', type=int, metavar='S', default=SECONDS, help=text)
    advise = commands.add_parser(
        'advise', help='show the values of the moves in a position', description='Show the value of each legal move.'
    )
    advise.add_argument('games', metavar='POSITION', help='JSON, - for JSON on standard input, or a file of records')
    advise.add_argument('--ply', type=int, metavar='N', help='use the position after N moves; default: the last one')
    for command in (replay, advise):
        command.add_argument('--game', type=int, metavar='N', help='number of the game in the file, from 1')
    advise.add_argument('--deep', action='store_true', help=deep)
    score = commands.add_parser(
        'score',
        help='compare your results with an agent on the same deals',
        description="Compare people's results with those of an agent in the same seats of the same deals.",
    )
    score.add_argument('games', metavar='FILE', nargs='?', default=file, help=f'file of records; default: {file}')
    for command, run in ((replay, run_replay), (advise, run_advise), (score, _run_score)):
        command.add_argument('--agent', metavar='NAME', default=board.game.advisor, help=agents)
        command.set_defaults(run=partial(run, board))
    text = 'Find the best move in positions that rollouts confirm.'
    puzzle = commands.add_parser('puzzle', help='find the best moves', description=text)
    puzzle.add_argument('--theme', metavar='NAME', help='a theme of the puzzles; a wrong name lists them')
    puzzle.add_argument('--difficulty', metavar='NAME', help=f'{", ".join(DIFFICULTIES)}; default: all')
    puzzle.add_argument('--seed', type=int, metavar='N', help='seed of their order; default: random')
    puzzle.set_defaults(run=partial(_run_puzzle, board))
    return replay, advise


def run_replay(board: Board, options: argparse.Namespace) -> int:
    """Show a game, or list the games of a file of several."""
    games, style = read_games(options.games, board.game.records), Style.of(sys.stdout)
    if len(games) > 1 and options.game is None:
        return say_all(list_lines(games, style, board.ending), style)
    game = choose_game(games, options.game)
    advisor = board.game.make_advisor(options.agent, game.rules)
    check_whole('--seconds', options.seconds, 0, MOST_SECONDS)
    return say_all(replay_lines(board, game, advisor, style, options.seconds), style)


def run_advise(board: Board, options: argparse.Namespace) -> int:
    """Show the values of the moves of a position, or rollouts of them."""
    game, style = choose_game(read_games(options.games, board.game.records), options.game), Style.of(sys.stdout)
    position = game if options.ply is None else game.at(options.ply)
    advisor: Any = board.game.make_advisor(options.agent, game.rules)
    look = partial(advisor.look, deals=options.deals) if options.deep else None
    return say_all(advice_lines(board, position, advisor, style, look), style)


def _run_score(board: Board, options: argparse.Namespace) -> int:
    np.random.seed(0)  # random agents seed themselves from it
    game, style = board.game, Style.of(sys.stdout)
    judge = game.judge(game.make_advisor(options.agent, game.rules.preset(game.default_rules)))
    return say_all(score_lines(read_games(options.games, game.records), judge, style), style)


def read_games(text: str, form: Format[Record]) -> list[Record]:
    """Read games or positions from JSON, a file of records, or '-' for JSON on standard input.

    Raises:
        RecordError: if a record is not valid, or there is none.
        OSError: if the file cannot be read.
    """
    if text == STDIN:
        text = sys.stdin.read().strip()
    elif not text.lstrip().startswith('{'):
        games = form.read(user_path(text))
        if not games:
            raise RecordError(f'{text} has no games')
        return games
    return [form.parse(text)]


def choose_game(games: Sequence[Record], number: int | None) -> Record:
    """Return a game by its number, from 1; RecordError if there is no such game, or several and no number."""
    if number is None and len(games) > 1:
        raise RecordError(f'there are {len(games):,} games: choose one with --game')
    number = 1 if number is None else number
    if not 1 <= number <= len(games):
        raise RecordError(f'there is no game {number}: choose one from 1 to {len(games):,}')
    return games[number - 1]


def seat_names(record: GameRecord) -> list[str]:
    """Return labels of the seats of a record."""
    seats = record.seats or ({},) * record.rules.players
    return [f'[{seat}] {known["name"]}' if known.get('name') else f'seat {seat}' for seat, known in enumerate(seats)]


def list_lines(games: Sequence[Any], style: Style, ending: Callable[[Any], Sequence[str]]) -> Iterator[str]:
    """List the games of records, one a line: rules, players with payoffs, and how it ended."""
    for number, game in enumerate(games, 1):
        payoffs = game.payoffs or (None,) * game.rules.players
        seats = [
            name if payoff is None else f'{name} {payoff:+d}'
            for name, payoff in zip(seat_names(game), payoffs, strict=True)
        ]
        yield style.line(f' #{number} ', [game.rules.title, *seats, *ending(game)])


def replay_lines(board: Board, record: Any, advisor: Any, style: Style, seconds: float = SECONDS) -> Iterator[str]:
    """Write a game: hands, moves with their values, payoffs, and the worst mistakes, confirmed within some seconds."""
    names, reviewed = seat_names(record), list(board.game.review(record, advisor))
    graded = board.game.graded(reviewed)
    checked = board.confirm(advisor, record, graded, seconds)
    yield f' rules {record.rules.title}'
    yield from board.moves(record, names, {choice.ply: choice for choice in reviewed}, checked, style)
    yield ''
    if record.payoffs is not None:
        payoffs = [f'{name} {payoff:+d}' for name, payoff in zip(names, record.payoffs, strict=True)]
        yield style.line(f' {board.payoffs}: ', payoffs)
    yield from board.checked_lines(checked, seconds)
    listed = [choice for choice in graded if choice.ply in checked.confirmed][:LISTED]
    if listed:
        yield f' {board.mistakes.format("the network").capitalize()}:'
    for choice in listed:
        yield f' {names[choice.seat]}'
        yield board.review(choice, style)


def advice_lines(
    board: Board, record: GameRecord, advisor: Any, style: Style, look: Callable[[State], Any] | None = None
) -> Iterator[str]:
    """Write the last position of a record as seen by the seat to move, and the value of each of its moves.

    The values are the advisor's, or those of the rollouts that `look` returns for a state.
    """
    state = board.game.open_position(record)
    legal = state['raw_legal_actions']
    yield from board.position(record, state, style)
    if look is not None:
        yield from board.rollouts(look(state), legal, style)
    else:
        yield from board.values(advisor, advisor.advise(state), legal, style)
    yield from board.caveats(record, advisor.name)


def score_lines(games: Sequence[Any], judge: Judge[Any], style: Style) -> Iterator[str]:
    """Write scores, one group of lines for each set of conditions."""
    summaries = judge.summaries(games)
    for group in summaries:
        yield from _group_lines(group, judge, style)
    skipped = len(games) - sum(group.games for group in summaries)
    if skipped:
        yield f' {skipped:,} records not counted: unfinished, without exactly one person, or of a deal played before.'


def _group_lines(group: Summary, judge: Judge[Any], style: Style) -> Iterator[str]:
    rules, others, aided = group.conditions
    yield f' {rules.title}, {judge.against(others)}, with{"" if aided else "out"} help'
    figures = {
        'games won': f'{group.won:,} of {group.games:,}',
        judge.unit: f'{group.payoff:+.2f}',
        f'{judge.advisor.name}, same seat and deals': f'{group.agent:+.2f}',
        'difference': f'{group.difference:+.2f}',
    }
    further = {'without the luck of the cards': group.less_luck, 'lost per game by mistakes': group.given_away}
    figures |= {name: f'{figure:+.2f}' for name, figure in further.items() if figure is not None}
    for name, figure in figures.items():
        yield style.line('   ', [f'{name}:', figure], ' ')


def _run_puzzle(board: Board, options: argparse.Namespace) -> int:
    """Ask puzzles until the person quits."""
    style, game = Style.of(sys.stdout), board.game
    puzzles = choose_puzzles(read_puzzles(game.puzzles, game.records).values(), options.theme, options.difficulty)
    Random(options.seed).shuffle(puzzles)
    advisor, right = game.make_advisor(game.advisor, puzzles[0].rules), 0
    for number, puzzle in enumerate(puzzles, 1):
        solved = _ask(puzzle, board, advisor, f' Puzzle {number} of {len(puzzles)}', style)
        if solved is None:
            break
        right += solved
        say(f' {right} of {number} right; Enter for the next, q to quit.')
        if _entry() is None:
            break
    return 0


def _ask(puzzle: GameRecord, board: Board, advisor: Advisor, title: str, style: Style) -> bool | None:
    """Ask one puzzle; return whether the answer is right, None without one."""
    state = board.game.open_position(puzzle)
    legal = state['raw_legal_actions']
    say_all(
        [style.line(f'\n{title}: ', [puzzle.extra['difficulty'], *puzzle.extra['themes'], puzzle.rules.title])], style
    )
    say_all([*board.position(puzzle, state, style), *board.legal_lines(state, style)], style)
    while (entry := _entry()) is not None:
        index = board.find(entry, legal)
        if index is not None:
            advice = advisor.advise(state)
            is_right = board.game.is_right(puzzle, legal[index], advice)
            say(' Right!' if is_right else ' Not the best move.')
            say_all(board.values(advisor, advice, legal, style), style)
            return is_right
        say(f' {board.explain(entry, state)} q quits.')
    return None


def _entry() -> str | None:
    """Read an entry; None if the person quits."""
    try:
        entry = input('> ').strip().lower()
    except EOFError:
        return None
    return None if entry in QUIT else entry
