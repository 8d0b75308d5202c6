"""Review of recorded games: the advice on each choice among several moves, and grades that rollouts confirm."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from time import process_time
from typing import Any, Generic, NamedTuple, TypeVar

import rlcard

from rlcard_kit.compilation import compiling_seconds
from rlcard_kit.rules import Rulebook
from rlcard_play.study.protocols import Advice, Advisor, GameRecord, Json, Loss, MoveAdvice, Record, State

LISTED = 3  # worst moves of a game
CONFIRMING = 1.75  # margins by which rollouts must find a move worse than the best one

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


class Checked(NamedTuple):
    """Moves whose grades rollouts confirm and refute, and those that were not checked, by ply."""

    confirmed: frozenset[int]
    refuted: frozenset[int]
    unchecked: frozenset[int]
    losses: Mapping[int, Loss] = {}
    """Of the moves that were checked."""


def is_confirmed(advisor: Advisor, state: State, best: str, move: str) -> bool:
    """Return whether rollouts find a move clearly worse than the best one; see `compare` of the advisors."""
    return _is_clear(advisor.compare(state, best, move))


def _is_clear(loss: Loss) -> bool:
    return bool(loss.mean > CONFIRMING * loss.margin)


def check_grades(
    advisor: Advisor,
    record: Record,
    reviewed: Sequence[Reviewed[MoveAdvice]],
    open_position: Callable[[Record], State],
    seconds: float = inf,
    show: Callable[[int], object] = lambda done: None,
) -> Checked:
    """Compare reviewed moves of a record with the best moves by rollouts, one after the other.

    Args:
        advisor: of the game.
        record: whose moves were reviewed.
        reviewed: the moves that have a grade, the most important first.
        open_position: returns the state of the seat to move in the last position of a record.
        seconds: of CPU time, after which no other move is checked; compiling kernels does not count.
        show: called with the number of moves that were checked.
    """
    checked: dict[int, Loss] = {}
    ends = _cpu_seconds() + seconds
    for choice in reviewed:
        if _cpu_seconds() >= ends:
            break
        show(len(checked))
        state = open_position(record.at(choice.ply))
        checked[choice.ply] = advisor.compare(state, choice.best.move, choice.move)
    confirmed = frozenset(ply for ply, loss in checked.items() if _is_clear(loss))
    unchecked = frozenset(choice.ply for choice in reviewed) - frozenset(checked)
    return Checked(confirmed, frozenset(checked) - confirmed, unchecked, losses=checked)


def _cpu_seconds() -> float:
    """Return the CPU time of this process, without that in which kernels were compiled."""
    return process_time() - compiling_seconds()
