"""The contract of `rlcard.make('big2')`."""

from collections import OrderedDict

import numpy as np
import pytest
import rlcard

from rlcard_big2 import action_mask
from rlcard_big2.cards import format_cards, parse_cards
from rlcard_big2.rules import PRESETS
from rlcard_kit.errors import CardError, HandsError, IllegalActionError
from tests.support.helpers import digest, everything

NUM_ACTIONS = 23740
DEAL = np.arange(52).reshape(13, 4).T  # player 0 holds all diamonds, 1 clubs, 2 hearts, 3 spades


def make(**config):
    return rlcard.make('big2', config=config)


def random_states(env, seed=0, **reset):
    """Reset and yield each (state, player) of a game of random moves, the state after the end included."""
    rng = np.random.default_rng(seed)
    state, player = env.reset(**reset)
    while not env.is_over():
        yield state, player
        state, player = env.step(int(rng.choice(list(state['legal_actions']))))
    yield state, player


@pytest.mark.parametrize('name', PRESETS)
def test_states_of_a_game(name):
    env = make(seed=1, game_rules=name, game_num_players=4)
    for _ in range(5):
        for state, player in random_states(env):
            assert player == env.get_player_id() == state['raw_obs']['self']
            assert (state['obs'].dtype, state['obs'].shape) == (np.int8, (1339,))
            assert_actions(env, state)
            payoffs = env.get_payoffs()
            assert (payoffs.shape, payoffs.sum()) == ((4,), 0)
            assert (payoffs[env.game.winner_id] > 0) if env.is_over() else not payoffs.any()


def assert_actions(env, state):
    actions = state['legal_actions']
    assert type(actions) is OrderedDict
    assert bool(actions) != env.is_over()
    assert all(type(action) is int for action in actions)
    assert list(actions) == sorted(set(actions))
    for (action, feature), text in zip(actions.items(), state['raw_legal_actions'], strict=True):
        assert (feature.dtype, feature.shape) == (np.int8, (52,))
        assert feature.tolist() == one_hot(action_mask(action))
        assert env._decode_action(action) == text
        assert text == (format_cards(action_mask(action), env.game.rules.suits) or 'pass')
    assert len(set(state['raw_legal_actions'])) == len(actions)


def one_hot(mask):
    return [mask >> card & 1 for card in range(52)]


def expected_observation(hands, moves, seat):
    """Build the 1339 features of a seat from the hands dealt and the moves so far, (player, mask)."""
    played = [0] * 4
    last = [0] * 4
    for player, mask in moves:
        played[player] |= mask
        last[player] = mask
    left = [hands[player] & ~played[player] for player in range(4)]
    opponents = [(seat + i) % 4 for i in (1, 2, 3)]
    lately = [mask for _, mask in moves[-3:]]
    table = next((mask for mask in reversed(lately) if mask), 0)
    features = one_hot(left[seat]) + one_hot(sum(left[i] for i in opponents)) + one_hot(table)
    for player in opponents:
        features += one_hot(last[player])
    for player in opponents:
        features += [left[player].bit_count() == n for n in range(1, 14)]
    for player in opponents:
        features += one_hot(played[player])
    for mask in ([0] * 16 + [mask for _, mask in moves])[-16:]:
        features += one_hot(mask)
    return features


@pytest.mark.parametrize('name', PRESETS)
def test_every_seat_sees_its_observation_at_every_ply(name):
    env = make(seed=6, game_rules=name)
    suits = env.game.rules.suits
    for state, to_move in random_states(env):
        information = env.get_perfect_information()
        moves = [(p, parse_cards(text, suits) if text != 'pass' else 0) for p, text in information['trace']]
        if not moves:
            hands = [parse_cards(hand, suits) for hand in information['hand_cards']]
        assert digest(state) == digest(env.get_state(to_move))
        for seat in range(4):
            seen = env.get_state(seat)
            assert seen['obs'].tolist() == expected_observation(hands, moves, seat)
            assert bool(seen['legal_actions']) == (seat == to_move and not env.is_over())
            assert_raw_state(env, seen, seat, information)
    assert len(moves) > 16


def assert_raw_state(env, state, seat, information):
    raw, suits = state['raw_obs'], env.game.rules.suits
    assert (raw['self'], raw['current_player']) == (seat, information['current_player'])
    assert raw['current_hand'] == information['hand_cards'][seat]
    others = sum(parse_cards(hand, suits) for i, hand in enumerate(information['hand_cards']) if i != seat)
    assert parse_cards(raw['others_hand'], suits) == others
    assert raw['num_cards_left'] == [len(hand.split()) for hand in information['hand_cards']]
    assert raw['played_cards'] == information['played_cards']
    assert raw['hand_to_beat'] == information['hand_to_beat']
    assert raw['trace'] == information['trace'] == state['action_record'] == env.action_recorder
    assert raw['actions'] == state['raw_legal_actions']
    assert raw['actions'] == (information['legal_actions'] if state['legal_actions'] else [])


