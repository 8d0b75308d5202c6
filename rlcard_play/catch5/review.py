"""Review a recorded hand: how the network judges each decision, and the odd ones."""

from collections.abc import Iterable, Iterator

from typing_extensions import override

from rlcard_catch5.records import FORMAT, Record
from rlcard_kit.errors import RecordError
from rlcard_play.catch5.advice import UNLIKELY, Advice, Advisor, MoveAdvice
from rlcard_play.study.protocols import Json, State
from rlcard_play.study.review import Reviewed, new_env, review_moves, state_of

LIKELY = 0.5  # share of a move that the network prefers to all others


class ReviewedMove(Reviewed[MoveAdvice]):
    """A move chosen among at least two legal ones, with the advice for that position."""

    advice: Advice

    @property
    @override
    def mark(self) -> str:
        """'odd' if the policy clearly prefers another move."""
        return 'odd' if (self.chosen.share or 0) < UNLIKELY and (self.best.share or 0) > LIKELY else ''

    @override
    def figures(self) -> Json:
        return {'share': self.chosen.share, 'best_share': self.best.share, 'points': self.advice.points}


def review(record: Record, advisor: Advisor) -> Iterator[ReviewedMove]:
    """Yield every decision of a record, judged by the information of its seat."""
    env = new_env(FORMAT.key, record.rules)
    env.reset(position=record.at(0))
    return review_moves(ReviewedMove, env, record, advisor)


def oddest(moves: Iterable[ReviewedMove]) -> list[ReviewedMove]:
    """Return the moves that the policy would hardly have made, the least likely first."""
    return sorted((move for move in moves if move.mark), key=lambda move: move.chosen.rank)


def open_position(record: Record) -> State:
    """Return the RLCard state of the seat to move in the last position of a record; RecordError if it has ended."""
    if record.payoffs is not None:
        raise RecordError(f'the hand is over: choose an earlier position, from ply 0 to {len(record.moves) - 1}')
    return state_of(FORMAT.key, record)
