"""Matches of two teams and their figures. A deal with both of its hands is one observation: they share the cards."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlcard_catch5.cards import SUIT_NAMES
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.engine.state import NUM_TEAMS
from rlcard_catch5.rules import Rules
from rlcard_kit.arrays import BoolArray, Float64Array, Int64Array
from rlcard_kit.duplicate.block import Outcome
from rlcard_kit.statistics import Estimate, estimate, estimate_share, linearised, variance_removed

BID, POINTS = (CATCH5.figures.index(name) for name in ('winning bid', 'points'))
SHARES = 'hands won', 'hands won, raw'  # figures that are shares of the hands
SUITS = slice(CATCH5.figures.index(SUIT_NAMES[0]), len(CATCH5.figures))


@dataclass(frozen=True)
class Team:
    """One team's results in D deals and G seatings. Figures of a seat are means over the two seats."""

    scores: Int64Array  # [D, G]
    points: Int64Array  # [D, G], taken
    bids: Int64Array  # [D, G], the bid that it won the auction with; 0 if the other team did
    named: Int64Array  # [D, G, 4], 1 for the suit that it named as trumps

    @property
    def is_bidder(self) -> BoolArray:
        """The hands in which it won the auction, bool [D, G]."""
        return self.bids > 0

    @cached_property
    def by_deal(self) -> dict[str, Float64Array]:
        """Its figures by deal, float64 [D] each; a figure is the mean over the deals, NaN if no hand counts."""
        bidder = self.is_bidder
        columns = {
            'score': self.scores.mean(axis=1),
            'bids won by a seat': bidder.mean(axis=1) / NUM_TEAMS,
            'winning bid': ratio(self.bids, bidder),
            'score on own bids': ratio(self.scores * bidder, bidder),
            "score on others' bids": ratio(self.scores * ~bidder, ~bidder),
            'bids made': ratio(bidder & (self.points >= self.bids), bidder),
        }
        return columns | {f'{name} as trumps': ratio(self.named[..., i], bidder) for i, name in enumerate(SUIT_NAMES)}

    @cached_property
    def figures(self) -> dict[str, Estimate]:
        """Its figures by name, such as 'winning bid', each with its interval."""
        return {name: estimate(column) for name, column in self.by_deal.items()}


@dataclass(frozen=True)
class TeamMatch:
    """The hands of one team against another over D duplicate deals, in both pairs of seats."""

    own: Team
    other: Team
    rules: Rules
    notes: tuple[str, ...] = ()  # warnings about the agents

    @classmethod
    def from_outcome(cls, outcome: Outcome, rules: Rules) -> 'TeamMatch':
        """Return the match that was played in the seatings of `CATCH5.seatings`."""
        own, other = (_team(outcome, first) for first in ((0, 1), (1, 0)))
        return cls(own, other, rules)

    @property
    def num_deals(self) -> int:
        """The number of deals, each played twice."""
        return len(self.own.scores)

    @property
    def difference(self) -> Estimate:
        """Score difference per hand."""
        return estimate(self.by_deal['score difference'])

    @property
    def hands_won(self) -> Estimate:
        """Share of the hands with the higher score ('adjusted' in the paper)."""
        return estimate_share(self.by_deal['hands won'])

    @property
    def hands_won_raw(self) -> Estimate:
        """Share of the hands in which more points were taken ('raw' in the paper)."""
        return estimate_share(self.by_deal['hands won, raw'])

    @cached_property
    def by_deal(self) -> dict[str, Float64Array]:
        """All figures of the team by deal, see `Team.by_deal`; the results against the other team come first."""
        own, other = self.own, self.other
        columns = {
            'score difference': (own.scores - other.scores).mean(axis=1),
            'hands won': (own.scores > other.scores).mean(axis=1),
            'hands won, raw': (own.points > other.points).mean(axis=1),
        }
        return columns | own.by_deal

    def variance_removed(self) -> float:
        """Return the share of the difference's variance that playing each deal in both pairs of seats removed."""
        return variance_removed(self.own.scores - self.other.scores)

    @property
    def turned(self) -> 'TeamMatch':
        """The same hands as the other team sees them."""
        return TeamMatch(self.other, self.own, self.rules, self.notes)

    @cached_property
    def matches_won(self) -> Estimate | None:
        """Share of the matches to `rules.target` won, its hands being those of consecutive deals; None without one."""
        if not self.rules.target:
            return None
        scores = np.stack([self.own.scores, self.other.scores])
        won = matches_won(scores, self.own.is_bidder, self.rules.target, self.rules.bidder_first)
        return estimate_share(won) if len(won) else Estimate(float('nan'), float('inf'))

    def figures(self) -> dict[str, tuple[Estimate, Estimate | None]]:
        """Return all figures by name, for the team and for the other; None if that follows from the first."""
        rows = {
            name: ((estimate_share if name in SHARES else estimate)(column), self.other.figures.get(name))
            for name, column in self.by_deal.items()
        }
        if self.matches_won is not None:
            rows[f'matches to {self.rules.target} won'] = (self.matches_won, None)
        return rows

    def __str__(self) -> str:
        lines = [f'{self.num_deals} deals, each played twice under {self.rules.title}']
        for name, (own, other) in self.figures().items():
            lines.append(f'{name:<22} {own!s:>16}' + (f' {other!s:>16}' if other is not None else ''))
        return '\n'.join((*lines, *self.notes))


