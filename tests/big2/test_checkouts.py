"""Programs of other repositories: their legal moves and payoffs are those of the rules that they are said to play by.

The tests skip unless BIG2_CHECKOUTS names the folder that holds your checkouts.
"""

import json
import os
import sys
import warnings
from dataclasses import replace
from importlib import import_module
from itertools import combinations, islice
from pathlib import Path

import numpy as np
import pytest

from examples.programs import big2_ai, big2_ais, contest
from rlcard_big2 import make_agent
from rlcard_big2.agents import coders
from rlcard_big2.cards import format_card
from rlcard_big2.duplicate import play_match
from rlcard_big2.rules import PRESETS
from rlcard_kit.programs.agent import PASS, question_of
from tests.support.games import BIG2, make, random_states

VARIABLE = 'BIG2_CHECKOUTS'
STATES = 10_000
PROGRAMS = Path(__file__).parents[2] / 'examples/programs'
ZERO = 'bigtwo-zero', 'submits/bigtwo312fs-0_20240927_131014.py'
SEARCH = 'Big2-AI-Monte-Carlo', 'submission.py'


def checkout(name):
    """Return the folder of a checkout; skip the test if the variable is not set, and fail it if there is none."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        pytest.skip(f'{VARIABLE} does not name the folder that holds {name}')
    assert Path(folder, name).is_dir(), f'{VARIABLE}={folder}: it has no folder {name}'
    return Path(folder, name)


def questions(rules, count, least=1):
    """Yield questions in random games, of at least so many legal moves."""
    env, draws = make(BIG2, seed=3, game_rules=rules), np.random.default_rng(4)
    states = (state['raw_obs'] for _ in iter(int, 1) for state, _ in random_states(env, draws))
    for seen in islice((seen for seen in states if len(seen['actions']) >= least), count):
        yield json.loads(json.dumps(question_of(1, seen)))


def card_set(text):
    return frozenset(text.replace(PASS, '').upper().split())


def text_of(ids):
    return ' '.join(map(format_card, sorted(ids))) or PASS


def test_big2_ai(monkeypatch):
    monkeypatch.syspath_prepend(str(checkout('big2-ai')))
    for question in questions('bluo42', STATES):
        game = big2_ai.game_of(question)
        found = {text_of(move.cards) for move in type(game).legal_moves(game)}
        if game.can_pass():
            found.add(PASS)
        assert found == set(question['actions'])


def test_payoffs_of_big2_ai(monkeypatch):
    monkeypatch.syspath_prepend(str(checkout('big2-ai')))
    game_class = import_module('big2.game').Big2Game
    env, draws = make(BIG2, seed=3, game_rules='bluo42'), np.random.default_rng(4)
    for _ in range(200):
        assert len(list(random_states(env, draws))) > 4
        game = game_class()
        game.hands = [big2_ai.cards(text) for text in env.get_perfect_information()['hand_cards']]
        game._finish(game.hands.index([]))
        assert [game.scores[seat] for seat in range(4)] == env.get_payoffs().tolist()


def test_big2_ais(monkeypatch):
    """Leads, singles and pairs: it compares four of a kind by the kicker, and no kind of five cards beats another."""
    monkeypatch.syspath_prepend(str(checkout('Big2-AIs')))
    cards, logic = import_module('game.cards'), import_module('game.gameLogic')
    rules = replace(PRESETS['coders-for-causes'], triples=False, flushes=False)
    for question in questions(rules, STATES):
        to_beat = cards.CardPlay(big2_ais.cards(question['hand_to_beat']))
        if len(to_beat) < 5:
            hand = logic.PlayerHandCard(big2_ais.cards(question['current_hand']))
            plays = hand.get_available_plays(to_beat, not len(to_beat))
            assert {text_of(play.get_cards_index()) for play in plays} == set(question['actions'])


def test_bigtwo_zero():
    module = coders.load(checkout('bigtwo-zero') / 'submits' / 'random.py')
    for question in questions('coders-for-causes', STATES):
        state = coders.match_state(question, '')
        moves = module.get_possible_actions(module.cards_to_code_point(state.myHand))
        if state.toBeat is not None:
            moves = module.get_legal_actions(moves, module.trick2action(state.toBeat))
        elif not question['trace']:
            moves = [move for move in moves if move.code[0]]
        texts = {' '.join(module.code_point_to_cards(move.code)) or 'PASS' for move in moves}
        assert texts == {text.upper() for text in question['actions']}


def test_battleofthebots():
    strength = coders.load(checkout('battleofthebots2024') / 'strategies' / 'v4.py').S
    for question in questions('coders-for-causes', 300):
        hand, to_beat = (question[key].upper().split() for key in ('current_hand', 'hand_to_beat'))
        sizes = [len(to_beat)] if to_beat else [1, 2, 3, 5]
        plays = [play for size in sizes for play in combinations(hand, size) if strength(play) != -1]
        if to_beat:
            plays = [(), *(play for play in plays if strength(play) > strength(to_beat))]
        elif not question['trace']:
            plays = [play for play in plays if '3D' in play]
        assert set(map(frozenset, plays)) == set(map(card_set, question['actions']))


@pytest.mark.parametrize(
    ('name', 'file', 'count'),
    [
        ('battleofthebots2024', 'strategies/v4.py', 1000),
        ('Big_2_bot', 'louisBots/lexicon.py', 1000),
        ('Big_2_bot', 'Mystic.py', 100),  # 20 ms a move
        ('BigTwo', 'algorithm.py', 1000),
    ],
)
def test_contest_files_make_legal_moves(name, file, count):
    module = coders.load(checkout(name) / file)
    for question in questions('coders-for-causes', count, least=2):
        cards, _ = module.Algorithm().getAction(coders.match_state(question, ''))
        assert frozenset(cards) in set(map(card_set, question['actions']))


@pytest.mark.parametrize(('file', 'count'), [(ZERO, 500), (SEARCH, 30)])  # the search takes 0.8 s
def test_the_work_that_is_left_out_changes_no_move(file, count):
    path = checkout(file[0]) / file[1]
    module, choose = coders.load(path), contest.chooser(path)
    for question in questions('coders-for-causes', count, least=2):
        cards, _ = module.Algorithm().getAction(coders.match_state(question, ''))
        assert choose(question) == (' '.join(cards) or PASS)


@pytest.mark.parametrize('rules', ['charlesworth', 'coders-for-causes', 'bluo42'])
@pytest.mark.parametrize(
    ('program', 'name', 'rest'),
    [
        ('big2_ai', 'big2-ai', 'wangbot_v2'),
        ('big2_ais', 'Big2-AIs', 'MLP'),
        ('contest', '/'.join(ZERO), ''),
        ('contest', '/'.join(SEARCH), ''),
    ],
)
def test_adapters_play_by_all_rules(program, name, rest, rules):
    first, *others = name.split('/')
    path = checkout(first).joinpath(*others)
    agent = make_agent(f'program:{sys.executable} {PROGRAMS / program}.py {path} {rest}', rules)
    with warnings.catch_warnings():
        warnings.simplefilter('error')  # a move that is replaced
        play_match(agent, 'rule', 4, rules, seed=2)
