"""Statistics on numbers of known difference."""

import numpy as np
import pytest

from rlcard_big2.agents.base import RandomAgent
from rlcard_big2.duplicate import play_match
from rlcard_kit.statistics import estimate, student_t


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


def test_the_interval_of_one_deal_is_unknown():
    found = estimate(np.array([2.5]))
    assert str(found) == f'{found}' == '2.500 ± unknown'
    assert not found.is_significant
