"""Confirmation of grades by rollouts."""

from collections.abc import Callable, Sequence
from math import inf
from time import process_time
from typing import NamedTuple, TypeVar

from rlcard_kit.jit import compiling_seconds
from rlcard_play.study.protocols import Advisor, GameRecord, MoveAdvice, State
from rlcard_play.study.review import Reviewed

CONFIRMING = 1.75  # margins by which rollouts must find a move worse than the best one
Record = TypeVar('Record', bound=GameRecord)


class Checked(NamedTuple):
    """Moves whose grades rollouts confirm and refute, and those that were not checked, by ply."""

    confirmed: frozenset[int]
    refuted: frozenset[int]
    unchecked: frozenset[int]


def is_confirmed(advisor: Advisor, state: State, best: str, move: str) -> bool:
    """Return whether rollouts find a move clearly worse than the best one; see `compare` of the advisors."""
    worse = advisor.compare(state, best, move)
    return bool(worse.mean > CONFIRMING * worse.margin)


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
    checked: dict[int, bool] = {}
    ends = _cpu_seconds() + seconds
    for choice in reviewed:
        if _cpu_seconds() >= ends:
            break
        show(len(checked))
        state = open_position(record.at(choice.ply))
        checked[choice.ply] = is_confirmed(advisor, state, choice.best.move, choice.move)
    confirmed = frozenset(ply for ply, holds in checked.items() if holds)
    unchecked = frozenset(choice.ply for choice in reviewed) - frozenset(checked)
    return Checked(confirmed, frozenset(checked) - confirmed, unchecked)


def _cpu_seconds() -> float:
    """Return the CPU time of this process, without that in which kernels were compiled."""
    return process_time() - compiling_seconds()
