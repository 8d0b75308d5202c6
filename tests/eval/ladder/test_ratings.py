"""Ratings, maximal lotteries and cycles of cases worked by hand."""

from math import log10

import numpy as np
import pytest

from eval.ladder.ratings import Wins, cycles, maximal_lottery, ratings, resampled, with_interval
from rlcard_kit.statistics import estimate

PAIRS = np.array([[0, 1], [0, 2], [1, 2]])


@pytest.mark.parametrize(
    ('table', 'won', 'odds'),
    [
        ((2, 2, 9), 7, 3),  # with the drawn game 7.5 of 10
        ((2, 2, 5), 0, 1 / 11),  # 0.5 of 6
        ((1, 3, 10**9), 5 * 10**8, 3),  # half of the games alone against three, each of whom has a third of that
        ((3, 1, 10**9), 5 * 10**8, 1 / 3),
    ],
)
def test_two_agents_are_rated_by_the_odds_of_one_seat_against_another(table, won, odds):
    first, second = ratings(Wins(PAIRS[:1], np.array([table]), np.array([[float(won)]])), 2)
    assert first - second == pytest.approx(400 * log10(odds), abs=1e-3)
    assert first + second == pytest.approx(0)


def test_strengths_are_found_from_the_games_that_they_win_at_all_tables():
    tables, strengths = np.array([[1, 3, 10**9], [3, 1, 10**9], [2, 2, 10**9]]), np.array([[1.0, 2.0, 4.0], [4, 2, 1]])
    own, other = (strengths[:, agents, None] * seats for agents, seats in zip(PAIRS.T, tables.T, strict=False))
    found = ratings(Wins(PAIRS, tables, 10**9 * own / (own + other)), 3)
    assert found == pytest.approx(400 * log10(2) * np.array([[-1, 0, 1], [1, 0, -1]]), abs=1e-3)


def antisymmetric(upper):
    return upper - upper.T


def test_the_lottery_of_a_cycle_weighs_each_agent_by_the_margin_between_the_others():
    margins = antisymmetric(
        np.array([[0, 1, 0], [0, 0, 2], [3, 0, 0]])
    )  # 0 beats 1 by 1, 1 beats 2 by 2, 2 beats 0 by 3
    assert maximal_lottery(margins) == pytest.approx([2 / 6, 3 / 6, 1 / 6])
    beaten = np.zeros((5, 5))
    beaten[1:4, 1:4], beaten[1:4, 4], beaten[4, 1:4], beaten[0, 1:], beaten[1:, 0] = margins, 9, -9, -1, 1
    assert maximal_lottery(beaten) == pytest.approx([0, 2 / 6, 3 / 6, 1 / 6, 0])


def test_the_lottery_is_the_agent_that_beats_all_others():
    assert maximal_lottery(antisymmetric(np.array([[0, 0, 0], [1, 0, 0.1], [5, 0, 0]]))).tolist() == [0, 1, 0]


def test_no_agent_beats_a_lottery():
    generator = np.random.default_rng(0)
    for count in (2, 3, 8, 15):
        margins = antisymmetric(generator.normal(size=(count, count)))
        shares = maximal_lottery(margins)
        assert shares.min() >= 0
        assert shares.sum() == pytest.approx(1)
        assert (shares @ margins).min() >= -1e-9
    assert maximal_lottery(np.zeros((3, 3))).sum() == pytest.approx(1)


def test_each_cycle_is_named_once():
    beats = np.zeros((4, 4), bool)
    for winner, loser in ((3, 1), (1, 0), (0, 3), (0, 2), (2, 1)):
        beats[winner, loser] = True
    assert cycles(beats) == [(0, 2, 1), (0, 3, 1)]
    beats[0] = False
    assert cycles(beats) == []


def test_the_bootstrap_has_the_interval_of_a_mean():
    values = np.random.default_rng(1).normal(3, 2, (400, 1))
    found, expected = with_interval(3, resampled(values)[:, 0]), estimate(values[:, 0])
    assert found.margin == pytest.approx(expected.margin, rel=0.1)
    assert resampled(np.ones((50, 2))) == pytest.approx(1)
