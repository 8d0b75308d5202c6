"""Confirmation of grades by rollouts."""

from collections.abc import Callable, Sequence
from math import inf
from time import process_time
from typing import Any, NamedTuple

from rlcard_kit.compilation import compiling_seconds

CONFIRMING = 1.75  # margins by which rollouts must find a move worse than the best one


class Checked(NamedTuple):
    """Moves whose grades rollouts confirm and refute, and those that were not checked, by ply."""

    confirmed: frozenset[int]
    refuted: frozenset[int]
    unchecked: frozenset[int]


def is_confirmed(advisor: Any, state: dict[str, Any], best: str, move: str) -> bool:
    """Return whether rollouts find a move clearly worse than the best one; see `compare` of the advisors."""
    worse = advisor.compare(state, best, move)
    return bool(worse.mean > CONFIRMING * worse.margin)


def check_grades(
    advisor: Any,
    record: Any,
    reviewed: Sequence[Any],
    open_position: Callable[[Any], dict[str, Any]],
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
    found: dict[int, bool] = {}
    ends = _cpu_seconds() + seconds
    for one in reviewed:
        if _cpu_seconds() >= ends:
            break
        show(len(found))
        found[one.ply] = is_confirmed(advisor, open_position(record.at(one.ply)), one.best.move, one.move)
    confirmed = frozenset(ply for ply, holds in found.items() if holds)
    return Checked(confirmed, frozenset(found) - confirmed, frozenset(one.ply for one in reviewed) - frozenset(found))


def _cpu_seconds() -> float:
    """Return the CPU time of this process, without that in which kernels were compiled."""
    return process_time() - compiling_seconds()
