"""Statistics on numbers and agents of known difference."""

import numpy as np
import pytest

from rlcard_big2.agents.greedy import GreedyAgent
from rlcard_big2.agents.mixed import EpsilonAgent
from rlcard_big2.agents.random import RandomAgent
from rlcard_big2.duplicate.intervals import difference, estimate, overall, t95, variance_removed, won_from_each
from rlcard_big2.duplicate.match import Match, play_match
from rlcard_big2.rules import PRESETS, Rules


def match_of(payoffs):
    """Return a match of those payoffs, [D, 4], all won from or lost to the next opponent."""
    payoffs = np.asarray(payoffs, np.int64)
    field = np.zeros((*payoffs.shape, 3), np.int64)
    field[:, :, 0] = -payoffs
    return Match(payoffs, field, np.abs(payoffs), np.abs(payoffs))


def test_the_interval_of_identical_agents_covers_zero_in_95_of_100_matches():
    payoffs = play_match(RandomAgent(), RandomAgent(), Rules(), 200 * 40, 1).payoffs
    evs = [estimate(part.mean(axis=1)) for part in np.split(payoffs, 200)]
    assert all(ev.margin > 0 for ev in evs)
    assert 0.92 <= sum(not ev.is_significant for ev in evs) / 200 <= 0.98


def test_a_played_handicap_is_found_on_other_deals():
    weaker = EpsilonAgent(GreedyAgent(), 0.3)
    truth = overall(play_match(weaker, GreedyAgent(), Rules(), 10_000, 1)).ev
    assert truth.margin < 0.12
    assert truth.mean < -1
    found = [overall(play_match(weaker, GreedyAgent(), Rules(), 500, seed)).ev for seed in range(2, 12)]
    assert all(ev.is_significant and ev.mean < 0 for ev in found)
    covered = sum(abs(ev.mean - truth.mean) <= ev.margin + truth.margin for ev in found)
    assert covered >= 9


def test_a_synthetic_handicap_is_found():
    generator = np.random.default_rng(3)
    payoffs = np.round(generator.normal(-0.5, 8, (20_000, 4)))
    ev = overall(match_of(payoffs)).ev
    assert ev.margin == pytest.approx(1.96 * 8 / np.sqrt(80_000), rel=0.02)
    assert abs(ev.mean + 0.5) <= ev.margin


def test_student_t_widens_small_samples():
    assert t95(3) == pytest.approx(3.182, rel=0.01)
    assert t95(39) == pytest.approx(2.0227, rel=1e-4)
    assert t95(10**6) == pytest.approx(1.96, rel=1e-4)


@pytest.mark.parametrize('preset', PRESETS)
def test_what_is_won_from_each_opponent_sums_to_ev(preset):
    match = play_match(RandomAgent(), GreedyAgent(), Rules.preset(preset), 200, 1)
    assert np.array_equal(won_from_each(match).sum(axis=2), match.payoffs)
    assert (match.payoffs + match.field.sum(axis=2) == 0).all()
    result = overall(match)
    assert sum(part.mean for part in result.ev_against) == pytest.approx(result.ev.mean)


def test_winner_and_loser_settle_between_themselves():
    field = np.array([[[-3, -4, -5], [20, -6, -7]]])
    won = won_from_each(Match(np.array([[12, -7]]), field, field[:, :, 0], field[:, :, 0]))
    assert won.tolist() == [[[3, 4, 5], [-7, 0, 0]]]


def test_duplicates_that_cancel_remove_all_variance():
    luck = np.random.default_rng(1).integers(-9, 9, 500)
    assert variance_removed(match_of(np.stack([luck, -luck, luck, -luck], axis=1))) == 1


def test_duplicates_that_repeat_themselves_do_harm():
    luck = np.random.default_rng(1).integers(-9, 9, 500)
    assert variance_removed(match_of(np.stack([luck] * 4, axis=1))) == pytest.approx(-3)


def test_independent_games_remove_nothing():
    payoffs = np.random.default_rng(1).integers(-9, 9, (50_000, 4))
    assert variance_removed(match_of(payoffs)) == pytest.approx(0, abs=0.02)


def test_a_match_without_variance_has_none_to_remove():
    assert variance_removed(match_of(np.zeros((5, 4)))) == 0


def test_pairs_leave_what_both_agents_share_out():
    generator = np.random.default_rng(2)
    luck = generator.integers(-20, 21, (4000, 4))
    one, other = match_of(luck + 1 + generator.integers(-1, 2, luck.shape)), match_of(luck)
    result = difference(one, other).ev
    assert result.margin == pytest.approx(1.96 * np.sqrt(2 / 3 / 16_000), rel=0.05)
    assert abs(result.mean - 1) <= result.margin
    assert result.margin < overall(one).ev.margin / 5


def test_the_difference_is_that_of_the_results():
    one = play_match(GreedyAgent(), RandomAgent(), Rules(), 100, 1)
    other = play_match(RandomAgent(), RandomAgent(), Rules(), 100, 1)
    first, second, both = overall(one), overall(other), difference(one, other)
    for a, b, between in zip(first.ev_against, second.ev_against, both.ev_against, strict=True):
        assert between.mean == pytest.approx(a.mean - b.mean)
    for name in ('wp', 'ev', 'cards_left', 'plies'):
        assert getattr(both, name).mean == pytest.approx(getattr(first, name).mean - getattr(second, name).mean)
