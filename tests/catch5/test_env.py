"""Catch Five in RLCard's conventions: states, bad input, steps back, perfect information, seeds and pickles."""

import random

import numpy as np
import pytest
import rlcard

import rlcard_catch5
from rlcard_catch5.actions import ACTION_FEATURES, NUM_ACTIONS, TEXTS, parse_action
from rlcard_catch5.cards import format_cards, mask_of, parse_cards
from rlcard_kit.errors import ArrayError, CardError, ConfigError, GameOverError, HandsError, IllegalActionError
from tests.support.helpers import everything

DECK = list(range(52))
DEAL = {'dealer': 3, 'hands': [DECK[9 * seat : 9 * seat + 9] for seat in range(4)], 'stock': DECK[36:]}


def make(**config):
    return rlcard.make('catch5', config={'seed': 42, **config})


def play(env, choose, moves=None):
    """Play on by a function of the state; return the last state."""
    state, _ = env.reset() if env.is_over() else (env.get_state(env.get_player_id()), None)
    while not env.is_over() and (moves is None or len(env.action_recorder) < moves):
        state, _ = env.step(choose(state))
    return state


def chooser(seed):
    draw = random.Random(seed)
    return lambda state: draw.choice(list(state['legal_actions']))


# Actions and cards


def test_actions_are_those_of_the_published_program():
    assert NUM_ACTIONS == len(TEXTS) == len(set(TEXTS)) == 64
    assert (TEXTS[0], TEXTS[1], TEXTS[7], TEXTS[8], TEXTS[11]) == ('pass', 'bid 3', 'bid 9', 'trump C', 'trump S')
    assert (TEXTS[12], TEXTS[24], TEXTS[25], TEXTS[63]) == ('2c', 'Ac', '2d', 'As')
    assert [parse_action(text) for text in TEXTS] == list(range(64))
    assert [parse_action(text.upper()) for text in TEXTS] == list(range(64))
    env = make()
    assert all((env.get_action_feature(i) == np.eye(64)[i]).all() for i in range(64))
    assert [env._decode_action(i) for i in range(64)] == list(TEXTS)


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('bid 2', 'bid 2 does not exist: bids are 3 to 9'),
        ('trump X', "'x' is not a suit: write one of CDHS"),
        ('Xh', 'is not a card: write a rank of 23456789TJQKA and a suit of cdhs, such as 5h or TS; other actions are'),
        ('5h 6h', "not an action: write text such as 'bid 4', 'pass', 'trump H' or '5h'"),
        ('', 'not an action'),
        (7, '7 is not a raw action'),
    ],
)
def test_texts_that_are_no_actions_are_named(text, message):
    env = make()
    env.reset()
    before = everything(env)
    with pytest.raises((CardError, IllegalActionError), match=message):
        env.step(text, raw_action=True)
    assert everything(env) == before


def test_cards_as_text():
    assert format_cards(mask_of([42, 29, 0])) == '2c 5h 5s'
    assert parse_cards('5S 2c 5h') == mask_of([0, 29, 42])
    assert format_cards(0) == ''
    for wrong in ([52], [-1], [1, 1], ['5h'], [1.5]):
        with pytest.raises(CardError):
            mask_of(wrong)
    with pytest.raises(CardError, match='not a mask'):
        format_cards(1 << 52)


# States


