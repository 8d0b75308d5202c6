"""Puzzles: bids, trumps and cards that the network and rollouts clearly prefer; see `rlcard_kit.study.puzzles`.

The extra key 'deep' holds the rollouts of all moves, as JSON. A move is right if it loses less than CLOSE points
against the best one; every other move loses more than CLEAR.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rlcard_catch5.records import Record
from rlcard_catch5.study.advice import Advisor, open_position, review
from rlcard_catch5.study.rollouts import MoveEstimate
from rlcard_kit.errors import RecordError
from rlcard_kit.study.puzzles import puzzle_of

SHIPPED = Path(__file__).with_name('puzzles.catch5.jsonl')
CLOSE, CLEAR = 0.5, 1.0  # points
DEALS = 1000  # of the hidden cards, in the rollouts
SECOND_SEED = 1


def find_puzzles(games: Iterable[Record], advisor: Advisor, deals: int = DEALS) -> Iterator[Record]:
    """Yield a puzzle for each move in recorded games that both the network and rollouts reject."""
    for game in games:
        for one in review(game, advisor):
            if one.is_odd:
                position = game.at(one.ply)
                found = advisor.look(open_position(position), deals)
                if _is_clear(found, one.best.move, one.move):
                    moves = [_rounded(move) for move in found]
                    gap = min(move.behind.mean for move in found if not _is_close(move))
                    deep = {'deals': deals, 'moves': moves}
                    yield puzzle_of(position, one.best.move, gap, advisor.name, deep=deep)


def _rounded(one: MoveEstimate) -> dict[str, Any]:
    return {key: round(value, 2) if isinstance(value, float) else value for key, value in one.to_json().items()}


def _is_close(one: MoveEstimate) -> bool:
    return one.behind.mean < CLOSE


def _is_clear(found: Iterable[MoveEstimate], best: str, played: str) -> bool:
    """Return whether all moves are right or wrong, half of them wrong, the best move right and the played one wrong."""
    close = {one.move for one in found if _is_close(one)}
    wrong = {one.move for one in found if one.behind.mean > CLEAR and one.behind.is_significant}
    others = {one.move for one in found} - close - wrong
    return not others and best in close and played in wrong and len(close) <= len(wrong)


def is_confirmed(puzzle: Record, advisor: Advisor, deals: int = DEALS) -> bool:
    """Return whether rollouts of a second seed give each move the same judgement."""
    right = right_moves(puzzle)
    found = advisor.look(open_position(puzzle), deals, SECOND_SEED)
    return all(one.behind.mean < CLEAR if one.move in right else one.behind.mean > CLOSE for one in found) and all(
        one.behind.is_significant for one in found if one.move not in right
    )


def right_moves(puzzle: Record) -> set[str]:
    """Return the moves that solve a puzzle."""
    means: Mapping[str, float] = {one['move']: one['mean'] for one in puzzle.extra['deep']['moves']}
    return {move for move, mean in means.items() if mean > max(means.values()) - CLOSE}


def is_right(puzzle: Record, move: str) -> bool:
    """Return whether a legal move solves a puzzle; RecordError if it is not legal."""
    if all(one['move'] != move for one in puzzle.extra['deep']['moves']):
        raise RecordError(f'{move!r} is not legal in this position')
    return move in right_moves(puzzle)
