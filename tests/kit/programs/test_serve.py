"""Agents as programs: the states that questions describe, the same games to the card, and wrong questions."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from rlcard_big2.agents.program import state_of
from rlcard_kit.duplicate.deals import deal_from_seed, play_deals, seat_players
from rlcard_kit.programs.agent import question_of
from tests.support.games import BIG2, EACH_GAME, EACH_PRESET, make, random_states
from tests.support.helpers import digest
from tests.support.limits import PATIENCE


@EACH_PRESET
def test_a_question_describes_its_state(game, rules):
    state_of = game.module('agents.program').state_of
    env, draws = make(game, seed=3, game_rules=rules), np.random.default_rng(4)
    for _ in range(5):
        for state, _ in random_states(env, draws):
            if state['raw_obs']['actions']:
                found = state_of(json.loads(json.dumps(question_of(1, state['raw_obs']))))
                found['raw_obs'].pop('id', None)
                assert as_json(found) == as_json(state)


def as_json(state):
    """Return a state with lists in place of tuples."""
    values = digest(state)
    texts = values['raw_obs'] | {'packed': values['raw_obs']['packed'].hex(), 'rules': values['raw_obs']['rules'].text}
    actions = [(action, features.tolist()) for action, features in state['legal_actions'].items()]
    return json.loads(json.dumps(values | {'raw_obs': texts, 'legal_actions': actions}))


@EACH_GAME
def test_an_agent_plays_the_same_games_as_a_program(game):
    """To the card: of a match against itself, every move is the same with and without the protocol."""
    module = game.module('registry')
    card = game.module(f'engine.{game.name}').__dict__[game.name.upper()]
    rules = card.find_rules(game.presets[0])
    command = f'program:{sys.executable} -m rlcard_play {game.name} agent rule'

    def play(*names):
        players = seat_players(names, [module.make_agent(name, rules) for name in names], names)
        deals = deal_from_seed(card, 5, 4)
        return play_deals(card, players, deals, card.seatings(0, 1), rules, 6, keep_moves=True)

    without, with_protocol = play('rule', 'rule'), play(command, 'rule')  # the first compiles
    assert not with_protocol.faults.any()
    assert with_protocol.moves.tolist() == without.moves.tolist()


def test_the_game_of_the_page_can_be_played():
    text = (Path(__file__).parents[3] / 'docs/own-program.md').read_text()
    start, *lines = [json.loads(line[2:]) for line in text.splitlines() if line.startswith(('> ', '< '))]
    questions, answers = lines[::2], lines[1::2]
    assert start['seat'] == questions[0]['self']
    states = [state_of(question) for question in questions]
    for state, question, answer in zip(states, questions, answers, strict=True):
        assert question.keys() == question_of(start['id'], state['raw_obs']).keys()
        assert answer['move'] in state['raw_legal_actions']
    assert answer['move'] == question['current_hand']  # it wins


WRONG = [  # changes of a question, and a word of the answer
    ({'self': 7}, 'view is 7'),
    ({'current_hand': '3d 3d'}, '3d'),
    ({'trace': [[0, '3x']]}, '3x'),
    ({'rules': 'bridge'}, 'bridge'),
    ({'actions': ['2s']}, 'charlesworth'),
    ({'actions': 3}, 'int'),
]


def test_a_wrong_question_gets_an_error():
    state, _ = make(BIG2, seed=3).reset()
    question = question_of(1, state['raw_obs'])
    lines = ['{', '[]', '{}', *(json.dumps(question | changes) for changes, _ in WRONG)]
    start = {'game': 'big2', 'rules': 'charlesworth', 'seat': 0, 'id': 1}
    text = '\ufeff' + '\n'.join([json.dumps(start), *lines, json.dumps(question)])
    command = [sys.executable, '-m', 'rlcard_play', 'big2', 'agent', 'greedy']
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=PATIENCE, check=True)
    *errors, answer = map(json.loads, done.stdout.splitlines())
    words = ['JSON', 'object', "'rules' is missing", *(word for _, word in WRONG)]
    assert all(word in error['error'] for word, error in zip(words, errors, strict=True))
    assert answer['move'] in state['raw_legal_actions']
