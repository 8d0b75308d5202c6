"""Puzzles: bids, trumps and cards that the network and rollouts clearly prefer; see `rlcard_play.study.puzzles`.

The extra key 'deep' holds the rollouts of all moves, as JSON. A move is right if it loses less than CLOSE points
against the best one; every other move loses more than CLEAR.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rlcard_catch5.engine.state import FIRST_CARD_PLY, NUM_PLAYERS, TRUMP_PLY
from rlcard_catch5.records import Record
from rlcard_catch5.search.analysis import MoveEstimate
from rlcard_kit.errors import RecordError
from rlcard_play.catch5.advice import Advisor
from rlcard_play.catch5.review import open_position, review
from rlcard_play.study.puzzles import puzzle_of

SHIPPED = Path(__file__).with_name('puzzles.catch5.jsonl')
CLOSE, CLEAR = 0.5, 0.75  # points
DEALS = 600  # of the hidden cards, in the rollouts
SECOND_SEED = 1


def find_puzzles(games: Iterable[Record], advisor: Advisor, deals: int = DEALS) -> Iterator[Record]:
    """Yield a puzzle for each move in recorded games that both the network and rollouts reject."""
    for game in games:
        for choice in review(game, advisor):
            if choice.mark:
                position, best = game.at(choice.ply), choice.best.move
                estimates = advisor.look(open_position(position), deals, guess=False)
                if is_clear(estimates, best, choice.move):
                    gap = min(move.behind.mean for move in estimates if move.behind.mean > CLEAR)
                    deep = {'deals': deals, 'moves': [_rounded(move) for move in estimates]}
                    yield puzzle_of(position, best, gap, advisor.name, deep=deep)


def is_clear(estimates: Sequence[MoveEstimate], best: str, played: str) -> bool:
    """Return whether all moves are right or wrong, half of them wrong, the best move right and the played one wrong."""
    right, wrong = _judged(estimates)
    return best in right and played in wrong and len(right | wrong) == len(estimates) <= 2 * len(wrong)


def _judged(estimates: Sequence[MoveEstimate]) -> tuple[set[str], set[str]]:
    """Return the moves that are right, and those that are wrong."""
    right = {move.move for move in estimates if move.behind.mean < CLOSE}
    return right, {move.move for move in estimates if move.behind.mean > CLEAR and move.behind.is_significant}


def _rounded(move: MoveEstimate) -> dict[str, object]:
    kept = {key: value for key, value in move.to_json().items() if not key.startswith('behind')}
    return {key: round(value, 2) if isinstance(value, float) else value for key, value in kept.items()}


def is_confirmed(puzzle: Record, advisor: Advisor, deals: int = DEALS) -> bool:
    """Return whether rollouts of a second seed find the same moves right, and all others wrong."""
    right, estimates = right_moves(puzzle), advisor.look(open_position(puzzle), deals, SECOND_SEED, guess=False)
    return _judged(estimates) == (right, set(_means(puzzle)) - right)


def right_moves(puzzle: Record) -> set[str]:
    """Return the moves that solve a puzzle."""
    means = _means(puzzle)
    return {move for move, mean in means.items() if mean > max(means.values()) - (CLOSE + CLEAR) / 2}


def is_right(puzzle: Record, move: str) -> bool:
    """Return whether a legal move solves a puzzle; RecordError if it is not legal."""
    if move not in _means(puzzle):
        raise RecordError(f'{move!r} is not legal in this position')
    return move in right_moves(puzzle)


def _means(puzzle: Record) -> dict[str, float]:
    return {move['move']: move['mean'] for move in puzzle.extra['deep']['moves']}


def themes_of(puzzle: Record) -> list[str]:
    """Return the themes of a puzzle, which say nothing of its answer."""
    trace, legal = puzzle.trace, _means(puzzle)
    if len(trace) < FIRST_CARD_PLY:
        return ['bid' if len(trace) < TRUMP_PLY else 'trump']
    trump, leads = trace[TRUMP_PLY][1][-1].lower(), (len(trace) - FIRST_CARD_PLY) % NUM_PLAYERS == 0
    trumps = sum(card[1] == trump for card in legal)
    themes = {
        'draw': leads and 0 < trumps < len(legal),
        'five': f'5{trump}' in legal,
        'lead': leads,
        'follow': not leads,
    }
    return [name for name, fits in themes.items() if fits]
