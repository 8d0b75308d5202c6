"""Matches over duplicate deals of both games."""

import numpy as np
import pytest

from rlcard_big2.agents.base import GreedyAgent, RandomAgent
from rlcard_big2.duplicate import play_match
from rlcard_big2.engine.big2 import BIG2 as BIG2_GAME
from rlcard_big2.rules import PRESETS
from rlcard_kit.duplicate.block import Outcome
from rlcard_kit.duplicate.match import Match, difference
from tests.support.games import BIG2, EACH_GAME, EACH_PRESET


def match_of(payoffs):
    """Return a match of those payoffs, [D, 4], all won from or lost to the next opponent."""
    payoffs = np.asarray(payoffs, np.int64)
    field = np.zeros((*payoffs.shape, 3), np.int64)
    field[:, :, 0] = -payoffs
    return Match(BIG2_GAME, payoffs > 0, payoffs, field, np.abs(payoffs)[..., None], np.abs(payoffs))


def play(game, agent, other, deals, rules=None, seed=1):
    match = game.module('duplicate').play_match(agent, other, deals, rules or game.presets[0], seed)
    return match.payoffs if game is BIG2 else match.own.scores - match.other.scores


@EACH_PRESET
def test_equal_agents_share_every_deal_out(game, rules):
    payoffs = play(game, 'rule', 'rule', 20, rules)
    assert len(payoffs) == 20
    assert payoffs.any()
    assert not payoffs.sum(axis=1).any()


@EACH_GAME
def test_a_deal_depends_on_the_seed_and_its_number_alone(game):
    few, many, again = (play(game, 'rule', 'random', deals, seed=seed) for deals, seed in ((70, 4), (130, 4), (70, 5)))
    assert np.array_equal(few, many[:70])
    assert not np.array_equal(few, again)


@pytest.mark.parametrize(
    ('payoffs', 'positions'),
    [
        ([12, -3, -4, -5], {'next': 3, 'across': 4, 'previous': 5}),
        ([-7, 20, -6, -7], {'next': -7, 'across': 0, 'previous': 0}),
        ([-7, -6, 20, -7], {'next': 0, 'across': -7, 'previous': 0}),
        ([-7, -6, -7, 20], {'next': 0, 'across': 0, 'previous': -7}),
    ],
)
def test_each_position_wins_and_pays_its_own(payoffs, positions):
    seats = BIG2_GAME.seatings(0, 1).argmin(axis=1)  # of the agent, in each seating
    games = np.array([[np.roll(payoffs, seat) for seat in seats]])
    figures, *empty = (np.zeros(shape, np.int64) for shape in ((1, 4, 4, 1), (1, 4, 0), *[(1, 4, 4, 0)] * 2))
    match = Match.from_outcome(BIG2_GAME, Outcome(games, figures, np.ones((1, 4)), *empty))
    assert sorted(seats) == [0, 1, 2, 3]
    assert match.result.ev.mean == payoffs[0]
    assert {name: part.mean for name, part in match.result.ev_by_position.items()} == positions


def test_a_deal_is_one_observation():
    ev = match_of(np.repeat(np.array([[3], [-1], [4], [-6]]), 4, axis=1)).ev
    assert ev.mean == 0
    assert ev.margin == pytest.approx(3.182 * np.std([3, -1, 4, -6], ddof=1) / 2, rel=0.01)


def test_each_seat_counts_its_own_games():
    match = match_of(np.array([[4, -1, -1, -2], [8, -1, -3, -2]]))
    results = [match.seating(index).result for index in range(4)]
    assert [result.ev.mean for result in results] == [6, -1, -2, -2]
    assert [result.wp.mean for result in results] == [1, 0, 0, 0]


@pytest.mark.parametrize('rules', PRESETS)
def test_the_parts_won_from_each_opponent_sum_to_ev(rules):
    match = play_match(RandomAgent(), GreedyAgent(), 200, rules, seed=1)
    assert np.array_equal(BIG2_GAME.won_from(match.payoffs, match.field).sum(axis=2), match.payoffs)
    assert (match.payoffs + match.field.sum(axis=2) == 0).all()
    result = match.result
    assert sum(part.mean for part in result.ev_by_position.values()) == pytest.approx(result.ev.mean)


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
