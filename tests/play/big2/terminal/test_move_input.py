"""Entries of moves."""

import pytest
import rlcard

from rlcard_big2.agents.base import RandomAgent
from rlcard_big2.rules import PRESETS
from rlcard_play.big2.terminal.move_input import explain, find_action

LEGAL = ['4s', '6h', 'Td', 'Tc', 'Td Tc', 'Td Ts', 'Ah As', '7d 7h 7s Ah As', 'pass']
SEEN = {'current_hand': '4s 6h 7d Td Tc Ts Ah As 2c 2s', 'hand_to_beat': 'Jh'}


@pytest.mark.parametrize(
    ('entry', 'move'),
    [
        ('#0', '4s'), ('#1', '6h'), ('as  ah', 'Ah As'), ('as ah 7s 7d 7h', '7d 7h 7s Ah As'), ('10d', 'Td'),
        ('10♦ 10♠', 'Td Ts'), ('tdts', 'Td Ts'), ('10♠10♦', 'Td Ts'), ('t♦\ufe0f ts', 'Td Ts'), ('pass', 'pass'),
        ('p', 'pass'),
    ],
)  # fmt: skip
def test_cards_in_any_form_and_numbers(entry, move):
    assert LEGAL[find_action(entry, LEGAL)] == move


@pytest.mark.parametrize(
    ('entry', 'datum'),
    [
        ('#99', '#99'), ('#' + '9' * 5000, '#8'), ('#', '#8'), ('#-1', '#8'), ('4', "'4'"), ('10', "'t'"),
        ('12', "'12'"), ('-1', "'-1'"), ('4x', "'4x'"), ('a', "'a'"), ('', 'Nothing'), ('2s kh', 'Kh'), ('7d', '7d'),
        ('2c 2s', 'on Jh'),
    ],
)  # fmt: skip
def test_other_entries_are_explained(entry, datum):
    assert find_action(entry, LEGAL) is None
    assert datum in explain(entry, SEEN, LEGAL)


@pytest.mark.parametrize('rules', PRESETS)
def test_every_legal_action_can_be_entered(rules):
    """In any order of suits, an action's cards name it and no other."""
    env = rlcard.make('big2', config={'seed': 2, 'game_rules': rules})
    agent, (state, _) = RandomAgent(3), env.reset()
    while not env.is_over():
        legal = state['raw_legal_actions']
        for number, text in enumerate(legal[:40]):
            assert find_action(' '.join(reversed(text.lower().split())), legal) == number
        state, _ = env.step(agent.step(state))