def test_a_state_says_what_a_seat_sees():
    env = make()
    state, player = env.reset(deal=DEAL)
    assert player == 0
    assert (state['obs'].dtype, state['obs'].shape) == (np.int8, (948,))
    assert (env.state_shape, env.action_shape) == ([[948]] * 4, [[64]] * 4)
    assert (env.num_actions, env.num_players, env.name) == (64, 4, 'catch5')
    assert list(state['legal_actions']) == list(range(8))
    assert all((feature == ACTION_FEATURES[action]).all() for action, feature in state['legal_actions'].items())
    assert state['raw_legal_actions'] == ['pass', *(f'bid {bid}' for bid in range(3, 10))]
    for move in ('bid 4', 'pass', 'bid 5', 'bid 5', 'trump S'):
        state, player = env.step(move, raw_action=True)
    raw = state['raw_obs']
    assert (player, raw['dealer'], raw['bidder'], raw['bids'], raw['trump']) == (3, 3, 3, [4, 0, 5, 5], 'S')
    assert raw['trace'] == state['action_record'] == env.game.round.trace
    assert raw['trace'][-2:] == [(3, 'bid 5'), (3, 'trump S')]
    assert (raw['points'], raw['trick'], raw['trick_winners'], raw['leader']) == ([0, 0], [''] * 4, [], 3)
    assert raw['num_cards_left'] == [6] * 4
    assert raw['current_hand'].split()[0] in raw['actions']
    other = env.get_state(1)
    assert (other['legal_actions'], other['raw_legal_actions']) == ({}, [])
    assert 'to move' in str(state)
    assert 'spades are trumps' in str(env)
    assert str(env.describe(1)).count('6 cards') == 3
    with pytest.raises(ConfigError, match='seat=4: expected a whole number, from 0 to 3'):
        env.get_state(4)


def test_a_hand_by_hand():
    """The stock is QKA of hearts and all spades: with spades as trumps, everyone throws all of its cards."""
    env = make()
    env.reset(deal={**DEAL, 'redeal_stock': DECK[36:]})
    for move in ('pass', 'pass', 'pass', 'bid 3', 'trump S'):
        env.step(move, raw_action=True)
    hands = [set(player.current_hand.split()) for player in env.game.players]
    assert hands[3] == {'As', 'Ks', 'Qs', 'Js', 'Ts', '9s'}, 'the dealer is filled up first, from the end of the stock'
    assert hands[0] == {'8s', '7s', '6s', '5s', '4s', '3s'}
    assert hands[1] == {'2s', 'Ah', 'Kh', 'Qh', 'Jh', 'Th'}, 'the stock runs out, and thrown cards follow by id'
    assert hands[2] == {'9h', '8h', '7h', '6h', '5h', '4h'}
    information = env.get_perfect_information()
    assert information['stock'] == ''
    assert information['hand_cards'][3] == '9s Ts Js Qs Ks As'
    for move in ('As', '3s', '2s'):
        env.step(move, raw_action=True)
    assert env.get_state(2)['raw_obs']['trick'] == ['3s', '2s', '', 'As']


# Bad input


@pytest.mark.parametrize(
    ('change', 'message'),
    [
        ({'hands': [DECK[:9]] * 4}, 'each card must be dealt once, but these card ids are in two hands'),
        ({'hands': [DECK[:8], *DEAL['hands'][1:]]}, r'hands must be 4 times 9 cards, not \[8, 9, 9, 9\]'),
        ({'hands': [[0] * 9, *DEAL['hands'][1:]]}, 'card 0 .2c. occurs twice'),
        ({'hands': [[99] * 9, *DEAL['hands'][1:]]}, '99 is not a card id'),
        ({'hands': 7}, 'hands must be 4 lists of 9 card ids'),
        ({'dealer': 4}, 'dealer=4: expected a whole number, from 0 to 3'),
        ({'dealer': None}, 'dealer=None'),
        ({'stock': DECK[35:51]}, 'stock must be the 16 cards that were not dealt'),
        ({'redeal_stock': DECK[37:]}, 'redeal_stock lacks Qh, which were not dealt'),
        ({'redeal_stock': DECK}, 'redeal_stock has 52 cards, more than 28'),
        ({'leftover': [1, 1]}, 'leftover must be a list of card ids: card 1 .3c. occurs twice'),
        ({'leftover': 'ab'}, 'leftover must be a list'),
        ({'trump': 1}, 'a deal has dealer, hands, stock, redeal_stock, leftover: trump is unknown'),
    ],
)
def test_what_is_no_deal_is_refused(change, message):
    env = make()
    env.reset()
    before = everything(env)
    with pytest.raises(HandsError, match=message):
        env.reset(deal={**DEAL, **change})
    with pytest.raises(HandsError, match='hands is missing'):
        env.reset(deal={'dealer': 1})
    with pytest.raises(HandsError, match='expected a mapping'):
        env.reset(deal=[1])
    assert everything(env) == before


