"""Advice of networks."""

import pytest
import rlcard

from rlcard_catch5.actions import parse_action
from rlcard_catch5.registry import make_agent
from rlcard_catch5.rules import Rules
from rlcard_kit.nets.agents import ValueAgent
from rlcard_play.catch5.advice import Advisor, make_advisor

DIVIDED = {
    'dealer': 3,
    'hands': [
        [40, 41, 48, 5, 18, 0, 26, 8, 1],
        [42, 44, 45, 50, 51, 34, 14, 13, 33],
        [47, 49, 12, 20, 31, 10, 30, 29, 6],
        [39, 43, 25, 15, 36, 16, 24, 3, 23],
    ],
    'redeal_stock': [4, 7, 11, 21, 9, 2, 28, 19, 22, 32, 35, 38, 37, 27, 17, 46],
}
BEFORE = 'pass, bid 4, pass, pass, trump S, As, Qs, 2s, 3s, Ks, Ts, 6s, 4s, Jd, 8d, 6d'


class Lengths:
    """A function of moves that prefers the highest action ids."""

    def values(self, positions):
        return positions.moves.astype('float32')


def test_a_policy_gives_shares_and_a_value_for_the_position():
    state = rlcard.make('catch5', config={'seed': 1}).reset()[0]
    advice = make_advisor('catch5-ppo', Rules()).advise(state)
    assert {move for one in advice.moves for move in (one.move, *one.alike)} == set(state['raw_legal_actions'])
    assert sum(one.share for one in advice.moves) == pytest.approx(1)
    assert [one.share for one in advice.moves] == sorted((one.share for one in advice.moves), reverse=True)
    assert advice.points == make_agent('catch5-ppo').eval_step(state)[1]['value']


def test_discards_between_which_nothing_is_to_choose_do_not_lose_the_vote():
    env = rlcard.make('catch5')
    state, _ = env.reset(deal=DIVIDED)
    for move in BEFORE.split(', '):
        state, _ = env.step(move, raw_action=True)
    advisor = make_advisor('catch5-ppo', Rules())
    action, told = advisor.agent.eval_step(state)
    assert max(told['probs'], key=told['probs'].get) == 'Js'  # the likeliest card
    best, other = advisor.advise(state).moves
    assert (best.move, best.alike, other.move) == ('8h', ('Jh', 'Ah'), 'Js')
    assert best.share == pytest.approx(1 - told['probs']['Js'])
    assert action == parse_action(best.move)
    assert advisor.advise(state).of('Jh') == best
    deep = {one.move: one for one in advisor.look(state)}
    assert deep['8h'].behind.mean == 0
    assert deep['Js'].behind.mean - deep['Js'].behind.margin > 4  # points that the likeliest card costs


def test_a_function_of_values_gives_points_for_each_move():
    state = rlcard.make('catch5', config={'seed': 1}).reset()[0]
    advice = Advisor(ValueAgent(Lengths()), 'lengths').advise(state)
    assert [one.move for one in advice.moves] == state['raw_legal_actions'][::-1]
    assert advice.points == advice.moves[0].points == list(state['legal_actions'])[-1]
