"""Reasons why moves are not legal."""

from dataclasses import replace
from itertools import combinations
from random import Random

import pytest

from rlcard_big2.cards import parse_cards
from rlcard_big2.rules import PRESETS, Rules
from rlcard_play.games import GAMES
from rlcard_play.study.review import new_env

HANDS = [
    '3d 3c 4d 5c 5h 6s 7h 9d 9h 9s Kd Kc 2h', '3h 3s 4c 4h 4s 5d 5s 6d 6c 6h 7d 7c 7s',
    '8d 8c 8h 8s 9c Td Tc Th Ts Jd Jc Jh Js', 'Qd Qc Qh Qs Kh Ks Ad Ac Ah As 2d 2c 2s',
]  # fmt: skip

ODD = replace(Rules.preset('hkust'), last_card='highest', no_lone_two=True)


@pytest.mark.parametrize(
    ('rules', 'moves', 'text', 'reason', 'values'),
    [
        ('hkust', (), 'pass', 'lead', {}),
        ('hkust', (), 'Zz', 'no card', {'text': 'Zz'}),
        ('hkust', (), '', 'no card', {'text': ''}),
        ('hkust', (), '3d 3h as', 'not held', {'cards': '3h As'}),
        ('charlesworth', (), '3d 3c', 'opening alone', {'cards': '3d'}),
        ('hong-kong', (), '5c 5h', 'opening holding', {'cards': '3d'}),
        ('hong-kong', (), '3d 4d', 'no combination', {}),
        ('hong-kong', ('3d',), '4c 4h', 'count', {'n': 1, 'beat': '3d'}),
        ('hong-kong', ('3d 3c', 'pass', 'Td Tc', 'pass'), '9d 9h', 'weaker', {'beat': 'Td Tc'}),
        ('paper', (), '5h', 'bid', {'low': 3, 'high': 9}),
        ('paper', ('bid 4',), 'bid 4', 'bid', {'low': 5, 'high': 9}),
        ('paper', ('bid 9',), 'bid 9', 'only pass', {}),
        ('paper', ('pass', 'pass', 'pass'), 'pass', 'must bid', {'low': 3, 'high': 9}),
        ('paper', ('bid 9', 'pass', 'pass', 'pass'), '5h', 'name trumps', {}),
        ('paper', ('bid 9', 'pass', 'pass', 'pass', 'trump H'), 'h5', 'no card', {'text': 'h5'}),
    ],
)
def test_each_reason(rules, moves, text, reason, values):
    game = GAMES['catch5' if rules == 'paper' else 'big2']
    env = new_env(game.key, rules)
    hands = [[card for card in range(52) if parse_cards(hand) >> card & 1] for hand in HANDS]
    state, _ = env.reset(**({'hands': hands} if game.key == 'big2' else {}))
    for move in moves:
        state, _ = env.step(move, raw_action=True)
    assert game.refusal(state, text) == (reason, values)


@pytest.mark.parametrize('rules', [*PRESETS, ODD], ids=str)
def test_reasons_of_random_selections_are_true(rules):
    env, random = new_env('big2', rules), Random(4)
    for _ in range(4):
        state, _ = env.reset()
        while not env.is_over():
            seen, legal = state['raw_obs'], state['raw_legal_actions']
            hand, beat = seen['current_hand'].split(), seen['hand_to_beat'].split()
            for size in {1, 2, min(5, len(hand))}:
                text = ' '.join(random.choice(list(combinations(hand, min(size, len(hand))))))
                if text not in legal:
                    reason, values = GAMES['big2'].refusal(state, text)
                    assert {
                        'no combination': len(text.split()) > 1,
                        'opening alone': not seen['trace'] and text.split() != hand[:1],
                        'opening holding': not seen['trace'] and hand[0] not in text,
                        'passed': seen['rules'].final_pass and legal == ['pass'],
                        'count': values.get('n') == len(beat) != len(text.split()),
                        'kind': not seen['rules'].mixed_kinds and len(beat) == 5,
                        'weaker': values.get('beat') == ' '.join(beat),
                        'last card': seen['rules'].last_card == 'highest' and 1 in seen['num_cards_left'],
                        'lone two': seen['rules'].no_lone_two and len(hand) == 1,
                    }[reason], (reason, text, seen)
            state, _ = env.step(random.choice(legal), raw_action=True)


@pytest.mark.parametrize('rules', ['paper', 'table'])
def test_reasons_of_cards_are_true(rules):
    env, found = new_env('catch5', rules), set()
    state, _ = env.reset()
    while not env.is_over():
        seen, legal = state['raw_obs'], state['raw_legal_actions']
        if seen['trump'] is not None:
            for card in {*seen['current_hand'].split()} - {*legal}:
                led = seen['trick'][seen['leader']][1]
                assert GAMES['catch5'].refusal(state, card) == (f'follow {seen["rules"].following}', {'suit': led})
                assert card[1] != led
                found.add(card)
            assert GAMES['catch5'].refusal(state, 'Zz').reason == 'no card'
            missing = next(iter({'2c', '2d', '2h', '2s', 'Ac', 'Ad', 'Ah'} - {*seen['current_hand'].split()}))
            assert GAMES['catch5'].refusal(state, missing) == ('not held', {'cards': missing})
        state, _ = env.step(legal[-1], raw_action=True)
    assert found
