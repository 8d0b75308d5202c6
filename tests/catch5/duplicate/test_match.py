"""Matches of two teams: the figures by hand, and matches to a total."""

import numpy as np
import pytest

from rlcard_catch5.cards import SUIT_NAMES
from rlcard_catch5.duplicate import TeamMatch, play_match
from rlcard_catch5.duplicate.match import matches_won, ratio, winner_of
from rlcard_catch5.rules import Rules
from rlcard_kit.duplicate.block import Outcome
from rlcard_kit.statistics import estimate

# Two deals, each in both seatings; of each seat: score, then bid won, winning bid and points.
PAYOFFS = [[[-4, 6, -4, 6], [7, 2, 7, 2]], [[5, 4, 5, 4], [1, -9, 1, -9]]]
BIDDERS = [[(0, 4), (2, 3)], [(1, 3), (3, 9)]]  # seat and bid
POINTS = [[[3, 6, 3, 6], [7, 2, 7, 2]], [[5, 4, 5, 4], [1, 8, 1, 8]]]


def outcome():
    figures = np.zeros((2, 2, 4, 7), np.int64)
    figures[..., 2] = POINTS
    for deal, seating in np.ndindex(2, 2):
        seat, bid = BIDDERS[deal][seating]
        figures[deal, seating, seat, :2] = 1, bid
        figures[deal, seating, seat, 3 + seat] = 1  # seat 3 names spades
    return Outcome(np.array(PAYOFFS), figures, np.full((2, 2), 29), *np.zeros((3, 2, 2, 0), np.int64))


def test_figures_by_hand():
    match = TeamMatch.from_outcome(outcome(), Rules())
    assert match.own.scores.tolist() == [[-4, 2], [5, -9]]
    assert match.other.scores.tolist() == [[6, 7], [4, 1]]
    assert match.own.bids.tolist() == [[4, 0], [0, 9]]
    assert match.other.bids.tolist() == [[0, 3], [3, 0]]
    assert match.own.figures['score'].mean == -1.5
    assert match.difference.mean == -6
    assert match.hands_won.mean == 0.25
    assert match.hands_won_raw.mean == 0.5
    assert match.own.figures['bids won by a seat'].mean == match.other.figures['bids won by a seat'].mean == 0.25
    assert match.own.figures['winning bid'].mean == 6.5
    assert match.own.figures['score on own bids'].mean == -6.5
    assert match.own.figures["score on others' bids"].mean == 3.5
    assert match.own.figures['bids made'].mean == 0
    assert match.other.figures['bids made'].mean == 1
    assert [match.own.figures[f'{suit} as trumps'].mean for suit in SUIT_NAMES] == [0.5, 0, 0, 0.5]
    assert match.other.figures['diamonds as trumps'].mean == 0.5
    assert match.matches_won is None
    assert [line.split('  ')[0] for line in str(match).splitlines()[1:]] == list(match.figures())


def test_a_mean_over_some_of_the_hands_has_an_interval_by_deal():
    random = np.random.default_rng(0)
    covered = 0
    for _ in range(200):
        counts = random.random((400, 2)) < 0.3
        sums = counts * random.normal(2, 1, (400, 1)) + counts * random.normal(0, 1, (400, 2))
        found = estimate(ratio(sums, counts))
        covered += abs(found.mean - 2) < found.margin
    assert 0.9 < covered / 200 < 0.99
    assert np.isnan(estimate(ratio(np.zeros((5, 2)), np.zeros((5, 2), bool))).mean)


def test_teams_are_partners_and_scores_are_the_games():
    match = play_match('suit', 'random', 200, 'march', seed=3)
    own, other = match.own, match.other
    assert ((own.points + other.points) == 9).all()
    assert (own.is_bidder != other.is_bidder).all()
    bids = own.bids + other.bids
    fell = np.where(own.is_bidder, own.points, other.points) < bids
    assert (np.where(own.is_bidder, own.scores, other.scores)[fell] == -bids[fell]).all()


def test_the_rule_agent_beats_the_baselines():
    match = play_match('rule', 'pass', 500)  # by about 5.2 a hand, over 3000 deals
    assert match.difference.mean - match.difference.margin > 4
    assert match.own.figures['bids made'].mean > 0.85
    assert play_match('rule', 'suit', 300).difference.mean > 5


@pytest.mark.parametrize(
    ('totals', 'is_own_bid', 'bidder_first', 'winner'),
    [
        ((30, 30), True, True, None), ((31, 12), False, True, 0), ((12, 40), True, True, 1), ((31, 36), True, True, 0),
        ((36, 31), False, True, 1), ((31, 36), True, False, 1), ((31, 31), True, False, None),
        ((-5, 30), True, True, None),
    ],
)  # fmt: skip
def test_who_wins_a_match(totals, is_own_bid, bidder_first, winner):
    assert winner_of(totals, is_own_bid, 31, bidder_first) == winner


def test_matches_are_consecutive_hands():
    own = np.array([[9, 0], [9, 0], [9, 0], [9, 0], [0, 9], [3, 9]])
    won = matches_won(np.stack([own, 9 - own]), own > 4, 31, True)
    assert won.tolist() == [1, 0], 'four hands of nine each; what follows has no end'
    match = play_match('rule', 'pass', 60, 'table')
    assert match.matches_won.mean > 0.8
    assert 'matches to 31 won' in str(match)
