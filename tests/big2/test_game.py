"""Whole games: payoffs and turns."""

from dataclasses import replace

import numpy as np
import pytest
import rlcard

from rlcard_big2.cards import parse_cards
from rlcard_big2.engine.batch import play_moves, settle_games
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import new_games, start
from rlcard_big2.rules import PRESETS, Rules
from tests.support import oracle


def test_the_seat_that_gains_most_has_won():
    winners = [0, 0, 0, 1, 2, None]  # in pairs, the seat before the winner may pay for all
    payoffs = [[1, 0, -1, 0], [2, 1, -3, 0], [6, 6, 6, -18], [-9, 3, 3, 3], [3, -9, 3, 3], [0, 0, 0, 0]]
    assert BIG2.wins(np.array(payoffs)).tolist() == [[seat == winner for seat in range(4)] for winner in winners]
    assert [Rules().winner_of(paid) for paid in payoffs[:-1]] == winners[:-1]


def settled(rules, hands, last_move, before=()):
    """Let player 0 play a last hand, after some moves, while the others hold hands, all in text; return the payoffs."""
    masks = np.array([parse_cards(hand, rules.suits) for hand in (last_move, *hands)])
    games, payoffs = new_games(1), np.empty((1, 4), np.int64)
    start(tabulate(rules)[0], games[0], masks)
    games['player'] = -len(before) % 4
    games['ply'] = 1
    for move in (*before, last_move):
        play_moves(tabulate(rules), games, np.array([0 if move == 'pass' else parse_cards(move, rules.suits)]))
    settle_games(tabulate(rules), games, payoffs)
    return payoffs[0].tolist()


SEVEN, EIGHT = '3d 4c 5h 6s 7d 8c 9h', '3c 4h 5s 6d 7c 8h 9s Td'
TEN, THIRTEEN = f'{EIGHT} Jc Qh', f'{EIGHT} Jc Qh Ks Ad 2c'
THREE = Rules(penalty_thresholds=(8, 10, 13))
TWOS = Rules(unplayed_twos=True)
BOMBS = Rules(unplayed_bombs=True)
FINAL = Rules(final_play=True, four_kickers=True)
SOFA = PRESETS['game-sofa']
ADDED = Rules(unplayed_twos=True, added_factors=True, penalty_thresholds=(3,), final_play=True)


