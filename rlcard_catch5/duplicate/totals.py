"""Matches to a total: hand after hand, until a team has reached it."""

import numpy as np

from rlcard_kit.arrays import BoolArray, Float64Array, Int64Array


def winner_of(totals: tuple[int, int], is_own_bid: bool, target: int, bidder_first: bool) -> int | None:
    """Return which team has won a match after a hand, 0 or 1; None if it goes on.

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
    """Return which matches team 0 has won, 1 or 0, float64 [M]; one that has no end is left out.

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
