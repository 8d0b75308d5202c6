"""Matches over duplicate deals of both games."""

import numpy as np
import pytest

from rlcard_big2.engine.big2 import BIG2 as BIG2_GAME
from rlcard_kit.duplicate.match import Match
from tests.support.games import BIG2, EACH_GAME, EACH_PRESET


def match_of(payoffs):
    none = np.zeros((*payoffs.shape, 3), np.int64)
    return Match(BIG2_GAME, payoffs > 0, payoffs, none, none[..., :1], payoffs)


def play(game, agent, other, deals, rules=None, seed=1):
    match = game.module('duplicate').play_match(agent, other, deals, rules or game.presets[0], seed)
    return match, match.payoffs if game is BIG2 else match.own.scores - match.other.scores


@EACH_PRESET
def test_equal_agents_share_every_deal_out(game, rules):
    match, payoffs = play(game, 'rule', 'rule', 20, rules)
    assert match.num_deals == 20
    assert payoffs.any()
    assert not payoffs.sum(axis=1).any()


@EACH_GAME
def test_a_deal_depends_on_the_seed_and_its_number_alone(game):
    few, many, again = (
        play(game, 'rule', 'random', deals, seed=seed)[1] for deals, seed in ((70, 4), (130, 4), (70, 5))
    )
    assert np.array_equal(few, many[:70])
    assert not np.array_equal(few, again)


def test_a_deal_is_one_observation():
    ev = match_of(np.repeat(np.array([[3], [-1], [4], [-6]]), 4, axis=1)).ev
    assert ev.mean == 0
    assert ev.margin == pytest.approx(3.182 * np.std([3, -1, 4, -6], ddof=1) / 2, rel=0.01)


def test_each_seat_counts_its_own_games():
    match = match_of(np.array([[4, -1, -1, -2], [8, -1, -3, -2]]))
    results = [match.seating(index).result for index in range(4)]
    assert [result.ev.mean for result in results] == [6, -1, -2, -2]
    assert [result.wp.mean for result in results] == [1, 0, 0, 0]