@pytest.mark.parametrize(
    ('rules', 'hands', 'last_move', 'losses'),
    [
        (PRESETS['charlesworth'], (SEVEN, '2c 2h 4d', TEN), '2d', (7, 3, 10)),
        (PRESETS['hkust'], (SEVEN, '2c 2h 4d', TEN), '2d', (7, 3, 10)),
        (PRESETS['hong-kong'], (SEVEN, '2c 2h 4d', TEN), '2d', (7, 12, 30)),
        (PRESETS['taiwan'], (SEVEN, '2c 2h 4d', TEN), '2d', (7, 12, 10)),
        (THREE, (SEVEN, EIGHT, TEN), 'Ah', (7, 16, 30)),
        (THREE, ('3d', TEN, THIRTEEN), 'Ah', (1, 30, 52)),
        (Rules(penalty_thresholds=(10,)), (SEVEN, EIGHT, TEN), 'Ah', (7, 8, 20)),
        (TWOS, ('2d 3d', '2c 2h 4d', '5d'), 'Ah', (4, 12, 1)),
        (replace(TWOS, penalty_thresholds=(3,)), ('2d 3d', '2c 2h 4d', '5d'), 'Ah', (4, 24, 1)),
        (BOMBS, ('3d 3c 3h 3s 4d', '3d 3c 3h 4s', '5d 6d 7d 8d 9d Tc'), 'Ah', (10, 4, 12)),
        (BOMBS, ('5d 6d 7d 8d 9c', '5d 6d 7d 8d Td', '3c 4c 5c Ac 2c'), 'Ah', (5, 5, 5)),
        (BOMBS, ('Jd Qd Kd Ad 2d', '2d 2c 2h 2s', '4c'), 'Ah', (10, 8, 1)),
        (replace(BOMBS, straights='T2A'), ('Jd Qd Kd Ad 2d', '3c 4c 5c Ac 2c', '4c'), 'Ah', (5, 10, 1)),
        (replace(BOMBS, unplayed_twos=True), ('2d 2c 2h 2s', '2d 3d', '4c'), 'Ah', (128, 4, 1)),
        (replace(BOMBS, penalty_thresholds=(4,)), ('3d 3c 3h 3s', '3d', '4c'), 'Ah', (16, 1, 1)),
        (FINAL, ('3d', '3c 4c', '5h'), 'Ah', (1, 2, 1)),
        (FINAL, ('3d', '3c 4c', '5h'), '2d', (2, 4, 2)),
        (FINAL, ('3d', '3c 4c', '5h'), 'Ad Ac 2c 2h', (2, 4, 2)),
        (FINAL, ('3d', '3c 4c', '5h'), 'Jd Qd Kd Ad 2c', (2, 4, 2)),
        (FINAL, ('3d', '3c 4c', '5h'), '6d 6c 6h 6s', (2, 4, 2)),
        (FINAL, ('3d', '3c 4c', '5h'), '6d 6c 6h 6s 7d', (2, 4, 2)),
        (FINAL, ('3d', '3c 4c', '5h'), '6d 7d 8d 9d Td', (2, 4, 2)),
        (FINAL, ('3d', '3c 4c', '5h'), '6d 7d 8d 9d Tc', (1, 2, 1)),
        (FINAL, ('3d', '3c 4c', '5h'), '6d 6c 6h 7c 7d', (1, 2, 1)),
        (replace(FINAL, unplayed_twos=True), ('3d 2c', '3c 4c', '5h'), '2d', (8, 4, 2)),
        (replace(TWOS, twos_once=True), ('2d 3d', '2c 2h 4d', '5d'), 'Ah', (4, 6, 1)),
        (ADDED, ('2d 3d', '2c 2h 4d', '5d'), 'Ah', (4, 12, 1)),
        (ADDED, ('2d 3d', '2c 2h 4d', '5d'), '2s', (6, 15, 2)),
        (PRESETS['pusoy-dos'], ('3c 9c', 'Tc Jc Qs Kd', 'Ac 2c'), 'Ad', (12, 40, 3)),
        (replace(PRESETS['pusoy-dos'], penalty_thresholds=(2,)), ('3c', 'Tc Jc', 'Ac'), 'Ad', (3, 40, 1)),
        (PRESETS['coders-for-causes'], (SEVEN, TEN, THIRTEEN), '2d', (7, 20, 39)),
        (PRESETS['bluo42'], (SEVEN, TEN, THIRTEEN), '2d', (7, 20, 39)),
        (SOFA, (SEVEN, TEN, '2d 2h 4c'), 'Ah', (7, 20, 12)),
        (SOFA, ('3d 3c 3h 3s 4d 5d 6d 7d', '3d 3c 3h 4s', '5d 6d 7d 8d 9d'), 'Ah', (32, 4, 10)),
        (SOFA, ('3d', '3c 4c', '5h'), '2d 2c', (2, 4, 2)),
        (SOFA, ('3d', '3c 4c', '5h'), '2c 3h 4d 5d 6d', (2, 4, 2)),
        (SOFA, ('3d', '3c 4c', '5h'), 'Ad 2c 3h 4d 5d', (1, 2, 1)),
        (SOFA, ('3d', '3c 4c', '5h'), 'Ad 2d 3d 4d 5d', (2, 4, 2)),
        (SOFA, ('3h', '3c 4c', '5h'), '2d 3d 4d 5d 6d', (4, 8, 4)),
        (SOFA, ('3d', '3c 4c', '5h'), 'Kd Kh Ks 2c 2d', (1, 2, 1)),
        (SOFA, ('3d', '3c 4c', '5h'), 'Kd Kh 2h 2c 2d', (2, 4, 2)),
        (SOFA, ('3d', '3c 4c', '5h'), 'Ad Ac Ah As 2c', (2, 4, 2)),
        (SOFA, ('3d', '3c 4c', '5h'), '2d 2c 2h 2s 7c', (4, 8, 4)),
    ],
)
def test_losers_pay(rules, hands, last_move, losses):
    assert settled(rules, hands, last_move) == [sum(losses), *(-loss for loss in losses)]


PAIRS = Rules(settlement='pairs')
PAYS = Rules(last_card='pays')


@pytest.mark.parametrize(
    ('rules', 'hands', 'before', 'payoffs'),
    [
        (PAIRS, ('3d', '3c 4c', '5h 6h 7h'), (), [6, 2, -2, -6]),
        (PAYS, ('3d', '3c 4c', '5h 6h Kd'), ('9c',), [6, 0, 0, -6]),
        (PAYS, ('3d', '3c 4c', '5h 6h 8d'), ('9c',), [6, -1, -2, -3]),
        (PAYS, ('3d', '3c 4c', '5h 6h 8d'), ('7c', 'pass', 'pass'), [6, 0, 0, -6]),
        (PAYS, ('3d', '3c Kc', '5h 6h 8d'), ('9c', 'pass'), [6, -1, -2, -3]),
        (PAYS, ('3d', '3c 4c', '5h 6h Kd'), (), [6, -1, -2, -3]),
        (replace(PAYS, settlement='pairs'), ('3d', '3c 4c', '5h 6h Kd'), ('9c',), [6, 6, 6, -18]),
        (replace(PAYS, settlement='pairs'), ('3d', '3c 4c', '5h 6h 8d'), ('9c',), [6, 2, -2, -6]),
        (replace(PAYS, no_lone_two=True), ('3d', '3c 4c', '2s'), ('9c',), [4, 0, 0, -4]),
    ],
)
def test_who_pays_whom(rules, hands, before, payoffs):
    assert settled(rules, hands, 'Ah', before) == payoffs


