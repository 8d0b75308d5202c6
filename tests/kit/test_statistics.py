"""Statistics on numbers of known difference."""

import numpy as np
import pytest

from rlcard_big2.agents.base import RandomAgent
from rlcard_big2.agents.greedy import GreedyAgent
from rlcard_big2.duplicate import difference, play_match
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.rules import PRESETS
from rlcard_kit.duplicate.match import Match
from rlcard_kit.statistics import estimate, student_t


def match_of(payoffs):
    """Return a match of those payoffs, [D, 4], all won from or lost to the next opponent."""
    payoffs = np.asarray(payoffs, np.int64)
    field = np.zeros((*payoffs.shape, 3), np.int64)
    field[:, :, 0] = -payoffs
    return Match(BIG2, payoffs > 0, payoffs, field, np.abs(payoffs)[..., None], np.abs(payoffs))


def test_the_interval_of_identical_agents_covers_zero_in_95_of_100_matches():
    payoffs = play_match(RandomAgent(), RandomAgent(), 200 * 40, seed=1).payoffs
    evs = [estimate(part.mean(axis=1)) for part in np.split(payoffs, 200)]
    assert all(ev.margin > 0 for ev in evs)
    assert 0.92 <= sum(not ev.is_significant for ev in evs) / 200 <= 0.98


T95 = {
    1: 12.7062, 2: 4.3027, 3: 3.1824, 4: 2.7764, 5: 2.5706, 6: 2.4469, 7: 2.3646, 9: 2.2622, 10: 2.2281, 20: 2.0860,
    29: 2.0452, 30: 2.0423, 39: 2.0227, 60: 2.0003, 10**6: 1.9600,
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


def test_the_interval_of_one_deal_is_unknown():
    found = estimate(np.array([2.5]))
    assert str(found) == '2.500 ± unknown'
    assert not found.is_significant


@pytest.mark.parametrize('rules', PRESETS)
def test_the_parts_won_from_each_opponent_sum_to_ev(rules):
    match = play_match(RandomAgent(), GreedyAgent(), 200, rules, seed=1)
    assert np.array_equal(BIG2.won_from(match.payoffs, match.field).sum(axis=2), match.payoffs)
    assert (match.payoffs + match.field.sum(axis=2) == 0).all()
    result = match.result
    assert sum(part.mean for part in result.ev_by_position.values()) == pytest.approx(result.ev.mean)


def test_winner_and_loser_settle_between_themselves():
    field = np.array([[[-3, -4, -5], [20, -6, -7]]])
    assert BIG2.won_from(np.array([[12, -7]]), field).tolist() == [[[3, 4, 5], [-7, 0, 0]]]


def test_variance_removed():
    random = np.random.default_rng(1)
    luck = random.integers(-9, 9, 500)
    assert match_of(np.stack([luck, -luck, luck, -luck], axis=1)).variance_removed() == 1
    assert match_of(np.stack([luck] * 4, axis=1)).variance_removed() == pytest.approx(-3), 'duplicates do harm'
    assert match_of(random.integers(-9, 9, (50_000, 4))).variance_removed() == pytest.approx(0, abs=0.02)
    assert match_of(np.zeros((5, 4))).variance_removed() == 0


def test_pairs_leave_what_both_agents_share_out():
    random = np.random.default_rng(2)
    luck = random.integers(-20, 21, (4000, 4))
    one, other = match_of(luck + 1 + random.integers(-1, 2, luck.shape)), match_of(luck)
    result = difference(one, other).ev
    assert result.margin == pytest.approx(1.96 * np.sqrt(2 / 3 / 16_000), rel=0.05)
    assert abs(result.mean - 1) <= result.margin < one.ev.margin / 5


def test_the_difference_is_that_of_the_results():
    one, other = (play_match(agent, RandomAgent(), 100, seed=1) for agent in (GreedyAgent(), RandomAgent()))
    first, second, both = (means(result) for result in (one.result, other.result, difference(one, other)))
    assert both == pytest.approx({name: first[name] - second[name] for name in first})


def means(result):
    named = {name: getattr(result, name) for name in ('wp', 'ev', 'plies')} | result.ev_by_position | result.figures
    return {name: found.mean for name, found in named.items()}
