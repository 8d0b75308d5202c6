"""Calibration of values: the tables of the shipped network on fresh deals, and the fit of tables."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from rlcard_big2.models import load_dmc
from rlcard_big2.rules import Rules
from rlcard_kit.nets.calibration import Calibration
from training.calibration import EDGES, Decisions, fit, monotone, play_itself
from training.games import game_of

pytestmark = pytest.mark.usefixtures('one_thread')


def test_the_win_chance_of_the_shipped_network_is_the_share_of_games_it_wins():
    agent = load_dmc()
    calibration = agent.calibration(Rules())
    values, won, payoffs = play_itself(game_of('big2'), agent, Rules(), 500, 77)
    assert not np.isnan(values).any(), 'decisions are those with a choice'
    assert ((payoffs > 0) == won).all()
    win, cards = calibration.win_chance(values), calibration.expected_cards(values)
    deciles = np.array_split(np.argsort(values), 10)
    for decile in deciles:
        assert win[decile].mean() == pytest.approx(won[decile].mean(), abs=0.08)
        assert cards[decile].mean() == pytest.approx(payoffs[decile].mean(), abs=2.5)
    assert won[deciles[0]].mean() < 0.1
    assert won[deciles[-1]].mean() > 0.9


def test_tables_are_the_averages_of_outcomes():
    """The share of games won is the value, and the payoff ten times as much."""
    random = np.random.default_rng(1)
    values = random.random(40_000)
    tables = fit(Decisions(values, random.random(40_000) < values, np.round(10 * values).astype(np.int64)))
    assert len(tables.values) == len(EDGES) + 1
    asked = np.linspace(0.05, 0.95, 10)
    assert np.abs(tables.win_chance(asked) - asked).max() < 0.03
    assert np.abs(tables.expected_cards(asked) - 10 * asked).max() < 0.3


def test_between_points_tables_are_straight_and_beyond_them_level():
    tables = Calibration((0.0, 10.0), (0.2, 0.4), (-2.0, 6.0))
    assert np.allclose(tables.win_chance([-1, 0, 5, 10, 11]), [0.2, 0.2, 0.3, 0.4, 0.4])
    assert np.allclose(tables.expected_cards([2.5]), [0])
    assert Calibration.from_json(tables.to_json()) == tables


def test_monotone_numbers_are_the_nearest():
    """Beside a search of all ascending numbers on a grid."""
    random = np.random.default_rng(2)
    for _ in range(5):
        means, weights = random.integers(0, 7, 4).astype(float), random.integers(1, 4, 4).astype(float)
        grid = np.array(list(combinations_with_replacement(np.linspace(0, 6, 37), 4)))
        nearest = ((grid - means) ** 2 * weights).sum(axis=1).min()
        found = monotone(means, weights)
        assert (np.diff(found) >= 0).all()
        assert ((found - means) ** 2 * weights).sum() <= nearest + 1e-9
