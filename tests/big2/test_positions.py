"""Environments that start from positions, and what a position looks like: text and pictures."""

from dataclasses import replace

import numpy as np
import pytest
import rlcard
from hypothesis import given, settings
from hypothesis import strategies as st

from rlcard_big2 import Rules, records
from rlcard_big2.cards import FULL_DECK, parse_cards
from rlcard_big2.notation import position_text
from rlcard_big2.records import Before, Record
from rlcard_big2.rules import PRESETS
from tests.big2.records.test_records import BEFORE, GAME, OPENED, POSITION, REMAINING
from tests.support.helpers import digest, titles_in
from tests.support.random_games import random_games


def make_at(position, rules='charlesworth', **config):
    env = rlcard.make('big2', config={'game_rules': rules, **config})
    env.reset(position=position)
    return env


def states_of(game):
    """Yield the environment before each move of a game."""
    env = make_at(game.at(0), game.rules)
    for _, text in game.trace:
        yield env
        env.step(text, raw_action=True)


def test_unknown_hands_are_dealt_at_random_and_agree_with_all_that_is_known():
    seat, deals = GAME.at(20).player, set()
    position = GAME.at(20).seen_by(seat)
    for seed in range(12):
        env = make_at(position, seed=seed)
        dealt = env.to_record()
        deals.add(dealt.hands)
        assert (env.get_player_id(), dealt.moves, dealt.first) == (seat, position.moves, GAME.first)
        assert dealt.hands[seat] == GAME.hands[seat]
        assert digest(env.get_state(seat))['obs'] == digest(make_at(GAME.at(20)).get_state(seat))['obs']
        assert make_at(position, seed=seed).to_record() == dealt
    assert len(deals) == 12


def test_the_unknown_opener_holds_the_lowest_card_and_others_are_anywhere():
    position = {'big2': 1, 'rules': 'charlesworth', 'hands': [None] * 4, 'opener': 2, 'moves': []}
    env, held = rlcard.make('big2', config={'seed': 0}), np.zeros(4)
    for _ in range(400):
        _, player = env.reset(position=position)
        hands = env.to_record().hands
        assert player == 2
        assert hands[2] & 1
        held += [hand >> 51 & 1 for hand in hands]
    assert held.sum() == 400
    assert held == pytest.approx([400 * size / 51 for size in (13, 13, 12, 13)], abs=40)


def earlier_moves_forgotten(env, rules):
    """Return the position of an environment without its moves."""
    game, count = env.game.games[0], env.num_players
    hands, played = (tuple(game[pile][:count].tolist()) for pile in ('hands', 'played'))
    player, passes = int(game['player']), int(game['passes'])
    before = Before(
        played=played,
        left=tuple(hand.bit_count() for hand in hands),
        table=int(game['table']),
        by=(player - 1 - passes) % count if game['table'] else player,
        passes=passes,
        passed=tuple(seat for seat in range(count) if int(game['passed']) >> seat & 1),
    )
    return Record(hands=hands, rules=rules, before=before)


@pytest.mark.parametrize('rules', PRESETS)
def test_a_position_without_history_has_the_same_legal_actions_to_the_end(rules):
    game = random_games(Rules.preset(rules), 1, seed=8)[0]
    for ply, env in enumerate(states_of(game)):
        if ply == 0:
            continue
        position = earlier_moves_forgotten(env, game.rules)
        assert records.parse(records.to_json(position)) == position
        other = make_at(position, rules)
        assert list(other.get_state(other.get_player_id())['legal_actions']) == env.game.legal_ids
        assert other.game.games['passed'].tolist() == env.game.games['passed'].tolist()
        for seat, text in game.trace[ply:]:
            assert other.get_player_id() == seat
            other.step(text, raw_action=True)
        assert other.get_payoffs().tolist() == list(game.payoffs)
        assert records.parse(records.to_json(other.to_record())) == other.to_record()


@pytest.mark.parametrize(
    ('rules', 'passed', 'actions'), [('taiwan', [1, 2], 1), ('taiwan', [1], 18), ('charlesworth', [1, 2], 8)]
)
def test_who_passed_earlier_in_the_trick_may_only_pass_if_a_pass_is_final(rules, passed, actions):
    hands = [None, None, REMAINING[2], None]
    env = make_at({**POSITION, 'rules': rules, 'hands': hands, 'before': {**BEFORE, 'passed': passed}}, rules)
    state = env.get_state(2)
    assert env.get_player_id() == 2
    assert len(state['legal_actions']) == actions
    assert state['raw_legal_actions'][-1] == 'pass'
    dealt = env.game.games['hands'][0].tolist()
    assert [hand.bit_count() for hand in dealt] == BEFORE['left']
    assert sum(dealt) == FULL_DECK & ~sum(parse_cards(cards, env.game.rules.suits) for cards in BEFORE['played'])


def test_the_text_of_an_environment_shows_all_hands_and_that_of_a_seat_hides_the_others():
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
    for seat in range(4):
        text = env.describe(seat)
        assert text.count('hidden') == 3
        assert text == str(env.to_record().seen_by(seat))
        assert ('singles' in text) == (seat == 0)
    assert 'payoffs  seat 0' in str(make_at(GAME))


@pytest.mark.parametrize('rules', PRESETS)
def test_a_states_text_is_the_environments(rules):
    for env in states_of(random_games(Rules.preset(rules), 1, seed=4)[0]):
        for seat in range(env.num_players):
            assert str(env.get_state(seat)) == env.describe(seat)


def test_actions_are_grouped_by_kind_and_numbered():
    env = make_at({**OPENED, 'moves': ['3d', 'pass', 'pass', 'pass']})
    kinds = [line.split()[0] for line in str(env).splitlines()[6:] if not line.startswith('    ')]
    assert kinds == ['moves', 'singles', 'flushes', 'straight']
    numbered = position_text(env.scene(), width=40, numbered=True)
    assert '  singles           #0 4d, #1 5d, #2 6d,\n' in numbered


def cards_in(picture):
    return titles_in(picture)[1:]


def test_pictures_show_the_cards_that_the_text_shows():
    record = records.parse(OPENED)
    picture = make_at(OPENED)._repr_svg_()
    assert 'passed' in picture
    assert cards_in(picture) == cards_in(record._repr_svg_())
    assert len(cards_in(picture)) == 12 + 12 + 13 + 12 + 1
    assert '10 of hearts' in cards_in(picture)
    assert len(cards_in(record.seen_by(2)._repr_svg_())) == 14
    cards_in(GAME._repr_svg_())


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(), min_size=4, max_size=4))
def test_whatever_the_names_a_picture_is_valid(names):
    cards_in(replace(records.parse(OPENED), seats=tuple({'name': name} for name in names))._repr_svg_())
