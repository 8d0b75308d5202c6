"""Facts of rules for the page: points and winners of tricks, against tricks that are played."""

import numpy as np
import pytest

from rlcard_catch5.actions import FIRST_CARD
from rlcard_catch5.cards import NAMES, SUITS
from rlcard_catch5.engine.batch import play_moves
from rlcard_catch5.engine.ruleset import tabulate
from rlcard_catch5.engine.state import NUM_PLIES, new_games
from rlcard_catch5.rules import PRESETS
from rlcard_play.catch5.views import rule_facts


def test_the_points_are_nine():
    worth = rule_facts(PRESETS['paper'])['worth']
    assert {rank: points for rank, points in worth.items() if points} == {'A': 1, 'J': 1, 'T': 1, '5': 5, '2': 1}


def winner_of(rules, cards, trump):
    """Play the last trick of a hand; return the number of the card that wins it."""
    game = new_games(1)
    game['trump'], game['ply'] = SUITS.index(trump), NUM_PLIES - 4
    game['trick'] = game['winners'] = -1
    game['hands'] = [1 << card for card in cards]
    for card in cards:
        play_moves(tabulate(rules), game, np.array([FIRST_CARD + card]))
    return game['winners'][0, -1]


@pytest.mark.parametrize('rules', PRESETS.values(), ids=PRESETS)
def test_tricks_are_won_as_in_a_game(rules):
    facts = rule_facts(rules)
    for text, winner in facts['tricks']:
        assert winner_of(rules, [NAMES.index(card) for card in text.split()], facts['trump']) == winner
    assert facts['target'] == 31
