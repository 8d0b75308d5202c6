"""Confirmation of grades by rollouts."""

from typing import Any

CONFIRMING = 1.75  # margins by which rollouts must find a move worse than the best one


def is_confirmed(advisor: Any, state: dict[str, Any], best: str, move: str) -> bool:
    """Return whether rollouts find a move clearly worse than the best one; see `compare` of the advisors."""
    worse = advisor.compare(state, best, move)
    return bool(worse.mean > CONFIRMING * worse.margin)
