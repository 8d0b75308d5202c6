"""Reasons why one move is better than another: events that follow it more often in the same rollouts."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from rlcard_kit.arrays import BoolArray, Int64Array
from rlcard_kit.statistics import estimate_ratio

GROUPS = 10  # of deals, drawn independently: deals of one group are correlated, which the margins take into account
LEAST = 0.1  # difference of two shares that is worth a sentence
CERTAIN = 1e-9  # a margin of 0: it happened in all deals or in none
CLEAR = 2.0  # margins of it: a difference of fewer may be chance

Events = Mapping[str, BoolArray]  # by code: whether an event happened in each deal, bool [deals]


class Reason(NamedTuple):
    """An event that happens more often after the best move than after another."""

    event: str  # a code, for which the page has a sentence
    best: float  # share of the deals in which it happens after the best move
    other: float  # after the other one
    margin: float  # of the difference: half the width of its 95 % interval

    @property
    def is_clear(self) -> bool:
        """Whether the difference is worth a sentence, and beyond chance."""
        return self.best - self.other >= max(LEAST, CLEAR * self.margin)


def shares_of(events: Events) -> dict[str, float]:
    """Return the share of the deals in which each event happened."""
    return {event: float(happened.mean()) for event, happened in events.items()}


def find_reason(best: Events, other: Events, groups: Int64Array) -> Reason | None:
    """Return the clearest reason why a move is better than another in the same deals, None if no event is clear.

    Args:
        best: events after the better move.
        other: the same events after the other one.
        groups: int64 [deals]; deals of different groups are independent.
    """
    counts, reasons = np.bincount(groups), []
    for event, happened in best.items():
        differences = np.bincount(groups, happened.astype(np.int64) - other[event])
        margin = estimate_ratio(differences, counts).margin
        reasons.append(Reason(event, float(happened.mean()), float(other[event].mean()), margin))
    clear = [reason for reason in reasons if reason.is_clear]
    return max(clear, key=lambda reason: (reason.best - reason.other) / max(reason.margin, CERTAIN), default=None)
