"""Environments that start from positions, and what a position looks like: text and pictures."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
import rlcard
from hypothesis import given, settings
from hypothesis import strategies as st

from rlcard_big2 import Rules, records
from rlcard_big2.cards import FULL_DECK, parse_cards
from rlcard_big2.notation import position_text, state_text
from rlcard_big2.records import Before, Record
from rlcard_big2.rules import PRESETS
from tests.big2.records.test_records import BEFORE, GAME, OPENED, POSITION, REMAINING
from tests.support.helpers import digest
from tests.support.random_games import random_games


def make(**config):
    return rlcard.make('big2', config=config)


def card_ids(masks):
    return [[card for card in range(52) if mask >> card & 1] for mask in masks]


def step_through(env, game):
    """Reset to a game's deal and yield before each of its moves, and after the last."""
    env.reset(hands=card_ids(game.hands))
    yield 0
    for ply, (_, text) in enumerate(game.trace):
        env.step(text, raw_action=True)
        yield ply + 1


def test_unknown_hands_are_dealt_at_random_and_agree_with_all_that_is_known():
    seat = GAME.at(20).player
    position = GAME.at(20).seen_by(seat)
    deals = set()
    for seed in range(12):
        env = make(seed=seed)
        state, player = env.reset(position=position)
        dealt = env.to_record()
        deals.add(dealt.hands)
        assert (player, dealt.moves, dealt.first) == (seat, position.moves, GAME.first)
        assert dealt.hands[seat] == GAME.hands[seat]
        assert digest(state)['obs'] == digest(make_at(GAME.at(20)).get_state(seat))['obs']
        assert make_at(position, seed=seed).to_record() == dealt
    assert len(deals) == 12


def make_at(position, **config):
    env = make(**config)
    env.reset(position=position)
    return env


def test_the_unknown_opener_holds_the_lowest_card():
    position = {'big2': 1, 'rules': 'hkust', 'hands': [None] * 4, 'opener': 2, 'moves': []}
    for seed in range(8):
        env = make(seed=seed, game_rules='hkust')
        _, player = env.reset(position=position)
        assert player == 2
        assert env.to_record().hands[2] & 1


def earlier_moves_forgotten(env, rules):
    """Return the position of an environment without its moves."""
    game, hands = env.game.record, tuple(env.game.games['hands'][0].tolist())
    player, passes = int(game['player']), int(game['passes'])
    passed = tuple(seat for seat in range(4) if int(game['passed']) >> seat & 1)
    before = Before(
        played=tuple(game['played'].tolist()),
        left=tuple(hand.bit_count() for hand in hands),
        table=int(game['table']),
        by=(player - 1 - passes) % 4 if game['table'] else player,
        passes=passes,
        passed=passed,
    )
    return Record(hands=hands, rules=rules, before=before)


@pytest.mark.parametrize('rules', PRESETS)
def test_a_position_without_history_has_the_same_legal_actions_to_the_end(rules):
    game = random_games(Rules.preset(rules), 1, seed=8)[0]
    env, other = make(game_rules=rules), make(game_rules=rules, allow_step_back=True)
    for ply in step_through(env, game):
        if not 0 < ply < len(game.moves):
            continue
        position = earlier_moves_forgotten(env, game.rules)
        assert records.parse(records.to_json(position)) == position
        other.reset(position=position)
        for seat, text in game.trace[ply:]:
            assert other.get_player_id() == seat
            other.step(text, raw_action=True)
        assert other.get_payoffs().tolist() == list(game.payoffs)
        assert records.parse(records.to_json(other.to_record())) == other.to_record()
        other.reset(position=position)
        assert list(other.get_state(other.get_player_id())['legal_actions']) == env.game.legal_ids
        assert other.game.games['passed'].tolist() == env.game.games['passed'].tolist()


def test_who_passed_earlier_in_the_trick_may_only_pass_if_a_pass_is_final():
    hands = [None, None, REMAINING[2], REMAINING[3]]
    for rules, passed, actions in (('taiwan', [1, 2], 1), ('taiwan', [1], 18), ('charlesworth', [1, 2], 8)):
        position = {**POSITION, 'rules': rules, 'hands': hands, 'before': {**BEFORE, 'passed': passed}}
        state, player = make(game_rules=rules).reset(position=position)
        assert player == 2
        assert len(state['legal_actions']) == actions
        assert state['raw_legal_actions'][-1] == 'pass'


