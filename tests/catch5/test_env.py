"""Catch Five in RLCard's conventions: actions, states, invalid input and the refill."""

from functools import partial

import numpy as np
import pytest

from rlcard_catch5.actions import ACTION_FEATURES, NUM_ACTIONS, TEXTS, parse_action
from rlcard_catch5.cards import format_cards, mask_of, parse_cards
from rlcard_kit.errors import CardError, HandsError, IllegalActionError
from tests.support import games
from tests.support.games import CATCH5
from tests.support.helpers import everything

DECK = list(range(52))
DEAL = {**CATCH5.deal['deal'], 'stock': DECK[36:]}
make = partial(games.make, CATCH5, seed=42)


def play(env, *texts):
    for text in texts:
        state, _ = env.step(text, raw_action=True)
    return state


def test_actions_are_those_of_the_published_program():
    assert NUM_ACTIONS == len(TEXTS) == len(set(TEXTS)) == 64
    assert (TEXTS[0], TEXTS[1], TEXTS[7], TEXTS[8], TEXTS[11]) == ('pass', 'bid 3', 'bid 9', 'trump C', 'trump S')
    assert (TEXTS[12], TEXTS[24], TEXTS[25], TEXTS[63]) == ('2c', 'Ac', '2d', 'As')
    assert [parse_action(text.upper()) for text in TEXTS] == list(range(64))
    env = make()
    assert all((env.get_action_feature(i) == np.eye(64)[i]).all() for i in range(64))
    assert [env._decode_action(i) for i in range(64)] == list(TEXTS)


def test_cards_as_text():
    assert format_cards(mask_of([42, 29, 0])) == '2c 5h 5s'
    assert parse_cards('5S 2c 5h') == mask_of([0, 29, 42])
    assert format_cards(0) == ''
    for wrong in ([52], [-1], [1, 1], ['5h'], [1.5]):
        with pytest.raises(CardError):
            mask_of(wrong)
    with pytest.raises(CardError, match=str(1 << 52)):
        format_cards(1 << 52)


def test_a_state_shows_what_a_seat_sees():
    env = make()
    state, player = env.reset(deal=DEAL)
    assert (player, list(state['legal_actions'])) == (0, list(range(8)))
    assert all((feature == ACTION_FEATURES[action]).all() for action, feature in state['legal_actions'].items())
    assert state['raw_legal_actions'] == ['pass', *(f'bid {bid}' for bid in range(3, 10))]
    state = play(env, 'bid 4', 'pass', 'bid 5', 'bid 5', 'trump S')
    raw = state['raw_obs']
    assert (raw['self'], raw['dealer'], raw['bidder'], raw['bids'], raw['trump']) == (3, 3, 3, [4, 0, 5, 5], 'S')
    assert raw['trace'] == env.game.round.trace
    assert raw['trace'][-2:] == [(3, 'bid 5'), (3, 'trump S')]
    assert (raw['points'], raw['trick'], raw['trick_winners'], raw['leader']) == ([0, 0], [''] * 4, [], 3)
    assert raw['num_cards_left'] == [6] * 4
    assert 'to move' in str(state)
    assert 'spades are trumps' in str(env)
    assert str(env.describe(1)).count('6 cards') == 3


def test_a_hand_by_hand():
    """The stock is QKA of hearts and all spades: with spades as trumps, everyone throws all of its cards."""
    env = make()
    env.reset(deal={**DEAL, 'redeal_stock': DECK[36:]})
    play(env, 'pass', 'pass', 'pass', 'bid 3', 'trump S')
    hands = [set(player.current_hand.split()) for player in env.game.players]
    assert hands[3] == {'As', 'Ks', 'Qs', 'Js', 'Ts', '9s'}, 'the dealer is filled up first, from the end of the stock'
    assert hands[0] == {'8s', '7s', '6s', '5s', '4s', '3s'}
    assert hands[1] == {'2s', 'Ah', 'Kh', 'Qh', 'Jh', 'Th'}, 'the stock runs out, and thrown cards follow by id'
    assert hands[2] == {'9h', '8h', '7h', '6h', '5h', '4h'}
    information = env.get_perfect_information()
    assert information['stock'] == ''
    assert information['hand_cards'][3] == '9s Ts Js Qs Ks As'
    play(env, 'As', '3s', '2s')
    assert env.get_state(2)['raw_obs']['trick'] == ['3s', '2s', '', 'As']


BAD_DEALS = [
    ({'hands': [DECK[:9]] * 4}, 'hands'), ({'hands': [DECK[:8], *DEAL['hands'][1:]]}, '[8, 9, 9, 9]'),
    ({'hands': [[0] * 9, *DEAL['hands'][1:]]}, 'card 0 (2c)'), ({'hands': [[99] * 9, *DEAL['hands'][1:]]}, '99'),
    ({'hands': 7}, 'hands'), ({'dealer': 4}, 'dealer=4'), ({'dealer': None}, 'dealer=None'),
    ({'stock': DECK[35:51]}, 'stock'), ({'redeal_stock': DECK[37:]}, 'Qh'), ({'redeal_stock': DECK}, '52 cards'),
    ({'leftover': [1, 1]}, 'card 1 (3c)'), ({'leftover': 'ab'}, 'leftover'), ({'trump': 1}, 'trump'),
]  # fmt: skip


def test_bad_deals_are_named_and_change_nothing():
    env = make()
    env.reset()
    before = everything(env)
    whole = [({**DEAL, **change}, named) for change, named in BAD_DEALS]
    for deal, named in (*whole, ({'dealer': 1}, 'hands'), ([1], 'mapping')):
        with pytest.raises(HandsError) as raised:
            env.reset(deal=deal)
        assert named in str(raised.value)
    assert everything(env) == before


def test_bad_actions_are_named_and_change_nothing():
    """With the hand, the trumps and some of the legal actions, by id as by text."""
    env = make(allow_step_back=True)
    env.reset(deal=DEAL)
    for move, cases in (
        ('bid 5', [('bid 2', 'bid 2'), ('trump X', "'x'"), ('Xh', '5h'), ('5h 6h', 'bid 4'), ('', "''"), (7, '7'),
                   ('bid 4', 'bid 4 .*player 1.* Jc .*; 5 .*: pass, bid 6'), ('5h', '5h .*player 1'),
                   ('trump H', 'trump H')]),
        ('pass, pass, pass, trump C', [('pass', 'leads; 6 ')]),
        (None, [('bid 9', r'plays to \w\w, with C as trumps')]),
    ):  # fmt: skip
        play(env, *(move.split(', ') if move else [env.game.legal_texts[-1]]))
        before = everything(env)
        for text, named in cases:
            for action in (text, *([TEXTS.index(text)] if text in TEXTS else [])):
                with pytest.raises((CardError, IllegalActionError), match=named):
                    env.step(action, raw_action=action is text)
        assert everything(env) == before
