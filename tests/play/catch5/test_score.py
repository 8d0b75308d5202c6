"""Scores of people against an agent with the same partner and opponents on the same deals."""

from dataclasses import replace
from math import inf

import pytest
import rlcard

from rlcard_catch5.registry import make_agent
from rlcard_catch5.rules import Rules
from rlcard_play.catch5.advice import make_advisor
from rlcard_play.catch5.score import Judge
from rlcard_play.study.score import Result

OTHERS = ('rule', 'catch5-ppo', 'catch5-ppo')  # the next one, the partner, and the previous one


@pytest.fixture(scope='module')
def judge():
    return Judge(make_advisor('catch5-ppo', Rules()))


def game_of(name, seed, seat=0, **extra):
    """Return the record of a hand in which an agent is the person."""
    env = rlcard.make('catch5', config={'seed': seed})
    agents = [make_agent(one) for one in (name, *OTHERS)]
    seats = [{'name': 'Ann', 'kind': 'person'}, *({'name': one, 'kind': 'agent'} for one in OTHERS)]
    env.set_agents([agents[(i - seat) % 4] for i in range(4)])
    env.run()
    return replace(env.to_record(), seats=tuple(seats[(i - seat) % 4] for i in range(4)), extra=extra)


def ahead(game, seat):
    return game.payoffs[seat] - game.payoffs[(seat + 1) % 4]


@pytest.mark.parametrize('seat', range(4))
def test_a_person_who_plays_like_the_agent_equals_it(judge, seat):
    """Also after the refill, which the deals decide: it plays the same hands."""
    games = [game_of('catch5-ppo', seed, seat) for seed in range(4)]
    ((conditions, found),) = judge.results(games).items()
    assert conditions == (Rules(), OTHERS, False)
    assert found == [Result(ahead(game, seat), ahead(game, seat) > 0, ahead(game, seat), None, None) for game in games]
    assert judge.against(conditions.others) == 'with catch5-ppo against rule and catch5-ppo'


def test_a_weaker_player_is_compared_on_the_same_deals(judge):
    games = [game_of('rule', seed) for seed in range(6)]
    (summary,) = judge.summaries(games)
    assert summary.payoff.mean == pytest.approx(sum(ahead(game, 0) for game in games) / 6)
    assert (summary.games, summary.won) == (6, sum(ahead(game, 0) > 0 for game in games))
    assert summary.difference.mean == pytest.approx(summary.payoff.mean - summary.agent.mean) != 0
    assert summary.payoff.margin < inf
    assert summary.given_away is None
    (few,) = judge.summaries(games[:4])
    assert few.payoff.margin == few.agent.margin == few.difference.margin == inf
    figures = few.to_json()
    assert [figures[name]['margin'] for name in ('payoff', 'agent', 'difference')] == [None] * 3


def test_only_finished_hands_of_one_person_on_new_deals_count(judge):
    game = game_of('rule', 1)
    games = [game, game, game.at(9), replace(game, seats=None), replace(game, extra={'first_time': False})]
    games += [replace(game, seats=(game.seats[0],) * 2 + game.seats[2:]), game_of('rule', 2, help={'advice': [3]})]
    assert {conditions.aided: len(found) for conditions, found in judge.results(games).items()} == {
        False: 1, True: 1,
    }  # fmt: skip