def test_unknown_hands_of_a_position_without_history():
    position = {**POSITION, 'hands': [None, None, REMAINING[2], None]}
    env = make(seed=1, game_rules='taiwan')
    env.reset(position=position)
    hands = env.game.games['hands'][0].tolist()
    gone = sum(parse_cards(cards, 'cdhs') for cards in BEFORE['played'])
    assert [hand.bit_count() for hand in hands] == BEFORE['left']
    assert sum(hands) == FULL_DECK & ~gone


def test_the_text_of_an_environment_shows_all_hands():
    env = make_at(OPENED)
    assert str(env).splitlines() == [
        '  rules    charlesworth',
        '> seat 0   12  4d 5d 6d 7d 8d 9d Td Jd Qd Kd Ad 2d',
        '  seat 1   12  3c 4c 5c 6c 8c 9c Tc Jc Qc Kc Ac 2c',
        '  seat 2   13  3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh Ah 2h',
        '  seat 3   12  3s 4s 5s 6s 7s 9s Ts Js Qs Ks As 2s',
        '  table    8s by seat 3',
        '  passed   seat 2',
        '  moves    seat 0 3d, seat 1 7c, seat 2 pass, seat 3 8s',
        '  singles  9d, Td, Jd, Qd, Kd, Ad, 2d',
        '  pass     pass',
    ]


def test_the_text_of_a_seat_hides_the_other_hands():
    env = make_at(OPENED)
    for seat in range(4):
        text = env.describe(seat)
        assert text.count('hidden') == 3
        assert text == str(env.to_record().seen_by(seat))
        assert ('singles' in text) == (seat == 0)
    assert 'payoffs  seat 0' in str(make_at(GAME))


@pytest.mark.parametrize('rules', PRESETS)
def test_a_state_tells_what_the_environment_does(rules):
    env = make(game_rules=rules)
    for _ in step_through(env, random_games(Rules.preset(rules), 1, seed=4)[0]):
        if env.is_over():
            break
        for seat in range(4):
            assert state_text(env.get_state(seat)) == str(env.get_state(seat)) == env.describe(seat)


def test_actions_are_grouped_by_kind():
    env = make_at({**OPENED, 'moves': ['3d', 'pass', 'pass', 'pass']})
    kinds = [line.split()[0] for line in str(env).splitlines()[6:] if not line.startswith('    ')]
    assert kinds == ['moves', 'singles', 'flushes', 'straight']
    numbered = position_text(env.scene(), width=40, numbered=True)
    assert '  singles           #0 4d, #1 5d, #2 6d,\n' in numbered
    assert '> seat 0            12  4d 5d 6d 7d 8d 9d Td Jd Qd Kd Ad 2d\n' in numbered


def assert_picture(svg):
    root = ElementTree.fromstring(svg)
    assert root.tag == '{http://www.w3.org/2000/svg}svg'
    assert not [element for element in root.iter() if element.tag.endswith(('script', 'image', 'use'))]
    assert 'href' not in svg
    return [element.text for element in root.iter('{http://www.w3.org/2000/svg}title')][1:]


def test_pictures_show_the_cards_that_the_text_shows():
    env = make_at(OPENED)
    assert len(assert_picture(env._repr_svg_())) == 12 + 12 + 13 + 12 + 1
    assert len(assert_picture(records.parse(OPENED)._repr_svg_())) == 50
    assert len(assert_picture(records.parse(OPENED).seen_by(2)._repr_svg_())) == 14
    assert '10 of hearts' in assert_picture(env._repr_svg_())
    assert 'passed' in env._repr_svg_()
    for ply in (0, len(GAME.moves)):
        assert_picture(GAME.at(ply)._repr_svg_())


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(), min_size=4, max_size=4))
def test_whatever_the_names_a_picture_is_valid(names):
    seats = tuple({'name': name} for name in names)
    assert_picture(replace(records.parse(OPENED), seats=seats)._repr_svg_())


def test_unknown_hands_are_equally_likely_anywhere():
    position = {'big2': 1, 'rules': 'charlesworth', 'hands': [None] * 4, 'opener': 0, 'moves': []}
    env = make(seed=0)
    held = np.zeros(4)
    for _ in range(400):
        env.reset(position=position)
        held += [hand >> 51 & 1 for hand in env.to_record().hands]
    assert held.sum() == 400
    assert held[0] == pytest.approx(400 * 12 / 51, abs=40)
    assert held[1:] == pytest.approx(400 * 13 / 51, abs=40)
