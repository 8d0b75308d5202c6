"""Statistics on numbers of known difference."""

from math import inf

import numpy as np
import pytest

from rlcard_big2.agents.base import RandomAgent
from rlcard_big2.duplicate import play_match
from rlcard_kit.statistics import Z95, estimate, estimate_ratio, estimate_share, student_t


def test_the_interval_of_identical_agents_covers_zero_in_95_of_100_matches():
    payoffs = play_match(RandomAgent(), RandomAgent(), 200 * 20, seed=1).payoffs
    evs = [estimate(part.mean(axis=1)) for part in np.split(payoffs, 200)]
    assert all(ev.margin > 0 for ev in evs)
    assert 0.92 <= sum(not ev.is_significant for ev in evs) / 200 <= 0.98


T95 = {
    1: 12.7062, 2: 4.3027, 3: 3.1824, 4: 2.7764, 5: 2.5706, 6: 2.4469, 7: 2.3646, 9: 2.2622, 10: 2.2281, 20: 2.0860,
    29: 2.0452, 30: 2.0423, 39: 2.0227, 60: 2.0003, 1000: 1.9623, 2000: 1.9612, 10**6: 1.9600,
}  # fmt: skip
T99 = {1: 63.657, 2: 9.9248, 10: 3.1693, 29: 2.7564, 40: 2.7045}


def test_student_t_is_that_of_the_tables():
    assert {freedom: student_t(freedom) for freedom in T95} == pytest.approx(T95, abs=6e-5)
    assert {freedom: student_t(freedom, 0.99) for freedom in T99} == pytest.approx(T99, rel=2e-5)


@pytest.mark.parametrize('count', [2, 100])
def test_the_interval_covers_the_mean_as_often_as_it_says(count):
    samples = np.random.default_rng(5).normal(1.0, 3.0, (2000, count))
    covered = sum(abs(found.mean - 1.0) <= found.margin for found in map(estimate, samples))
    assert 0.93 < covered / 2000 < 0.965


def test_a_format_is_that_of_the_mean_and_of_the_margin():
    assert f'{estimate(np.array([1.0, 3.0])):+.2f}' == '+2.00 ± 12.71'


@pytest.mark.parametrize('count', [1, 5])
def test_one_observation_and_equal_ones_do_not_show_how_far_others_are(count):
    found = estimate(np.full(count, -2.5))
    assert str(found) == f'{found}' == '-2.500 ± unknown'
    assert not found.is_significant
    assert estimate_ratio(np.full(5, -13.0), np.ones(5)) == (-13, 0)
    assert estimate_ratio(np.array([2, 6]), np.array([1, 3])) == (2, 0), 'whatever the sizes of the groups'
    assert estimate_ratio(np.array([2, 0]), np.array([1, 0])) == (2, inf)


@pytest.mark.parametrize('lost', [0.0, 1.0])
def test_a_share_of_none_or_all_has_wilsons_interval(lost):
    square = Z95**2
    assert estimate_share(np.full(300, lost)) == (lost, pytest.approx(square / (300 + square)))
    assert estimate_share(np.full(5, lost)).margin == pytest.approx(0.434, abs=5e-4)
    assert estimate_share(np.full(1, lost)).margin == inf


def test_few_games_won_have_wilsons_interval_and_many_students():
    games = np.zeros(4000)
    games[:2] = 1  # upper limit of 2 in 4000: 0.00182 (Newcombe's formula by hand)
    mean, games_of = 2 / 4000, 3999  # as many as have the variance of ddof 1
    square = Z95**2 / games_of
    upper = (mean + square / 2 + (square * (mean * (1 - mean) + square / 4)) ** 0.5) / (1 + square)
    assert estimate_share(games).margin == pytest.approx(upper - mean) == pytest.approx(0.00182 - mean, abs=1e-5)
    assert estimate_share(1 - games).margin == pytest.approx(upper - mean)
    games[:20] = 1
    assert estimate_share(games) == estimate(games)


@pytest.mark.parametrize(('count', 'won'), [(40, 0.01), (400, 0.002), (100, 0.1)])
def test_the_interval_of_a_share_covers_it_at_least_as_often_as_it_says(count, won):
    samples = np.random.default_rng(3).random((2000, count)) < won
    assert sum(abs(found.mean - won) <= found.margin for found in map(estimate_share, samples)) / 2000 > 0.93
