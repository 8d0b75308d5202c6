"""Statistics on numbers and agents of known difference."""

import numpy as np
import pytest

from rlcard_big2.agents.base import EpsilonAgent, RandomAgent
from rlcard_big2.agents.greedy import GreedyAgent
from rlcard_big2.duplicate import difference, play_match
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.rules import PRESETS, Rules
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


def test_a_played_handicap_is_found_on_other_deals():
    weaker = EpsilonAgent(GreedyAgent(), 0.3)
    truth = play_match(weaker, GreedyAgent(), 10_000, seed=1).ev
    assert truth.margin < 0.12
    assert truth.mean < -1
    found = [play_match(weaker, GreedyAgent(), 500, seed=seed).ev for seed in range(2, 12)]
    assert all(ev.is_significant and ev.mean < 0 for ev in found)
    covered = sum(abs(ev.mean - truth.mean) <= ev.margin + truth.margin for ev in found)
    assert covered >= 9


def test_a_synthetic_handicap_is_found():
    generator = np.random.default_rng(3)
    payoffs = np.round(generator.normal(-0.5, 8, (20_000, 4)))
    ev = match_of(payoffs).ev
    assert ev.margin == pytest.approx(1.96 * 8 / np.sqrt(80_000), rel=0.02)
    assert abs(ev.mean + 0.5) <= ev.margin


@pytest.mark.parametrize(
    ('freedom', 't'),
    [
        (1, 12.7062), (2, 4.3027), (3, 3.1824), (4, 2.7764), (5, 2.5706), (6, 2.4469), (7, 2.3646), (9, 2.2622),
        (10, 2.2281), (20, 2.0860), (29, 2.0452), (30, 2.0423), (39, 2.0227), (60, 2.0003), (10**6, 1.9600),
    ],
)  # fmt: skip
def test_student_t_is_that_of_the_tables(freedom, t):
    assert student_t(freedom) == pytest.approx(t, abs=6e-5)


@pytest.mark.parametrize(('freedom', 't'), [(1, 63.657), (2, 9.9248), (10, 3.1693), (29, 2.7564), (40, 2.7045)])
def test_intervals_of_99_percent_are_those_of_the_tables(freedom, t):
    assert student_t(freedom, 0.99) == pytest.approx(t, rel=2e-5)


def test_the_interval_of_two_deals_covers_as_often_as_it_says():
    pairs = np.random.default_rng(5).normal(1.0, 3.0, (2000, 2))
    covered = sum(abs(found.mean - 1.0) <= found.margin for found in map(estimate, pairs))
    assert 0.93 < covered / 2000 < 0.965


def test_the_interval_of_one_deal_is_unknown():
    found = estimate(np.array([2.5]))
    assert str(found) == '2.500 ± unknown'
    assert not found.is_significant


@pytest.mark.parametrize('preset', PRESETS)
def test_what_is_won_from_each_opponent_sums_to_ev(preset):
    match = play_match(RandomAgent(), GreedyAgent(), 200, Rules.preset(preset), seed=1)
    assert np.array_equal(BIG2.won_from(match.payoffs, match.field).sum(axis=2), match.payoffs)
    assert (match.payoffs + match.field.sum(axis=2) == 0).all()
    result = match.result
    assert sum(part.mean for part in result.ev_by_position.values()) == pytest.approx(result.ev.mean)


def test_winner_and_loser_settle_between_themselves():
    field = np.array([[[-3, -4, -5], [20, -6, -7]]])
    won = BIG2.won_from(np.array([[12, -7]]), field)
    assert won.tolist() == [[[3, 4, 5], [-7, 0, 0]]]


def test_duplicates_that_cancel_remove_all_variance():
    luck = np.random.default_rng(1).integers(-9, 9, 500)
    assert match_of(np.stack([luck, -luck, luck, -luck], axis=1)).variance_removed() == 1


def test_duplicates_that_repeat_themselves_do_harm():
    luck = np.random.default_rng(1).integers(-9, 9, 500)
    assert match_of(np.stack([luck] * 4, axis=1)).variance_removed() == pytest.approx(-3)


def test_independent_games_remove_nothing():
    payoffs = np.random.default_rng(1).integers(-9, 9, (50_000, 4))
    assert match_of(payoffs).variance_removed() == pytest.approx(0, abs=0.02)


def test_a_match_without_variance_has_none_to_remove():
    assert match_of(np.zeros((5, 4))).variance_removed() == 0


def test_pairs_leave_what_both_agents_share_out():
    generator = np.random.default_rng(2)
    luck = generator.integers(-20, 21, (4000, 4))
    one, other = match_of(luck + 1 + generator.integers(-1, 2, luck.shape)), match_of(luck)
    result = difference(one, other).ev
    assert result.margin == pytest.approx(1.96 * np.sqrt(2 / 3 / 16_000), rel=0.05)
    assert abs(result.mean - 1) <= result.margin
    assert result.margin < one.ev.margin / 5


def test_the_difference_is_that_of_the_results():
    one = play_match(GreedyAgent(), RandomAgent(), 100, seed=1)
    other = play_match(RandomAgent(), RandomAgent(), 100, seed=1)
    first, second, both = one.result, other.result, difference(one, other)
    for named in ('ev_by_position', 'figures'):
        ours, theirs, between = (getattr(result, named) for result in (first, second, both))
        assert {name: found.mean for name, found in between.items()} == pytest.approx(
            {name: found.mean - theirs[name].mean for name, found in ours.items()}
        )
    for name in ('wp', 'ev', 'plies'):
        assert getattr(both, name).mean == pytest.approx(getattr(first, name).mean - getattr(second, name).mean)
