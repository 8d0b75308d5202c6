"""Scores of people against an agent with the same others on the same deals."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
import rlcard

from rlcard_big2.models import WEIGHTS
from rlcard_big2.rules import Rules
from rlcard_kit.rng import new_streams
from rlcard_play.games import GAMES
from rlcard_play.study.score import SEED
from tests.support.random_games import random_games

OTHERS = {'big2': ('rule', 'greedy', 'big2-dmc'), 'catch5': ('rule', 'catch5-ppo', 'catch5-ppo')}  # the next one first
WEAKER = {'big2': 'greedy', 'catch5': 'rule'}


@pytest.fixture(scope='module', params=GAMES)
def judge(request):
    return judge_of(request.param)


@pytest.fixture(scope='module')
def big2():
    return judge_of('big2')


def judge_of(key):
    game = GAMES[key]
    return game.judge(game.make_advisor(game.advisor, game.rules()))


def games_of(name, judge, seeds, seat=0, rules=None):
    """Return the records of games in which an agent is the person."""
    key, rules = judge.records.key, rules or GAMES[judge.records.key].rules()
    agents = [judge.make_player(one, rules) for one in (name, *OTHERS[key])]
    seats = [{'name': 'Ann', 'kind': 'person'}, *({'name': one, 'kind': 'agent'} for one in OTHERS[key])]
    games = []
    for seed in seeds:
        env = rlcard.make(key, config={'seed': seed, 'game_rules': rules})
        env.set_agents([agents[(i - seat) % 4] for i in range(4)])
        env.run()
        games.append(replace(env.to_record(), seats=tuple(seats[(i - seat) % 4] for i in range(4))))
    return games


@pytest.mark.parametrize('seat', range(4))
def test_a_person_who_plays_like_the_agent_equals_it(judge, seat):
    """Also after the refill of Catch Five, which the deals decide: it plays the same hands."""
    games = games_of(judge.advisor.name, judge, range(3), seat)
    ((conditions, results),) = judge.results(games).items()
    assert conditions == (GAMES[judge.records.key].rules(), OTHERS[judge.records.key], False)
    payoffs = [judge.payoff(game.payoffs, seat) for game in games]
    expected = [(payoff, payoff, payoff > 0) for payoff in payoffs]
    assert [(one.payoff, one.agent, one.won) for one in results] == expected
    lost = 0 if judge.records.key == 'big2' else None  # unknown
    assert [(one.given_away, one.luck is None) for one in results] == [(lost, lost is None)] * 3


def test_a_weaker_player_is_compared_on_the_same_deals(judge):
    games = games_of(WEAKER[judge.records.key], judge, range(6))
    ((_, results),) = judge.results(games).items()
    payoffs = [judge.payoff(game.payoffs, 0) for game in games]
    assert [one.payoff for one in results] == payoffs
    if judge.records.key == 'big2':
        assert sum(one.given_away for one in results) > 10
        assert sum(one.agent for one in results) > sum(payoffs)
    (summary,) = judge.summaries(games)
    assert (summary.games, summary.won) == (6, sum(payoff > 0 for payoff in payoffs))
    assert summary.payoff.mean == pytest.approx(sum(payoffs) / 6)
    assert summary.difference.mean == pytest.approx(summary.payoff.mean - summary.agent.mean) != 0
    assert summary.payoff.margin < inf
    assert (summary.given_away is None) == (judge.records.key == 'catch5')
    (few,) = judge.summaries(games[:4])
    assert few.payoff.margin == few.agent.margin == few.difference.margin == inf
    figures = few.to_json()
    assert [figures[name]['margin'] for name in ('payoff', 'agent', 'difference')] == [None] * 3


def test_only_the_first_to_go_out_has_won(big2):
    games = games_of('greedy', big2, range(8), rules=Rules(places=True))
    ((_, results),) = big2.results(games).items()
    assert [one.won for one in results] == [game.payoffs[0] == max(game.payoffs) for game in games]
    assert any(one.payoff > 0 and not one.won for one in results)


def test_only_finished_games_of_one_person_on_new_deals_count_and_those_with_help_separately(judge):
    game, other = games_of(WEAKER[judge.records.key], judge, range(1, 3))
    two = replace(game, seats=(game.seats[0],) * 2 + game.seats[2:])
    nobody = replace(game, seats=({}, {}, {}, {}))
    uncounted = [game.at(9), nobody, two, replace(game, seats=None), replace(game, extra={'first_time': False})]
    games = [*uncounted, game, game, replace(other, extra={'help': {'advice': [3]}})]
    counts = {conditions.aided: len(results) for conditions, results in judge.results(games).items()}
    assert counts == {False: 1, True: 1}


def test_games_of_three_players_count_separately_and_those_with_hidden_hands_not(big2):
    (game,) = games_of('greedy', big2, [1])
    (three,) = random_games(Rules.preset('hong-kong-3'), 1)
    three = replace(three, seats=({'kind': 'person'}, {'name': 'rule'}, {'name': 'rule'}))
    assert [len(results) for results in big2.results([three, game.seen_by(0), game]).values()] == [1, 1]


def test_without_calibration_cards_given_away_are_unknown():
    game = GAMES['big2']
    judge = game.judge(game.make_advisor(f'dmc:{WEIGHTS / "dmc"}', Rules()))
    games = games_of('greedy', judge, [3], rules=replace(Rules(), penalty_thresholds=(9,)))
    ((_, (result,)),) = judge.results(games).items()
    assert result.given_away is None


def test_luck_is_0_in_the_mean_of_a_deal_and_results_vary_less_without_it(big2):
    games = [(seat, game) for seat in range(4) for game in games_of('rule', big2, range(seat, 60, 4), seat)]
    payoffs, luck = np.array([[game.payoffs[seat], big2.luck(game, seat)] for seat, game in games]).T
    assert (payoffs - luck).var() < 0.8 * payoffs.var()
    assert sum(big2.luck(games[0][1], seat) for seat in range(4)) == pytest.approx(0)
    ((_, (result,)),) = big2.results([games[0][1]]).items()
    assert result.luck == luck[0]


def test_an_agent_in_the_first_seat_draws_alike_for_everybody(judge):
    game = GAMES[judge.records.key]
    deals = [game.find_deal(f'5/{i}', game.rules()) for i in range(8)]
    name = f'{WEAKER[game.key]},epsilon=0.5'
    found = [judge.payoff_of(name, deal) for deal in deals]
    assert [judge.payoff_of(name, deal) for deal in deals] == found
    assert found != [judge.payoff_of(WEAKER[game.key], deal) for deal in deals]
    for deal, payoff in zip(deals, found, strict=True):
        env, stream, agent = (
            rlcard.make(game.key, config={'seed': 1, 'game_rules': game.rules()}),
            new_streams(SEED, 1),
            None,
        )
        state, player = env.reset(position=deal)
        agent = judge.make_player(name, deal.rules)
        while not env.is_over():
            if player == 0:
                place = agent.choose(agent.positions_of(state), stream).indices[0]
                action = list(state['legal_actions'])[place]
            else:
                action, _ = judge.advisor.agent.eval_step(state)
            state, player = env.step(action)
        assert judge.payoff(env.get_payoffs().tolist(), 0) == payoff
