import numpy as np
import pytest

from eval.games import GAMES
from rlcard_big2.agents.base import RandomAgent
from rlcard_big2.agents.greedy import GreedyAgent
from rlcard_big2.duplicate import play_match
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.rules import PRESETS, Rules
from rlcard_kit.duplicate.match import Match
from rlcard_kit.statistics import estimate


def match_of(payoffs):
    none = np.zeros((*payoffs.shape, 3), np.int64)
    return Match(BIG2, payoffs > 0, payoffs, none, none[..., :1], payoffs)


@pytest.mark.parametrize('preset', PRESETS)
def test_identical_deterministic_agents_share_every_deal_out_evenly(preset):
    match = play_match(GreedyAgent(), GreedyAgent(), 60, Rules.preset(preset), seed=1)
    assert match.payoffs.any()
    assert (match.payoffs.sum(axis=1) == 0).all(), 'the same four games, one seat each'


def test_payoffs_of_the_four_seats_sum_to_zero():
    match = play_match(GreedyAgent(), RandomAgent(), 60, seed=1)
    assert (match.payoffs + match.field.sum(axis=2) == 0).all()
    assert ((match.payoffs > 0).sum() + (match.field > 0).sum()) == 60 * 4


def test_a_deal_does_not_depend_on_how_many_are_played():
    few = play_match(GreedyAgent(), RandomAgent(), 40, seed=1)
    many = play_match(GreedyAgent(), RandomAgent(), 300, seed=1)
    assert np.array_equal(few.payoffs, many.payoffs[:40])
    assert not np.array_equal(few.payoffs, play_match(GreedyAgent(), RandomAgent(), 40, seed=2).payoffs)


def test_greedy_beats_random():
    ev = play_match(GreedyAgent(), RandomAgent(), 300, seed=1).ev
    assert ev.mean - ev.margin > 2


def test_a_deal_is_one_observation():
    payoffs = np.repeat(np.array([[3], [-1], [4], [-6]]), 4, axis=1)
    ev = match_of(payoffs).ev
    assert ev.mean == 0
    assert ev.margin == pytest.approx(3.182 * np.std([3, -1, 4, -6], ddof=1) / 2, rel=0.01)


def test_the_interval_covers_the_mean_as_often_as_it_says():
    generator = np.random.default_rng(5)
    covered = 0
    for _ in range(2000):
        mean, margin = estimate(generator.normal(1.0, 3.0, 100))
        covered += abs(mean - 1.0) <= margin
    assert 0.93 < covered / 2000 < 0.965


def test_each_seat_counts_its_own_games():
    payoffs = np.array([[4, -1, -1, -2], [8, -1, -3, -2]])
    match = match_of(payoffs)
    results = [match.seating(index).result for index in range(4)]
    assert [result.ev.mean for result in results] == [6, -1, -2, -2]
    assert [result.wp.mean for result in results] == [1, 0, 0, 0]


def test_the_table_has_a_row_per_seat_and_one_for_all():
    match = play_match(GreedyAgent(), RandomAgent(), 10, seed=1)
    assert len(GAMES['big2'].table('title', ('a', 'b'), match).rows) == 5