def test_illegal_actions_say_why():
    env = make()
    env.reset(deal=DEAL)
    env.step('bid 5', raw_action=True)
    cases = [('bid 4', 'bid 4 is not legal for player 1, who holds Jc .* and bids; 5 actions are legal: pass, bid 6')]
    cases += [('5h', '5h is not legal for player 1'), ('trump H', 'trump H is not legal for player 1')]
    for text, message in cases:
        before = everything(env)
        for action, raw in ((text, True), (TEXTS.index(text), False)):
            with pytest.raises(IllegalActionError, match=message):
                env.step(action, raw)
        assert everything(env) == before
    for move in ('pass', 'pass', 'pass', 'trump C'):
        env.step(move, raw_action=True)
    with pytest.raises(IllegalActionError, match='and leads; 6 actions are legal'):
        env.step('pass', raw_action=True)
    env.step(env.game.legal_ids[-1])
    with pytest.raises(IllegalActionError, match=r'and plays to \w\w, with C as trumps'):
        env.step('bid 9', raw_action=True)
    play(env, chooser(1))
    for action, raw in ((0, False), ('pass', True)):
        with pytest.raises(GameOverError, match='call reset'):
            env.step(action, raw)


# Steps back and payoffs


def test_the_refill_after_a_step_back_is_the_same():
    env = make(allow_step_back=True)
    env.reset()
    play(env, chooser(1), moves=4)
    env.step('trump H', raw_action=True)
    hands = env.get_perfect_information()['hand_cards']
    env.step_back()
    env.step('trump C', raw_action=True)
    env.step_back()
    env.step('trump H', raw_action=True)
    assert env.get_perfect_information()['hand_cards'] == hands


def test_perfect_information_is_everything():
    env = make()
    env.reset()
    play(env, chooser(3), moves=12)
    seen = env.get_perfect_information()
    hands = [hand.split() for key in ('hand_cards', 'played_cards', 'thrown_cards') for hand in seen[key]]
    assert set().union(*hands, seen['stock'].split()) == {TEXTS[action] for action in range(12, 64)}
    assert (seen['current_player'], seen['legal_actions']) == (env.get_player_id(), env.game.legal_texts)


def test_payoffs_are_the_hands_score():
    env = make(game_rules='march')
    for seed in range(20):
        env.reset()
        assert env.get_payoffs().tolist() == [0] * 4
        play(env, chooser(seed))
        own, other = env.get_payoffs()[:2]
        assert env.get_payoffs().tolist() == [own, other, own, other]
        assert env.game.judger.judge_winners() == ((0, 2) if own > other else (1, 3))


# Many games


def test_vector_env_refuses_what_does_not_fit():
    env = rlcard_catch5.VectorEnv(3, seed=1)
    payoffs, done = env.new_payoffs(), np.empty(3, bool)
    before = env.games.copy()
    for moves, message in (
        ([0, 1, 64], 'in game 2 64, which is not an action id, is not legal for player'),
        ([0, 20, 0], 'in game 1 Tc is not legal'),
    ):
        with pytest.raises(IllegalActionError, match=message):
            env.step(np.array(moves), payoffs, done)
    with pytest.raises(ArrayError, match='moves is int32'):
        env.step(np.zeros(3, np.int32), payoffs, done)
    assert (env.games == before).all()
    with pytest.raises(ConfigError, match='num_games=0'):
        rlcard_catch5.VectorEnv(0)
