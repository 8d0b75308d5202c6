"""Rollout analysis: means, margins and reasons of moves that were played out in the same deals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from rlcard_kit.arrays import BoolArray, Int64Array
from rlcard_kit.statistics import Estimate, estimate_ratio

GROUPS = 10  # of deals, drawn independently: deals of one group may be correlated, which the margins account for
LEAST = 0.1  # difference of two shares that is worth a sentence
CLEAR = 2.0  # margins of it: a difference of fewer may be chance

Events = Mapping[str, BoolArray]  # by code, the most telling first: whether each happened in each deal, bool [deals]


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


@dataclass(frozen=True)
class MoveEstimate:
    """Outcome of a move."""

    move: str
    """As text."""
    payoff: Estimate
    """Mean payoff of the seat that made it."""
    behind: Estimate
    """Payoff less than after the best move, in the same deals; the best move's margin is 0."""
    events: Mapping[str, float]
    """Shares of the deals in which they happened."""
    reason: Reason | None
    """Why the best move is better, if it clearly is."""

    def to_json(self) -> dict[str, Any]:
        """Return it by name, without the events; a margin that is not known is None."""
        named = {'mean': self.payoff.mean, 'margin': self.payoff.margin}
        named |= {'behind': self.behind.mean, 'behind_margin': self.behind.margin}
        known = {name: value if isfinite(value) else None for name, value in named.items()}
        return {'move': self.move, **known, 'reason': None if self.reason is None else self.reason._asdict()}


def compare_moves(
    moves: Sequence[str], payoffs: Int64Array, events: Sequence[Events], groups: Int64Array
) -> list[MoveEstimate]:
    """Compare moves by their outcomes in the same deals; return their estimates, the highest mean payoff first.

    Args:
        moves: K of them, as text.
        payoffs: of the seat that makes them, int64 [K, deals].
        events: after each move; the reason is the first clear one of those that both moves have.
        groups: int64 [deals]; deals of different groups are independent.
    """
    order, counts = np.argsort(-payoffs.mean(axis=1), kind='stable'), np.bincount(groups)
    best, estimates = order[0], []
    for i in order:
        payoff, behind = (
            estimate_ratio(np.bincount(groups, values), counts) for values in (payoffs[i], payoffs[best] - payoffs[i])
        )
        shares = {event: float(happened.mean()) for event, happened in events[i].items()}
        behind = behind if i != best else Estimate(behind.mean, 0.0)
        reason = find_reason(events[best], events[i], groups) if behind.is_significant else None
        estimates.append(MoveEstimate(moves[i], payoff, behind, shares, reason))
    return estimates


def find_reason(best: Events, other: Events, groups: Int64Array) -> Reason | None:
    """Return the first clear reason why a move is better than another in the same deals, None if no event is clear.

    Args:
        best: events after the better move.
        other: events after the other one; those of both count.
        groups: int64 [deals]; deals of different groups are independent.
    """
    counts = np.bincount(groups)
    for event in (event for event in best if event in other):
        differences = np.bincount(groups, best[event].astype(np.int64) - other[event])
        margin = estimate_ratio(differences, counts).margin
        reason = Reason(event, float(best[event].mean()), float(other[event].mean()), margin)
        if reason.is_clear:
            return reason
    return None
