"""Grades of a recorded game, confirmed by rollouts, with progress."""

import sys
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any

from rlcard_play.study.protocols import Advisor, State
from rlcard_play.study.review import Checked, Record, Reviewed, check_grades

SECONDS = 5  # for the grades of a game
MOST_SECONDS = 3600
PATIENCE = 1.0  # seconds without progress


def confirm_grades(
    advisor: Advisor,
    record: Record,
    reviewed: Sequence[Reviewed[Any]],
    open_position: Callable[[Record], State],
    seconds: float = SECONDS,
) -> Checked:
    """Check grades by rollouts, see `check_grades`; a terminal shows progress after a second."""
    began, shown = monotonic(), ''

    def show(done: int) -> None:
        nonlocal shown
        if sys.stderr.isatty() and monotonic() - began > PATIENCE:
            shown = f' Rollouts check move {done + 1} of {len(reviewed)} '
            sys.stderr.write(f'\r{shown}')  # a carriage return flushes

    try:
        return check_grades(advisor, record, reviewed, open_position, seconds, show)
    finally:
        if shown:
            sys.stderr.write(f'\r{" " * len(shown)}\r')


def checked_lines(checked: Checked, seconds: float, what: str = 'grades') -> list[str]:
    """Return a sentence on the grades that rollouts confirm; none if there are no grades."""
    confirmed, refuted, unchecked = map(len, checked)
    if not confirmed + refuted + unchecked:
        return []
    withdrawn = ' and withdraw the others' * bool(refuted)
    late = f'; {unchecked} were not checked within {seconds:g} s' * bool(unchecked)
    return [f' Rollouts confirm {confirmed} of {confirmed + refuted} {what}{withdrawn}{late}.']
