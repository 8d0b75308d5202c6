"""What the choices of a recorded game were worth."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import rlcard

from rlcard_big2.records import Record
from rlcard_big2.study.advice import CLOSE, Advice, Advisor, MoveAdvice


class Decision(NamedTuple):
    """A choice among two legal moves or more."""

    ply: int  # counted from 0
    seat: int
    move: str  # that was chosen
    advice: Advice
    chosen: MoveAdvice  # on that move

    @property
    def best(self) -> MoveAdvice:
        """The best move."""
        return self.advice.moves[0]

    @property
    def cost(self) -> tuple[float, float]:
        """What the choice gave away: win chance if that is known, and raw value."""
        return self.chosen.lost or 0.0, self.chosen.gap

    def to_json(self) -> dict[str, Any]:
        """Return what was chosen, what would have been best, and what the difference is called."""
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


def decisions(record: Record, advisor: Advisor) -> Iterator[Decision]:
    """Yield each choice of the seats whose hands are known, by what the seat could see."""
    env = rlcard.make('big2', config={'seed': 0, 'game_rules': record.rules})
    env.show(record.start(), [])  # hidden cards are dealt so that all moves can be made
    state = env.get_state(env.get_player_id())
    for ply, (seat, move) in enumerate(record.trace):
        if record.hands[seat] is not None and len(state['raw_legal_actions']) > 1:
            advice = advisor.advise(state)
            yield Decision(ply, seat, move, advice, advice.of(move))
        state, _ = env.step(move, raw_action=True)


def dearest(choices: Iterable[Decision], count: int = 3) -> list[Decision]:
    """Return the choices that gave away most, the dearest first; none that cannot be told from the best move."""
    costly = [choice for choice in choices if choice.chosen.gap >= CLOSE and choice.chosen.lost != 0]
    return sorted(costly, key=lambda choice: choice.cost, reverse=True)[:count]
