"""The terminal command `puzzle`: positions with one clearly best move."""

import argparse
import sys
from random import Random

from rlcard_play.study.protocols import Advisor, GameRecord
from rlcard_play.study.puzzles import DIFFICULTIES, choose_puzzles, read_puzzles
from rlcard_play.terminal.board import QUIT, Board
from rlcard_play.terminal.commands import Commands, Parser, say, say_all
from rlcard_play.terminal.style import Style


def add_puzzle(commands: 'Commands[Parser]', board: Board) -> None:
    """Add the command."""
    text = 'Find the best move in positions that rollouts confirm.'
    puzzle = commands.add_parser('puzzle', help='find the best moves', description=text)
    puzzle.add_argument('--theme', metavar='NAME', help='a theme of the puzzles; a wrong name lists them')
    puzzle.add_argument('--difficulty', metavar='NAME', help=f'{", ".join(DIFFICULTIES)}; default: all')
    puzzle.add_argument('--seed', type=int, metavar='N', help='of their order; default: random')
    puzzle.set_defaults(run=lambda options: _ask_all(options, board))


def _ask_all(options: argparse.Namespace, board: Board) -> int:
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
    say_all([style.line(f'\n{title}: ', [puzzle.extra['difficulty'], *puzzle.extra['themes']])], style)
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
