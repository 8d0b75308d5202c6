"""Calibration of values: the tables of the shipped network on fresh deals, and the fit of tables."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from rlcard_big2 import make_agent
from rlcard_big2.nets.rule_features import stake
from rlcard_big2.random_rules import random_rules
from rlcard_big2.rules import Rules
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.calibration import Calibration
from training.calibration import EDGES, Decisions, fit, fit_by_rules, monotone, play_itself
from training.games import game_of


@pytest.mark.parametrize('rules', [Rules(), random_rules(np.random.default_rng(77))])
def test_the_win_chance_of_the_shipped_networks_is_the_share_of_games_they_win(rules):
    agent = make_agent('big2-dmc', rules)
    calibration = agent.calibration(rules)
    values, won, payoffs = play_itself(game_of('big2').for_rules(rules), agent, rules, 500, 77)
    assert not np.isnan(values).any(), 'decisions are those with a choice'
    assert ((payoffs > 0) == won).all()
    win, cards = calibration.win_chance(values), calibration.expected_cards(values)
    deciles = np.array_split(np.argsort(values), 10)
    for decile in deciles:
        assert win[decile].mean() == pytest.approx(won[decile].mean(), abs=0.08)
        assert cards[decile].mean() == pytest.approx(payoffs[decile].mean(), abs=2.5 * stake(rules))
    assert won[deciles[0]].mean() < 0.1
    assert won[deciles[-1]].mean() > 0.8


def test_tables_are_the_averages_of_outcomes():
    """The share of games won is the value, and the payoff ten times as much."""
    random = np.random.default_rng(1)
    values = random.random(40_000)
    tables = fit(Decisions(values, random.random(40_000) < values, np.round(10 * values).astype(np.int64)))
    assert len(tables.values) == len(EDGES) + 1
    asked = np.linspace(0.05, 0.95, 10)
    assert np.abs(tables.win_chance(asked) - asked).max() < 0.03
    assert np.abs(tables.expected_cards(asked) - 10 * asked).max() < 0.3


def test_tables_by_rules_are_the_averages_of_outcomes_under_each():
    """In stakes, one of the rules pays three less than the value, and halves the odds of winning."""
    random = np.random.default_rng(1)
    played = []
    for rules, unit in ((0, 2.0), (1, 5.0)) * 10:
        values = random.normal(0, 4, 3000)
        won = random.random(3000) < 1 / (1 + 2**rules * np.exp(-values / 2))
        played.append((np.array([rules], np.int8), unit, Decisions(values * unit, won, (values - 3 * rules) * unit)))
    tables = fit_by_rules(played)
    asked = np.linspace(-5, 5, 11)
    for rules, unit in ((0, 2.0), (1, 5.0)):
        found = tables.under(np.array([rules], np.int8), unit)
        assert np.abs(found.win_chance(asked * unit) - 1 / (1 + 2**rules * np.exp(-asked / 2))).max() < 0.04
        assert np.abs(found.expected_cards(asked * unit) - (asked - 3 * rules) * unit).max() < 0.4 * unit
    with pytest.raises(ConfigError, match='1 inputs of rules, not 2'):
        tables.under(np.zeros(2, np.int8), 1.0)


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
