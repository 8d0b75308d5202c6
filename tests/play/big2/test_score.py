"""Scores of people against an agent on the same deals."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
import rlcard

import rlcard_big2
from rlcard_big2.agents.greedy import GreedyAgent
from rlcard_big2.models import WEIGHTS
from rlcard_big2.rules import Rules
from rlcard_play.big2.advice import make_advisor
from rlcard_play.big2.score import Judge
from tests.support.random_games import random_games

OPPONENTS = ('rule', 'greedy', 'big2-dmc')


@pytest.fixture(scope='module')
def advisor():
    return make_advisor('big2-dmc', Rules())


def game_of(person, advisor, seed, seat=0, rules='charlesworth', **extra):
    """Return the record of a game in which an agent is the person."""
    env = rlcard.make('big2', config={'seed': seed, 'game_rules': rules})
    others = [rlcard_big2.make_agent('rule'), GreedyAgent(), advisor.agent]
    agents, seats = [person, *others], [{'name': 'Ann', 'kind': 'person'}, *({'name': name} for name in OPPONENTS)]
    env.set_agents([agents[(i - seat) % 4] for i in range(4)])
    env.run()
    return replace(env.to_record(), seats=tuple(seats[(i - seat) % 4] for i in range(4)), extra=extra)


@pytest.mark.parametrize('seat', [0, 2])
def test_a_person_who_plays_like_the_agent_equals_it(advisor, seat):
    games = [game_of(advisor.agent, advisor, seed, seat) for seed in range(3)]
    ((conditions, found),) = Judge(advisor).results(games).items()
    assert conditions == (Rules(), OPPONENTS, False)
    assert [(one.payoff, one.agent, one.given_away) for one in found] == [
        (game.payoffs[seat],) * 2 + (0,) for game in games
    ]


def test_a_weaker_player_loses_cards(advisor):
    games = [game_of(GreedyAgent(), advisor, seed) for seed in range(6)]
    ((_, found),) = Judge(advisor).results(games).items()
    assert [one.payoff for one in found] == [game.payoffs[0] for game in games]
    assert sum(one.given_away for one in found) > 10
    assert sum(one.agent for one in found) > sum(one.payoff for one in found)
    (summary,) = Judge(advisor).summaries(games)
    assert (summary.games, summary.won) == (6, sum(one.payoff > 0 for one in found))
    assert summary.payoff.margin < inf
    (few,) = Judge(advisor).summaries(games[:4])
    assert few.payoff.margin == few.difference.margin == inf
    assert summary.difference.mean == pytest.approx(summary.payoff.mean - summary.agent.mean)


def test_only_the_first_to_go_out_has_won(advisor):
    games = [game_of(GreedyAgent(), advisor, seed, rules=Rules(places=True)) for seed in range(8)]
    ((_, found),) = Judge(advisor).results(games).items()
    assert [one.won for one in found] == [game.payoffs[0] == max(game.payoffs) for game in games]
    assert any(one.payoff > 0 and not one.won for one in found)


def test_games_with_help_are_counted_separately(advisor):
    games = [game_of(GreedyAgent(), advisor, 1), game_of(GreedyAgent(), advisor, 2, help={'advice': [4]})]
    assert {conditions.aided: len(found) for conditions, found in Judge(advisor).results(games).items()} == {
        False: 1, True: 1,
    }  # fmt: skip


def test_only_whole_games_of_one_person_on_new_deals_count(advisor):
    game = game_of(GreedyAgent(), advisor, 1)
    nobody = replace(game, seats=({}, {}, {}, {}))
    two = replace(game, seats=({'kind': 'person'},) * 2 + ({}, {}))
    (three,) = random_games(Rules.preset('hong-kong-3'), 1)
    three = replace(three, seats=({'kind': 'person'}, {'name': 'rule'}, {'name': 'rule'}))
    games = [three, game.at(9), game.seen_by(0), nobody, two, replace(game, seats=None), game, game]
    assert [len(found) for found in Judge(advisor).results(games).values()] == [1, 1], 'of three players and of four'


def test_without_calibration_cards_given_away_are_unknown():
    env = rlcard.make('big2', config={'seed': 3, 'game_rules': replace(Rules(), penalty_thresholds=(9,))})
    env.set_agents([GreedyAgent() for _ in range(4)])
    env.run()
    seats = ({'name': 'Ann', 'kind': 'person'}, *({'name': 'greedy'},) * 3)
    judge = Judge(make_advisor(f'dmc:{WEIGHTS / "dmc"}', Rules()))
    ((_, (found,)),) = judge.results([replace(env.to_record(), seats=seats)]).items()
    assert found.given_away is None


def test_luck_is_0_in_the_mean_of_a_deal_and_results_vary_less_without_it(advisor):
    judge = Judge(advisor)
    games = [game_of(rlcard_big2.make_agent('rule'), advisor, seed, seed % 4) for seed in range(60)]
    payoffs, luck = np.array(
        [[game.payoffs[seed % 4], judge.luck(game, seed % 4)] for seed, game in enumerate(games)]
    ).T
    assert (payoffs - luck).var() < 0.8 * payoffs.var()
    assert sum(judge.luck(games[0], seat) for seat in range(4)) == pytest.approx(0)
    ((_, (result,)),) = judge.results(games[:1]).items()
    assert result.luck == luck[0]
