"""Review a recorded game: the value of each decision, and the costliest ones."""

from collections.abc import Iterable, Iterator

from typing_extensions import override

from rlcard_big2.records import FORMAT, Record
from rlcard_kit.errors import RecordError
from rlcard_play.big2.advice import CLOSE, Advisor, MoveAdvice
from rlcard_play.study.protocols import Json, State
from rlcard_play.study.review import LISTED, Reviewed, new_env, review_moves, state_of


class ReviewedMove(Reviewed[MoveAdvice]):
    """A move chosen among at least two legal ones, with the advice for that position."""

    @property
    def cost(self) -> tuple[float, float]:
        """Loss against the best move: win probability if calibrated, then raw value."""
        return self.chosen.lost or 0.0, self.chosen.gap

    @property
    @override
    def mark(self) -> str:
        return self.chosen.mark

    @override
    def figures(self) -> Json:
        chosen, best = self.chosen, self.best
        wins = {'win': chosen.win, 'best_win': best.win}
        return {**wins, 'cards': chosen.cards, 'best_cards': best.cards, 'lost': chosen.lost}


def review(record: Record, advisor: Advisor) -> Iterator[ReviewedMove]:
    """Yield every decision of the seats with known hands, judged by the information of that seat."""
    env = new_env(FORMAT.key, record.rules)
    env.show(record.start(), [])  # hidden cards are dealt such that all moves can be made
    known = [seat for seat, hand in enumerate(record.hands) if hand is not None]
    return review_moves(ReviewedMove, env, record, advisor, known)


def graded(moves: Iterable[ReviewedMove]) -> list[ReviewedMove]:
    """Return the costliest moves and all that have a mark, worst first, without those too close to the best to call."""
    costly = [move for move in moves if move.chosen.gap >= CLOSE and move.chosen.lost != 0]
    costly.sort(key=lambda move: move.cost, reverse=True)
    return costly[:LISTED] + [move for move in costly[LISTED:] if move.mark]


def open_position(record: Record) -> State:
    """Return the RLCard state of the seat to move in the last position of a record.

    Raises:
        RecordError: if the game is over, or the hand of the seat to move is unknown.
    """
    if record.winner is not None:
        raise RecordError(f'the game is over: choose an earlier position, from ply 0 to {len(record.moves) - 1}')
    seat = record.player
    if record.hands[seat] is None:
        raise RecordError(f'seat {seat} is to move, but its hand is unknown: add it to "hands"')
    return state_of(FORMAT.key, record)
