"""Entries of moves."""

import pytest
import rlcard

from rlcard_catch5.agents.base import RandomAgent
from rlcard_catch5.rules import PRESETS
from rlcard_play.catch5.terminal.move_input import explain, find_action

BIDS = ['pass', 'bid 5', 'bid 6', 'bid 9']
STUCK = BIDS[1:]
SUITS = ['trump C', 'trump D', 'trump H', 'trump S']
CARDS = ['5h', 'Th', 'Ah']
SEEN = {'current_hand': '2c 5h Th Ah', 'trick': ['', '', '', 'Kh'], 'leader': 3}


@pytest.mark.parametrize(
    ('entry', 'legal', 'move'),
    [
        ('p', BIDS, 'pass'), ('pass', BIDS, 'pass'), ('5', BIDS, 'bid 5'), ('bid 9', BIDS, 'bid 9'),
        ('#2', BIDS, 'bid 6'),
        ('h', SUITS, 'trump H'), ('spades', SUITS, 'trump S'), ('♦', SUITS, 'trump D'), ('trump c', SUITS, 'trump C'),
        ('5h', CARDS, '5h'), ('10h', CARDS, 'Th'), ('t ♥\ufe0f', CARDS, 'Th'), ('#0', CARDS, '5h'),
    ],
)  # fmt: skip
def test_moves_in_any_form(entry, legal, move):
    assert legal[find_action(entry, legal)] == move


@pytest.mark.parametrize(
    ('entry', 'legal', 'datum'),
    [
        ('', BIDS, 'Nothing'), ('#9', BIDS, '#9'), ('4', BIDS, 'from 5 to 9'), ('10', BIDS, "'10'"),
        ('5h', BIDS, "'5h'"),
        ('p', STUCK, 'cannot pass'), ('8', ['bid 7'], 'bid 7'), ('x', SUITS, "'x'"), ('h', CARDS, "'h'"),
        ('12', CARDS, "'12'"), ('kh', CARDS, 'Kh'), ('2c', CARDS, 'follow Kh'),
    ],
)  # fmt: skip
def test_other_entries_are_explained(entry, legal, datum):
    assert find_action(entry, legal) is None
    assert datum in explain(entry, {**SEEN, 'actions': legal})


@pytest.mark.parametrize('rules', PRESETS)
def test_every_legal_action_can_be_entered(rules):
    env = rlcard.make('catch5', config={'seed': 2, 'game_rules': rules})
    agent, (state, _) = RandomAgent(3), env.reset()
    while not env.is_over():
        legal = state['raw_legal_actions']
        assert [find_action(text.lower(), legal) for text in legal] == list(range(len(legal)))
        state, _ = env.step(agent.step(state))
