"""Programs of other repositories: their legal moves are those of the rules that they are said to play by.

The tests skip unless BIG2_CHECKOUTS names the folder that holds your checkouts.
"""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from examples.programs import big2_ai
from rlcard_big2 import coders
from rlcard_big2.cards import format_card
from rlcard_kit.programs.agent import question_of
from tests.support.games import BIG2, make, random_states

VARIABLE = 'BIG2_CHECKOUTS'


def checkout(name):
    """Return the folder of a checkout; skip the test if the variable is not set, and fail it if there is none."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        pytest.skip(f'{VARIABLE} does not name the folder that holds {name}')
    assert Path(folder, name).is_dir(), f'{VARIABLE}={folder}: it has no folder {name}'
    return Path(folder, name)


def questions(rules, games):
    env, draws = make(BIG2, seed=3, game_rules=rules), np.random.default_rng(4)
    for _ in range(games):
        for state, _ in random_states(env, draws):
            if state['raw_obs']['actions']:
                yield json.loads(json.dumps(question_of(1, state['raw_obs'])))


def test_big2_ai(monkeypatch):
    monkeypatch.syspath_prepend(str(checkout('big2-ai')))
    for question in questions('bluo42', 50):
        game = big2_ai.game_of(question)
        found = {' '.join(map(format_card, move.cards)) for move in game.legal_moves()}
        if game.can_pass():
            found.add('pass')
        assert found == set(question['actions'])


def test_bigtwo_zero():
    module = coders.load(checkout('bigtwo-zero') / 'submits' / 'random.py')
    for question in questions('coders-for-causes', 50):
        state = coders.match_state(question, '')
        moves = module.get_possible_actions(module.cards_to_code_point(state.myHand))
        if state.toBeat is not None:
            moves = module.get_legal_actions(moves, module.trick2action(state.toBeat))
        elif not question['trace']:
            moves = [move for move in moves if move.code[0]]
        texts = {' '.join(module.code_point_to_cards(move.code)) or 'PASS' for move in moves}
        assert texts == {text.upper() for text in question['actions']}
