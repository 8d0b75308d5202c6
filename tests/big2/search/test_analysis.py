"""Rollout analysis: estimates of moves, and who sees what in rollouts."""

import json

import numpy as np
import pytest
import rlcard

from rlcard_big2.agents.rule import RuleAgent
from rlcard_big2.models import load_dmc
from rlcard_big2.rules import Rules
from rlcard_big2.search.analysis import analyse_moves
from rlcard_big2.search.beliefs import Beliefs, Uniform
from rlcard_big2.search.zoo import load_search
from rlcard_kit.errors import ConfigError, IllegalActionError
from tests.support.big2_positions import state_of
from tests.support.random_games import random_games


@pytest.fixture(scope='module')
def agent():
    return load_dmc(numpy=True)


FOURTEEN = Rules(players=3, leftover='opener', ranks=10)  # cards of the seat that opens, thirteen of the others


@pytest.mark.parametrize('rules', [*map(Rules.preset, ('charlesworth', 'hong-kong-3', 'two', 'mini')), FOURTEEN])
def test_true_hidden_hands_change_nothing(agent, rules):
    for look in (
        lambda state: analyse_moves(state, agent, deals=12),
        lambda state: load_search(agent, worlds=8).eval_step(state),
    ):
        (game,) = random_games(rules, 1, seed=6)
        for ply in (2, len(game.moves) // 2):
            position = game.at(ply)
            shown = position.seen_by(position.player)
            first, *others = (
                look(rlcard.make('big2', config={'seed': seed, 'game_rules': rules}).reset(position=one)[0])
                for seed, one in enumerate((position, shown, shown))
            )
            assert others == [first, first]


def test_one_move_from_the_end_the_values_are_exact(agent):
    for found, expected in (
        (analyse_moves(state_of('Ks', (3, 4, 5)), agent, deals=20), 12.0),
        (analyse_moves(state_of('Ks', (3, 9, 11), rules=Rules(penalty_thresholds=(8, 10))), agent), 3 + 2 * 9 + 3 * 11),
    ):
        [only] = found.moves
        assert (only.move, only.payoff, only.behind, only.win) == ('Ks', (expected, 0.0), (0.0, 0.0), 1.0)
        assert (only.events, only.reason) == (dict.fromkeys(('safe', 'win', 'few', 'lead'), 1.0), None)


def test_a_forced_win_is_worth_what_the_others_hold(agent):
    best, other = analyse_moves(state_of('4s 2s', (5, 6, 7)), agent, deals=50).moves
    assert (best.move, best.payoff, best.win) == ('2s', (18.0, 0.0), 1.0)
    assert other.move == '4s'
    assert other.behind.mean == pytest.approx(18 - other.payoff.mean)
    assert other.behind.mean > 0
    assert other.behind.margin == pytest.approx(other.payoff.margin)  # in the same deals, and the best does not vary
    assert (best.events['lead'], best.reason) == (1, None), 'a 2 of spades takes the trick'
    assert other.events['win'] == other.win


def test_that_an_opponent_goes_out_is_a_reason_and_that_a_pass_does_not_lead_is_none(agent):
    state = state_of('4s 2s', (1, 6, 7), table='5d', by=3)
    best, other = analyse_moves(state, agent, deals=50, moves=['2s', 'pass']).moves
    assert (best.move, other.reason.event, other.reason.best) == ('2s', 'safe', 1)
    assert other.events['safe'] == other.reason.other < 0.5
    assert set(best.events) - set(other.events) == {'lead'}


def test_the_seed_alone_decides_and_moves_can_be_named(agent):
    state = state_of('4s 5s 6s 8s Ts 2s', (5, 6, 7))
    once, again, other = (analyse_moves(state, agent, deals=16, seed=seed) for seed in (3, 3, 4))
    assert once == again != other
    assert len(once.moves) == 5
    assert [one.payoff.mean for one in once.moves] == sorted((one.payoff.mean for one in once.moves), reverse=True)
    named = analyse_moves(state, agent, deals=16, seed=3, moves=['5s', '4s'])
    cards = {one.move: one.payoff for one in analyse_moves(state, agent, deals=16, seed=3, moves=99).moves}
    assert {one.move: one.payoff for one in named.moves} == {move: cards[move] for move in ('4s', '5s')}


class Alike(Beliefs):
    """Deals one world to each observation, again and again."""

    def draw(self, observations, random, count):
        return np.repeat(Uniform(Rules()).draw(observations, random, 1), count, axis=1)


def test_deals_that_are_alike_show_no_more_than_one(agent):
    state = state_of('4s 5s 2s', (5, 6, 7))
    one, alike, apart = (
        analyse_moves(state, agent, deals=deals, beliefs=beliefs)
        for deals, beliefs in ((10, Uniform), (200, lambda rules: Alike()), (200, Uniform))
    )
    for repeated, single in zip(alike.moves, one.moves, strict=True):
        assert repeated.move == single.move
        assert repeated.payoff == pytest.approx(single.payoff)
        assert repeated.behind == pytest.approx(single.behind)
    assert 0 < apart.moves[0].payoff.margin < alike.moves[0].payoff.margin / 2


def test_an_analysis_is_json(agent):
    found = json.loads(
        json.dumps(analyse_moves(state_of('4s 2s', (5, 6, 7)), agent, deals=1).to_json(), allow_nan=False)
    )
    assert (found['deals'], found['guessed']) == (1, False)
    assert found['moves'][0] == {
        'move': '2s', 'mean': 18.0, 'margin': None, 'behind': 0.0, 'behind_margin': 0.0, 'win': 1.0,
        'reason': None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ('settings', 'error', 'named'),
    [
        ({'deals': 0}, ConfigError, r'^deals=0.*1 to 100000'),
        ({'deals': 2.5}, ConfigError, r'^deals=2\.5'),
        ({'moves': 0}, ConfigError, r'^moves=0'),
        ({'moves': '4s'}, ConfigError, "moves='4s'"),
        ({'moves': []}, IllegalActionError, 'no moves'),
        ({'moves': ['4s', '3d']}, IllegalActionError, '3d'),
        ({'seed': -1}, ConfigError, 'seed=-1'),
        ({'agent': RuleAgent()}, ConfigError, 'big2-dmc'),
    ],
)
def test_what_cannot_be_analysed_is_refused(agent, settings, error, named):
    with pytest.raises(error, match=named):
        analyse_moves(**{'state': state_of('4s 2s', (5, 6, 7)), 'agent': agent, **settings})
