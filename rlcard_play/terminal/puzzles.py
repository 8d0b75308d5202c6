"""The terminal command `puzzle`: positions with one clearly best move."""

import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from rlcard_kit.records import Format
from rlcard_play.study.puzzles import DIFFICULTIES, choose_puzzles, read_puzzles
from rlcard_play.terminal.commands import Commands, Parser, say, say_all
from rlcard_play.terminal.move_input import QUIT
from rlcard_play.terminal.style import Style

State = dict[str, Any]


class Board(NamedTuple):
    """A game's positions in the terminal."""

    records: Format[Any]
    file: Path
    """Of the puzzles."""
    make_advisor: Callable[[Any], Any]
    """Make the advisor, given the rules."""
    open_position: Callable[[Any], State]
    """Return the state of a puzzle."""
    is_right: Callable[[Any, str, Any], bool]
    """Return whether a legal move solves a puzzle, given advice on it."""
    lines: Callable[[Any, State, Style], Iterable[str]]
    """Return the lines of a position and of its legal moves, given the puzzle."""
    find: Callable[[str, State], int | None]
    """Return the index of the legal move that an entry means, or None."""
    explain: Callable[[str, State], str]
    """Return why an entry is not a legal move."""
    values: Callable[[Any, Any, State, Style], Iterable[str]]
    """Return the lines of the values of the moves, given the advisor and the advice."""


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
    style, known = Style.of(sys.stdout), read_puzzles(board.file, board.records).values()
    puzzles = choose_puzzles(known, options.theme, options.difficulty)
    Random(options.seed).shuffle(puzzles)
    advisor, right = board.make_advisor(puzzles[0].rules), 0
    for number, puzzle in enumerate(puzzles, 1):
        solved = _ask(puzzle, board, advisor, f' Puzzle {number} of {len(puzzles)}', style)
        if solved is None:
            break
        right += solved
        say(f' {right} of {number} right; Enter for the next, q to quit.')
        if _entry() is None:
            break
    return 0


def _ask(puzzle: Any, board: Board, advisor: Any, title: str, style: Style) -> bool | None:
    """Ask one puzzle; return whether the answer is right, None without one."""
    state = board.open_position(puzzle)
    say_all([style.line(f'\n{title}: ', [puzzle.extra['difficulty'], *puzzle.extra['themes']])], style)
    say_all(board.lines(puzzle, state, style), style)
    while (entry := _entry()) is not None:
        index = board.find(entry, state)
        if index is not None:
            advice = advisor.advise(state)
            is_right = board.is_right(puzzle, state['raw_legal_actions'][index], advice)
            say(' Right!' if is_right else ' Not the best move.')
            say_all(board.values(advisor, advice, state, style), style)
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