def _team(outcome: Outcome, seats: tuple[int, int]) -> Team:
    """Return the results of the team in a seat, and its partner's, of each of the two seatings."""

    def of_seats(array: NDArray[Any], turned: int = 0) -> NDArray[Any]:
        return np.stack([array[:, seating, seat + turned] for seating, seat in enumerate(seats)], axis=1)

    own = of_seats(outcome.figures)
    both = own + of_seats(outcome.figures, NUM_TEAMS)
    return Team(of_seats(outcome.payoffs), own[..., POINTS], both[..., BID], both[..., SUITS])


def ratio(sums: NDArray[Any], counts: NDArray[Any]) -> Float64Array:
    """Return the mean over the hands that count, bool [D, G], by deal, float64 [D], see `linearised`."""
    return linearised(sums.sum(axis=1), counts.sum(axis=1))


def winner_of(totals: tuple[int, int], is_own_bid: bool, target: int, bidder_first: bool) -> int | None:
    """Return the team that has won a match after a hand, 0 or 1; None if it has not ended.

    Args:
        totals: of both teams.
        is_own_bid: whether team 0 won the auction of the hand.
        target: the points that win.
        bidder_first: if both have reached the target, the bidder's team wins; if not, the one with more points does,
            and equals play on.
    """
    reached = [total >= target for total in totals]
    if not all(reached):
        return reached.index(True) if any(reached) else None
    if bidder_first:
        return 0 if is_own_bid else 1
    return None if totals[0] == totals[1] else int(totals[1] > totals[0])


def matches_won(scores: Int64Array, own_bids: BoolArray, target: int, bidder_first: bool) -> Float64Array:
    """Return whether team 0 won each match, 1 or 0, float64 [M]; a match without an end is left out.

    Args:
        scores: of both teams in the hands of D deals in G seatings, int64 [2, D, G]. The hands of consecutive deals are
            a match, in each seating for itself.
        own_bids: whether team 0 won the auction, bool [D, G].
        target: see `winner_of`.
        bidder_first: see `winner_of`.
    """
    won = []
    for seating in range(scores.shape[2]):
        totals = 0, 0
        for own, other, is_own_bid in zip(*scores[:, :, seating].tolist(), own_bids[:, seating].tolist(), strict=True):
            totals = totals[0] + own, totals[1] + other
            winner = winner_of(totals, is_own_bid, target, bidder_first)
            if winner is not None:
                won.append(1 - winner)
                totals = 0, 0
    return np.array(won, np.float64)
