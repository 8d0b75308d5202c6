"""Reasons why moves of Catch Five are not legal."""

import pytest
import rlcard

from rlcard_play.catch5.refusals import refusal


def state_after(rules, *moves):
    env = rlcard.make('catch5', config={'seed': 5, 'game_rules': rules})
    state, _ = env.reset()
    for move in moves:
        state, _ = env.step(move, raw_action=True)
    return state


@pytest.mark.parametrize(
    ('moves', 'text', 'reason', 'values'),
    [
        ((), '5h', 'bid', {'low': 3, 'high': 9}),
        (('bid 4',), 'bid 4', 'bid', {'low': 5, 'high': 9}),
        (('bid 9',), 'bid 9', 'only pass', {}),
        (('pass', 'pass', 'pass'), 'pass', 'must bid', {'low': 3, 'high': 9}),
        (('bid 9', 'pass', 'pass', 'pass'), '5h', 'name trumps', {}),
        (('bid 9', 'pass', 'pass', 'pass', 'trump H'), 'h5', 'no card', {'text': 'h5'}),
    ],
)
def test_each_reason(moves, text, reason, values):
    assert refusal(state_after('paper', *moves), text) == (reason, values)


@pytest.mark.parametrize('rules', ['paper', 'table'])
def test_reasons_of_cards_are_true(rules):
    env, found = rlcard.make('catch5', config={'seed': 5, 'game_rules': rules}), set()
    state, _ = env.reset()
    while not env.is_over():
        seen, legal = state['raw_obs'], state['raw_legal_actions']
        if seen['trump'] is not None:
            for card in {*seen['current_hand'].split()} - {*legal}:
                led = seen['trick'][seen['leader']][1]
                assert refusal(state, card) == (f'follow {seen["rules"].following}', {'suit': led})
                assert card[1] != led
                found.add(card)
            assert refusal(state, 'Zz').reason == 'no card'
            missing = next(iter({'2c', '2d', '2h', '2s', 'Ac', 'Ad', 'Ah'} - {*seen['current_hand'].split()}))
            assert refusal(state, missing) == ('not held', {'cards': missing})
        state, _ = env.step(legal[-1], raw_action=True)
    assert found
