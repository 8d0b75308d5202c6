"""Review of recorded games: each choice among several moves, with the advice on its position."""

from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import rlcard

from rlcard_kit.rules import Rulebook
from rlcard_play.study.protocols import Advice, Advisor, GameRecord, Json, MoveAdvice, State

LISTED = 3  # worst moves of a game

Move = TypeVar('Move', bound=MoveAdvice)
Kind = TypeVar('Kind', bound='Reviewed[Any]')


@dataclass(frozen=True)
class Reviewed(Generic[Move]):
    """A move chosen among at least two legal ones, with the advice for that position."""

    ply: int  # counted from 0
    seat: int
    move: str  # the chosen one
    advice: Advice[Move]

    @property
    def chosen(self) -> Move:
        """The judgement of the chosen move."""
        return self.advice.of(self.move)

    @property
    def best(self) -> Move:
        """The judgement of the best move."""
        return self.advice.moves[0]

    @property
    def mark(self) -> str:
        """The name of a mistake; '' if the move is none."""
        raise NotImplementedError

    def figures(self) -> Json:
        """Return the judgements of the chosen move and of the best one as JSON."""
        raise NotImplementedError

    def to_json(self) -> Json:
        """Return the chosen move, the best one, and their judgements as JSON."""
        about = {'ply': self.ply, 'seat': self.seat, 'move': self.move, 'best': self.best.move}
        return {**about, **self.figures(), 'mark': self.mark}


def review_moves(
    kind: type[Kind], env: Any, record: GameRecord, advisor: Advisor, seats: Container[int] = range(4)
) -> Iterator[Kind]:
    """Yield the choices of some seats of a record, judged by their information, in an environment at its beginning."""
    state = env.get_state(env.get_player_id())
    for ply, (seat, move) in enumerate(record.trace):
        if seat in seats and len(state['raw_legal_actions']) > 1:
            yield kind(ply, seat, move, advisor.advise(state))
        state, _ = env.step(move, raw_action=True)


def new_env(key: str, rules: Rulebook | str) -> Any:
    """Return an environment of a game, by its key."""
    return rlcard.make(key, config={'seed': 0, 'game_rules': rules})


def state_of(key: str, record: GameRecord) -> State:
    """Return the state of the seat to move in the last position of a record."""
    state: State = new_env(key, record.rules).reset(position=record)[0]
    return state
