"""How people did in recorded games, beside an agent on the same deals."""

from dataclasses import replace

import pytest
import rlcard

import rlcard_big2
from rlcard_big2.agents.greedy import GreedyAgent
from rlcard_big2.rules import Rules
from rlcard_big2.study.advice import make_advisor
from rlcard_big2.study.score import Judge, Result, results, score_lines
from rlcard_big2.terminal.formatting import Style

OPPONENTS = ('rule', 'greedy', 'big2-dmc')


@pytest.fixture(scope='module')
def advisor():
    return make_advisor('big2-dmc', Rules())


def game_of(person, advisor, seed, seat=0, **extra):
    """Return the record of a game in which an agent is the person."""
    env = rlcard.make('big2', config={'seed': seed})
    others = [rlcard_big2.make_agent('rule'), GreedyAgent(), advisor.agent]
    agents, seats = [person, *others], [{'name': 'Ann', 'kind': 'person'}, *({'name': name} for name in OPPONENTS)]
    env.set_agents([agents[(i - seat) % 4] for i in range(4)])
    env.run()
    return replace(env.to_record(), seats=tuple(seats[(i - seat) % 4] for i in range(4)), extra=extra)


@pytest.mark.parametrize('seat', [0, 2])
def test_a_person_who_plays_as_the_agent_does_is_its_equal(advisor, seat):
    games = [game_of(advisor.agent, advisor, seed, seat) for seed in range(3)]
    ((conditions, found),) = results(games, Judge(advisor)).items()
    assert conditions == (Rules(), OPPONENTS, False)
    assert found == [Result(game.payoffs[seat], game.payoffs[seat], 0) for game in games]


def test_others_give_cards_away(advisor):
    games = [game_of(GreedyAgent(), advisor, seed) for seed in range(6)]
    ((_, found),) = results(games, Judge(advisor)).items()
    assert [one.payoff for one in found] == [game.payoffs[0] for game in games]
    assert sum(one.given_away for one in found) > 10
    assert sum(one.agents for one in found) > sum(one.payoff for one in found)
    text = '\n'.join(score_lines(games, advisor, Style()))
    assert 'charlesworth, against rule, greedy, big2-dmc, without help' in text
    assert f'games won: {sum(one.payoff > 0 for one in found)} of 6' in text
    assert text.count(' ± ') == 4


def test_games_with_help_are_counted_apart(advisor):
    games = [game_of(GreedyAgent(), advisor, 1), game_of(GreedyAgent(), advisor, 2, help={'advice': [4]})]
    assert {conditions.aided: len(found) for conditions, found in results(games, Judge(advisor)).items()} == {
        False: 1, True: 1,
    }  # fmt: skip
    assert 'unknown' in '\n'.join(score_lines(games, advisor, Style()))


def test_only_whole_games_of_one_person_on_new_deals_count(advisor):
    game = game_of(GreedyAgent(), advisor, 1)
    nobody = replace(game, seats=({}, {}, {}, {}))
    two = replace(game, seats=({'kind': 'person'},) * 2 + ({}, {}))
    games = [game.at(9), game.seen_by(0), nobody, two, replace(game, seats=None), game, game]
    assert [len(found) for found in results(games, Judge(advisor)).values()] == [1]
    assert ' 6 records do not count' in '\n'.join(score_lines(games, advisor, Style()))


def test_under_rules_that_no_network_knows_cards_given_away_are_not_known(advisor):
    env = rlcard.make('big2', config={'seed': 3, 'game_rules': replace(Rules(), penalty_thresholds=(9,))})
    env.set_agents([GreedyAgent() for _ in range(4)])
    env.run()
    seats = ({'name': 'Ann', 'kind': 'person'}, *({'name': 'greedy'},) * 3)
    ((_, (found,)),) = results([replace(env.to_record(), seats=seats)], Judge(advisor)).items()
    assert found.given_away is None
