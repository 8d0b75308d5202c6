"""Entries of moves."""

import pytest

from rlcard_big2.terminal.move_input import find_action


@pytest.mark.parametrize('entry', ['10♦ 10♠', 'tdts', '10♠10♦', 't♦\ufe0f ts', '10d 10s'])
def test_cards_are_read_as_they_are_shown(entry):
    assert find_action(entry, ['Td Tc', 'Td Ts', 'pass']) == 1