TWOS_DEALT = ['3d 3c 3h 3s 4d 4c 4h 4s 5d 5c 5h 5s 6d', '6c 6h 6s 7d 7c 7h 7s 8d 8c 2d 2c 2h 2s']
DEALS = {  # the fourth seat gets all other cards
    'a dragon': ('dragon', ['3d 4d 5d 6d 7d 8d 9d Td Jd Qd Kd Ad 2d', '3c 3h 3s 4c 4h 4s 5c 5h 5s 6c 6h 6s 7c'], 0),
    'a later dragon': ('both', ['3d 3c 3h 4d 4c 4h 5d 5c 5h 6d 6c 6h 7d', '3s 4s 5s 6s 7s 8d 9d Td Jd Qd Kd Ad 2d'], 1),
    'four 2s': ('twos', TWOS_DEALT, 1),
    'no four 2s': ('dragon', TWOS_DEALT, None),
}


@pytest.mark.parametrize(('wins', 'hands', 'winner'), DEALS.values(), ids=DEALS)
def test_a_deal_wins_after_the_first_move(wins, hands, winner):
    env = rlcard.make('big2', config={'game_rules': Rules(instant_wins=wins, penalty_thresholds=(13,))})
    known = [parse_cards(hand) for hand in hands]
    rest = [card for card in range(52) if not sum(known) >> card & 1]
    env.reset(hands=[*map(oracle.cards_of, known), rest[:13], rest[13:]])
    env.step('3d', raw_action=True)
    assert env.is_over() == (winner is not None)
    if winner is not None:
        assert env.get_payoffs().tolist() == [78 if seat == winner else -26 for seat in range(4)]
        record = env.to_record()
        assert (record.winner, record.payoffs) == (winner, tuple(env.get_payoffs()))
        assert env.get_state(1)['raw_obs']['winner'] == winner


def test_a_hand_played_out_wins_before_a_deal_that_wins():
    env = rlcard.make(
        'big2', config={'game_rules': Rules(players=2, hand_size=4, ranks=3, instant_wins='twos', opening='any')}
    )
    env.reset(hands=[[40, 41, 44, 45], [48, 49, 50, 51]])
    env.step('Kd Kc Ad Ac', raw_action=True)
    assert env.get_payoffs().tolist() == [4, -4]


@pytest.mark.parametrize(
    ('changes', 'legal'),
    [
        ({'opening': 'any'}, ['2h', '2d 2h']),
        ({'opening': 'alone', 'leads': '2'}, ['2h', '2d 2h']),
        ({'opening': 'holding'}, ['2d', '2d 2h']),
        ({'opening': 'alone'}, ['2d']),
        ({'opening': 'any', 'last_card': 'free'}, ['2d', '2h', '2d 2h']),
    ],
)
def test_a_first_single_before_a_player_with_one_card_is_the_highest_legal_one(changes, legal):
    rules = Rules(**{'players': 3, 'hand_size': 1, 'ranks': 1, 'leftover': 'opener', 'last_card': 'highest', **changes})
    env = rlcard.make('big2', config={'game_rules': rules})
    state, player = env.reset(hands=[[51], [49], [48, 50]])
    assert (player, state['raw_legal_actions']) == (2, legal)


def test_places_are_played_for_until_one_player_is_left():
    rules = Rules(hand_size=2, opening='any', places=True)
    env = rlcard.make('big2', config={'game_rules': rules})
    env.reset(hands=[[0, 8], [4, 12], [1, 51], [2, 3]])
    moves = '3d 4d 2s pass pass pass 3c pass pass pass', '3h 5d pass', 'pass', '6d'
    for text in moves:  # each but the first begins when a player without cards has passed
        for move in text.split():
            env.step(move, raw_action=True)
        if not env.is_over():
            assert env.get_state(env.get_player_id())['raw_legal_actions'] == ['pass']
            assert (env.get_payoffs() == 0).all()
            env.step('pass', raw_action=True)
    assert env.get_payoffs().tolist() == [1, -1, 3, -3]
    record = env.to_record()
    assert (record.winner, record.payoffs, record.left) == (2, (1, -1, 3, -3), (0, 0, 0, 1))
    assert env.get_state(3)['raw_obs']['packed'][0]['places'].tolist() == [0, 2, 3, 1]


def test_the_last_winner_leads_any_combination():
    env = rlcard.make('big2', config={'game_rules': Rules(leads='2')})
    _, player = env.reset(hands=[range(seat, 52, 4) for seat in range(4)])
    assert player == 2
    env.step('7h', raw_action=True)
    assert env.get_player_id() == 3
    record = env.to_record()
    assert (record.first, record.at(0).seen_by(1).first) == (2, 2)
