"""Review a recorded game: the value of each decision, and the costliest ones."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import rlcard

from rlcard_big2.records import Record
from rlcard_kit.errors import RecordError
from rlcard_play.big2.advice import CLOSE, Advice, Advisor, MoveAdvice
from rlcard_play.study.grades import Checked

COSTLIEST = 3  # moves of a game that are listed


class ReviewedMove(NamedTuple):
    """A move chosen among at least two legal ones, with the advice for that position."""

    ply: int  # counted from 0
    seat: int
    move: str  # the chosen one
    advice: Advice
    chosen: MoveAdvice  # advice on the chosen move

    @property
    def best(self) -> MoveAdvice:
        """The best move."""
        return self.advice.moves[0]

    @property
    def cost(self) -> tuple[float, float]:
        """Loss against the best move: win probability if calibrated, then raw value."""
        return self.chosen.lost or 0.0, self.chosen.gap

    def after(self, checked: Checked) -> 'ReviewedMove':
        """Return the move without a mark that rollouts refute, or with a note on one that they did not check."""
        mark = '' if self.ply in checked.refuted else self.chosen.mark
        note = ', unchecked' * (bool(mark) and self.ply in checked.unchecked)
        return self._replace(chosen=self.chosen._replace(mark=mark + note))

    def to_json(self) -> dict[str, Any]:
        """Return the chosen move, the best one, and the difference between them."""
        chosen, best = self.chosen, self.best
        return {
            'ply': self.ply,
            'seat': self.seat,
            'move': self.move,
            'best': best.move,
            'win': chosen.win,
            'best_win': best.win,
            'cards': chosen.cards,
            'best_cards': best.cards,
            'lost': chosen.lost,
            'mark': chosen.mark,
        }


def review(record: Record, advisor: Advisor) -> Iterator[ReviewedMove]:
    """Yield every decision of the seats with known hands, judged by the information of that seat."""
    env = rlcard.make('big2', config={'seed': 0, 'game_rules': record.rules})
    env.show(record.start(), [])  # hidden cards are dealt such that all moves can be made
    state = env.get_state(env.get_player_id())
    for ply, (seat, move) in enumerate(record.trace):
        if record.hands[seat] is not None and len(state['raw_legal_actions']) > 1:
            advice = advisor.advise(state)
            yield ReviewedMove(ply, seat, move, advice, advice.of(move))
        state, _ = env.step(move, raw_action=True)


def costliest(moves: Iterable[ReviewedMove]) -> list[ReviewedMove]:
    """Return the costliest moves, worst first, without those that are too close to the best to call."""
    return _by_cost(moves)[:COSTLIEST]


def graded(moves: Iterable[ReviewedMove]) -> list[ReviewedMove]:
    """Return the costliest moves and all that have a mark, worst first."""
    return [one for place, one in enumerate(_by_cost(moves)) if place < COSTLIEST or one.chosen.mark]


def _by_cost(moves: Iterable[ReviewedMove]) -> list[ReviewedMove]:
    costly = [one for one in moves if one.chosen.gap >= CLOSE and one.chosen.lost != 0]
    return sorted(costly, key=lambda one: one.cost, reverse=True)


def open_position(record: Record) -> dict[str, Any]:
    """Return the RLCard state of the seat to move in the last position of a record.

    Raises:
        RecordError: if the game is over, or the hand of the seat to move is unknown.
    """
    if record.winner is not None:
        raise RecordError(f'the game is over: choose an earlier position, from ply 0 to {len(record.moves) - 1}')
    seat = record.player
    if record.hands[seat] is None:
        raise RecordError(f'seat {seat} is to move, but its hand is unknown: add it to "hands"')
    env = rlcard.make('big2', config={'seed': 0, 'game_rules': record.rules})
    state: dict[str, Any] = env.reset(position=record)[0]
    return state
