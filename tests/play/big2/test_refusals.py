"""Reasons why moves of Big 2 are not legal."""

from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
import rlcard

from rlcard_big2.cards import parse_cards
from rlcard_big2.rules import PRESETS, Rules
from rlcard_play.big2.refusals import refusal

HANDS = [
    '3d 3c 4d 5c 5h 6s 7h 9d 9h 9s Kd Kc 2h', '3h 3s 4c 4h 4s 5d 5s 6d 6c 6h 7d 7c 7s',
    '8d 8c 8h 8s 9c Td Tc Th Ts Jd Jc Jh Js', 'Qd Qc Qh Qs Kh Ks Ad Ac Ah As 2d 2c 2s',
]  # fmt: skip

ODD = replace(Rules.preset('hkust'), last_card='highest', no_lone_two=True)


def state_after(rules, *moves):
    env = rlcard.make('big2', config={'seed': 1, 'game_rules': rules})
    state, _ = env.reset(hands=[[card for card in range(52) if parse_cards(hand) >> card & 1] for hand in HANDS])
    for move in moves:
        state, _ = env.step(move, raw_action=True)
    return state


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
    ],
)
def test_each_reason(rules, moves, text, reason, values):
    assert refusal(state_after(rules, *moves), text) == (reason, values)


@pytest.mark.parametrize('rules', [*PRESETS, ODD], ids=str)
def test_reasons_of_random_selections_are_true(rules):
    env, random = rlcard.make('big2', config={'seed': 3, 'game_rules': rules}), Random(4)
    for _ in range(4):
        state, _ = env.reset()
        while not env.is_over():
            seen, legal = state['raw_obs'], state['raw_legal_actions']
            hand, beat = seen['current_hand'].split(), seen['hand_to_beat'].split()
            for size in {1, 2, min(5, len(hand))}:
                text = ' '.join(random.choice(list(combinations(hand, min(size, len(hand))))))
                if text not in legal:
                    reason, values = refusal(state, text)
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
