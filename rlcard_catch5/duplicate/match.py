"""Matches of two teams, and what they say. A deal with both of its hands is one observation: they share the cards."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlcard_big2.duplicate.block import Outcome
from rlcard_big2.intervals import Estimate, estimate
from rlcard_big2.lockstep.arrays import BoolArray, Float64Array, Int64Array
from rlcard_catch5.cards import SUIT_NAMES
from rlcard_catch5.duplicate.totals import matches_won
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.engine.state import NUM_TEAMS
from rlcard_catch5.rules import Rules

BID, POINTS = (CATCH5.figures.index(name) for name in ('winning bid', 'points'))
SUITS = slice(CATCH5.figures.index(SUIT_NAMES[0]), len(CATCH5.figures))


@dataclass(frozen=True)
class Team:
    """How one team did in the hands of D deals in G seatings. Figures of a seat are means over its two seats."""

    scores: Int64Array  # [D, G]
    points: Int64Array  # [D, G], taken
    bids: Int64Array  # [D, G], the bid that it won the auction with; 0 if the other team did
    named: Int64Array  # [D, G, 4], 1 for the suit that it named as trumps

    @property
    def is_bidder(self) -> BoolArray:
        """The hands in which it won the auction, bool [D, G]."""
        return self.bids > 0

    @property
    def score(self) -> Estimate:
        """Score of a hand."""
        return estimate(self.scores.mean(axis=1))

    @property
    def bids_won(self) -> Estimate:
        """Share of the auctions that one of its seats won; 0.25 between equals."""
        return estimate(self.is_bidder.mean(axis=1) / NUM_TEAMS)

    @property
    def winning_bid(self) -> Estimate:
        """The bid that it won the auction with."""
        return ratio(self.bids, self.is_bidder)

    @property
    def score_on_own_bids(self) -> Estimate:
        """Score of the hands in which it won the auction."""
        return ratio(self.scores * self.is_bidder, self.is_bidder)

    @property
    def score_on_others_bids(self) -> Estimate:
        """Score of the hands in which the other team won the auction."""
        return ratio(self.scores * ~self.is_bidder, ~self.is_bidder)

    @property
    def trumps(self) -> dict[str, Estimate]:
        """How often it named each suit as trumps, as shares of the auctions that it won."""
        return {name: ratio(self.named[..., suit], self.is_bidder) for suit, name in enumerate(SUIT_NAMES)}

    @property
    def bids_made(self) -> Estimate:
        """Share of its winning bids that it made."""
        return ratio(self.is_bidder & (self.points >= self.bids), self.is_bidder)


TEAM_FIGURES: dict[str, Callable[[Team], Estimate]] = {
    'score': lambda team: team.score,
    'bids won by a seat': lambda team: team.bids_won,
    'winning bid': lambda team: team.winning_bid,
    'score on own bids': lambda team: team.score_on_own_bids,
    "score on others' bids": lambda team: team.score_on_others_bids,
    'bids made': lambda team: team.bids_made,
}


@dataclass(frozen=True)
class TeamMatch:
    """The hands of one team against another over D duplicate deals, in both pairs of seats."""

    own: Team
    other: Team
    rules: Rules
    notes: tuple[str, ...] = ()  # what has to be said of the agents

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
        """By how much a team scored more than the other, per hand."""
        return estimate((self.own.scores - self.other.scores).mean(axis=1))

    @property
    def hands_won(self) -> Estimate:
        """Share of the hands with the higher score ('adjusted' in the paper)."""
        return estimate((self.own.scores > self.other.scores).mean(axis=1))

    @property
    def hands_won_raw(self) -> Estimate:
        """Share of the hands in which more points were taken ('raw' in the paper)."""
        return estimate((self.own.points > self.other.points).mean(axis=1))

    @cached_property
    def matches_won(self) -> Estimate | None:
        """Share of the matches to `rules.target` won, its hands being those of consecutive deals; None without one."""
        if not self.rules.target:
            return None
        scores = np.stack([self.own.scores, self.other.scores])
        won = matches_won(scores, self.own.is_bidder, self.rules.target, self.rules.bidder_first)
        return estimate(won) if len(won) else Estimate(float('nan'), float('inf'))

    def figures(self) -> dict[str, tuple[Estimate, Estimate | None]]:
        """Return all figures by name, for the team and for the other; None if that follows from the first."""
        rows: dict[str, tuple[Estimate, Estimate | None]] = {
            'score difference': (self.difference, None),
            'hands won': (self.hands_won, None),
            'hands won, raw': (self.hands_won_raw, None),
        }
        if self.matches_won is not None:
            rows[f'matches to {self.rules.target} won'] = (self.matches_won, None)
        rows |= {title: (of(self.own), of(self.other)) for title, of in TEAM_FIGURES.items()}
        other = self.other.trumps
        return rows | {f'{name} as trumps': (own, other[name]) for name, own in self.own.trumps.items()}

    def __str__(self) -> str:
        lines = [f'{self.num_deals} deals, each played twice under {self.rules.title}']
        for name, (own, other) in self.figures().items():
            lines.append(f'{name:<22} {own!s:>16}' + (f' {other!s:>16}' if other is not None else ''))
        return '\n'.join((*lines, *self.notes))


def _team(outcome: Outcome, seats: tuple[int, int]) -> Team:
    """Return how the team did that sat in these seats, and their partners', of the two seatings."""

    def of_seats(array: NDArray[Any], turned: int = 0) -> NDArray[Any]:
        return np.stack([array[:, seating, seat + turned] for seating, seat in enumerate(seats)], axis=1)

    own = of_seats(outcome.figures)
    both = own + of_seats(outcome.figures, NUM_TEAMS)
    return Team(of_seats(outcome.payoffs), own[..., POINTS], both[..., BID], both[..., SUITS])


def ratio(sums: NDArray[Any], counts: NDArray[Any]) -> Estimate:
    """Estimate a mean over some of the hands, with an interval by deal (the delta method).

    Args:
        sums: of a deal and seating, [D, G]; 0 in hands that do not count.
        counts: whether they count, [D, G].
    """
    by_deal: Float64Array = sums.sum(axis=1).astype(np.float64)
    weights: Float64Array = counts.sum(axis=1).astype(np.float64)
    if not weights.any():
        return Estimate(float('nan'), float('inf'))
    mean = float(by_deal.sum() / weights.sum())
    return Estimate(mean, estimate((by_deal - mean * weights) / weights.mean()).margin)