def test_action_features_exist_at_any_time():
    env = make()
    expected = {action: one_hot(action_mask(action)) for action in (0, 51, 52, 9000, NUM_ACTIONS - 1)}
    for _ in range(2):
        for action, feature in expected.items():
            assert env.get_action_feature(np.int64(action)).tolist() == feature
            assert env.get_action_feature(action).dtype == np.int8
        for _ in random_states(env):
            pass


def test_given_hands_are_dealt():
    env = make()
    hands = [[int(card) for card in hand] for hand in DEAL]
    state, player = env.reset(hands=hands)
    assert player == 0
    assert state['raw_legal_actions'] == ['3d']
    assert [p.hand_mask for p in env.game.players] == [sum(1 << card for card in hand) for hand in hands]
    env.reset(hands=[reversed(hands[1]), set(hands[0]), tuple(hands[2]), np.array(hands[3])])
    assert env.get_player_id() == 1
    assert env.get_state(1)['obs'][:52].tolist() == one_hot(sum(1 << card for card in hands[0]))


FIRST, SECOND, THIRD, FOURTH = (hand.tolist() for hand in DEAL)
BAD_CARDS = [(1, r'\[1\]'), (0, 'card 0'), (52, '52'), (-1, '-1'), (0.5, '0.5'), ('3d', "'3d'"), (None, 'None')]
BAD_CARDS += [(float('inf'), 'inf'), (np.array([1, 2]), 'array')]


@pytest.mark.parametrize(
    ('hands', 'named'),
    [
        ([FIRST, SECOND, THIRD], r'\[13, 13, 13\]'),
        ([FIRST, SECOND, THIRD, FOURTH, []], r'\[13, 13, 13, 13, 0\]'),
        ([], r'\[\]'),
        ([FIRST[:12], SECOND, THIRD, FOURTH], r'\[12, 13, 13, 13\]'),
        *(([[*FIRST[:12], card], SECOND, THIRD, FOURTH], named) for card, named in BAD_CARDS),
        ([1, 2, 3, 4], 'int'),
        (52, 'int'),
        (['3d 4d', '', '', ''], "'3'"),
    ],
)
def test_bad_hands_are_named_and_change_nothing(hands, named):
    env = make(seed=1)
    env.reset(hands=DEAL)
    env.step(0)
    before = everything(env)
    with pytest.raises(HandsError, match=named):
        env.reset(hands=hands)
    assert everything(env) == before


UNKNOWN_IDS = [-1, NUM_ACTIONS, 10**30, 0.5, float('nan'), float('inf'), '3d', '0', '', None, [0], (0,), {}, b'3d']
BAD_ACTIONS = [
    *((action, False, IllegalActionError, repr(action)) for action in UNKNOWN_IDS),
    (np.int64(-1), False, IllegalActionError, '-1'),
    (np.array([0, 1]), False, IllegalActionError, 'array'),
    (4, False, IllegalActionError, '4d is not legal for player 1'),
    (52, False, IllegalActionError, '3d 3c is not legal for player 1'),
    ('4d', True, IllegalActionError, 'the combination to beat is 3d'),
    ('3c 4c 5c 6c 7c', True, IllegalActionError, '3c 4c 5c 6c 7c is not legal'),
    ('3c 4d', True, IllegalActionError, '3c 4d is not a combination'),
    ('', True, IllegalActionError, "''"),
    ('3x', True, CardError, "'3x'"),
    ('3c4c', True, CardError, "'3c4c'"),
    ('3c 3c', True, CardError, 'twice'),
    ('passs', True, CardError, 'passs'),
    (5, True, IllegalActionError, '5'),
    (None, True, IllegalActionError, 'None'),
    (['4c'], True, IllegalActionError, '4c'),
]


@pytest.mark.parametrize(('action', 'raw', 'error', 'named'), BAD_ACTIONS, ids=str)
def test_bad_actions_are_named_and_change_nothing(action, raw, error, named):
    env = make(seed=1, allow_step_back=True)
    env.reset(hands=DEAL)
    env.step(0)
    before = everything(env)
    with pytest.raises(error) as raised:
        env.step(action, raw_action=raw)
    assert named in str(raised.value)
    assert isinstance(raised.value, ValueError)
    assert everything(env) == before
    env.step('4c', raw_action=True)
    env.step_back()
    assert everything(env) == before


def test_the_opening_rule_is_named():
    env = make()
    env.reset(hands=DEAL)
    for text in ('4d', 'pass', '3d 4d 5d 6d 7d'):
        with pytest.raises(IllegalActionError, match=f"{text} is not legal for player 0.*'alone'"):
            env.step(text, raw_action=True)
    assert env.action_recorder == []


def test_hands_of_the_environment_are_random_and_whole():
    env = make(seed=1)
    holders = set()
    for _ in range(60):
        _, player = env.reset()
        masks = [p.hand_mask for p in env.game.players]
        assert sum(masks) == (1 << 52) - 1
        assert [mask.bit_count() for mask in masks] == [13] * 4
        assert masks[player] & 1
        holders.add(player)
    assert holders == {0, 1, 2, 3}
