"""Big 2 in RLCard's conventions: observations, action features, given hands and invalid input."""

from dataclasses import replace

import numpy as np
import pytest
import rlcard

from rlcard_big2 import Rules, action_mask, charlesworth
from rlcard_big2.cards import format_cards, parse_cards
from rlcard_big2.rules import PRESETS
from rlcard_kit.errors import CardError, HandsError, IllegalActionError, RulesError
from tests.support.games import BIG2, make, random_states
from tests.support.helpers import everything

DEAL = np.arange(52).reshape(13, 4).T  # player 0 holds all diamonds, 1 clubs, 2 hearts, 3 spades


def one_hot(mask):
    return [mask >> card & 1 for card in range(52)]


def expected_observation(rules, hands, moves, seat):
    """Build the features of a seat from the hands dealt and the moves so far, (player, mask): 1339 for four players."""
    count, pack = len(hands), (1 << 52) - (1 << 52 - 4 * rules.ranks)
    played = [0] * count
    last = [0] * count
    for player, mask in moves:
        played[player] |= mask
        last[player] = mask
    left = [hands[player] & ~played[player] for player in range(count)]
    opponents = [(seat + i) % count for i in range(1, count)]
    lately = [mask for _, mask in moves[1 - count :]]
    table = next((mask for mask in reversed(lately) if mask), 0)
    features = one_hot(left[seat]) + one_hot(pack & ~left[seat] & ~sum(played)) + one_hot(table)
    for player in opponents:
        features += one_hot(last[player])
    for player in opponents:
        features += [left[player].bit_count() == n for n in range(1, max(hand.bit_count() for hand in hands) + 1)]
    for player in opponents:
        features += one_hot(played[player])
    for mask in ([0] * 16 + [mask for _, mask in moves])[-16:]:
        features += one_hot(mask)
    return features


@pytest.mark.parametrize('name', PRESETS)
def test_every_seat_sees_its_observation_at_every_ply(name):
    env = make(BIG2, seed=6, game_rules=name)
    suits = env.game.rules.suits
    for state, _ in random_states(env, np.random.default_rng(0)):
        information = env.get_perfect_information()
        moves = [(p, parse_cards(text, suits) if text != 'pass' else 0) for p, text in information['trace']]
        left = [parse_cards(hand, suits) for hand in information['hand_cards']]
        if not moves:
            hands = left
        for seat in range(env.num_players):
            seen = env.get_state(seat)
            raw = seen['raw_obs']
            assert seen['obs'].tolist() == expected_observation(env.game.rules, hands, moves, seat)
            assert parse_cards(raw['others_hand'], suits) == int(seen['raw_obs']['packed']['others'][0])
            assert raw['num_cards_left'] == [hand.bit_count() for hand in left]
        for (action, feature), text in zip(state['legal_actions'].items(), state['raw_legal_actions'], strict=True):
            assert feature.tolist() == one_hot(action_mask(action))
            assert text == (format_cards(action_mask(action), suits) or 'pass')
    assert len(moves) > (2 if name == 'mini' else 16)


def test_players_are_those_of_the_rules_or_of_the_configuration():
    three = make(BIG2, game_num_players=3, game_rules='taiwan')
    assert three.game.rules == replace(Rules.preset('taiwan'), players=3)
    assert (three.num_players, len(three.state_shape)) == (3, 3)
    assert make(BIG2, game_rules='two').num_players == 2
    mini = rlcard.make('big2-mini')
    mini.reset()
    assert (mini.num_players, [len(player.current_hand.split()) for player in mini.game.players]) == (2, [3, 3])
    three.reset()
    for view in (charlesworth.observation, charlesworth.legal_mask):
        with pytest.raises(RulesError, match=r'players=4 and hand_size=13: .* players of 13'):
            view(three)


def test_given_hands_are_dealt():
    env = make(BIG2)
    hands = [[int(card) for card in hand] for hand in DEAL]
    state, player = env.reset(hands=hands)
    assert player == 0
    assert state['raw_legal_actions'] == ['3d']
    assert [p.hand_mask for p in env.game.players] == [sum(1 << card for card in hand) for hand in hands]
    env.reset(hands=[reversed(hands[1]), set(hands[0]), tuple(hands[2]), np.array(hands[3])])
    assert env.get_player_id() == 1
    assert env.get_state(1)['obs'][:52].tolist() == one_hot(sum(1 << card for card in hands[0]))


FIRST, SECOND, THIRD, FOURTH = (hand.tolist() for hand in DEAL)
BAD_CARDS = [(1, '[1]'), (0, 'card 0'), (52, '52'), (-1, '-1'), (0.5, '0.5'), ('3d', "'3d'"), (None, 'None')]
BAD_CARDS += [(float('inf'), 'inf'), (np.array([1, 2]), 'array')]
BAD_HANDS = [
    ([FIRST, SECOND, THIRD], '[13, 13, 13]'),
    ([FIRST, SECOND, THIRD, FOURTH, []], '[13, 13, 13, 13, 0]'),
    ([], '[]'),
    ([FIRST[:12], SECOND, THIRD, FOURTH], '[12, 13, 13, 13]'),
    *(([[*FIRST[:12], card], SECOND, THIRD, FOURTH], named) for card, named in BAD_CARDS),
    ([1, 2, 3, 4], 'int'),
    (52, 'int'),
    (['3d 4d', '', '', ''], "'3'"),
]
BAD_ACTIONS = [
    (4, IllegalActionError, '4d'), (52, IllegalActionError, '3d 3c'),
    ('4d', IllegalActionError, '3d'),  # the combination to beat
    ('3c 4c 5c 6c 7c', IllegalActionError, '3c 4c 5c 6c 7c'), ('3c 4d', IllegalActionError, '3c 4d'),
    ('', IllegalActionError, "''"), ('3x', CardError, "'3x'"), ('3c4c', CardError, "'3c4c'"),
    ('3c 3c', CardError, '3c'), ('passs', CardError, 'passs'), (None, IllegalActionError, 'None'),
    (['4c'], IllegalActionError, '4c'),
]  # fmt: skip


def test_bad_hands_and_bad_actions_are_named_and_change_nothing():
    env = make(BIG2, seed=1, allow_step_back=True)
    env.reset(hands=DEAL)
    env.step(0)
    before = everything(env)
    for hands, named in BAD_HANDS:
        with pytest.raises(HandsError) as raised:
            env.reset(hands=hands)
        assert named in str(raised.value)
        assert everything(env) == before
    for action, error, named in BAD_ACTIONS:
        with pytest.raises(error) as raised:
            env.step(action, raw_action=not isinstance(action, int))
        assert named in str(raised.value)
        assert everything(env) == before


def test_the_opening_rule_is_named():
    env = make(BIG2)
    env.reset(hands=DEAL)
    for text in ('4d', 'pass', '3d 4d 5d 6d 7d'):
        with pytest.raises(IllegalActionError, match=f"{text} .*'alone'"):
            env.step(text, raw_action=True)
    assert env.action_recorder == []
