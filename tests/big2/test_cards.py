"""Cards and actions as text and numbers."""

import random

import numpy as np
import pytest

from rlcard_big2.actions import NUM_ACTIONS, action_mask, action_text, parse_action
from rlcard_big2.cards import FULL_DECK, format_card, format_cards, mask_of, parse_card, parse_cards
from rlcard_kit.errors import CardError, IllegalActionError

EACH_ORDER = pytest.mark.parametrize('suits', ['dchs', 'cdhs'])


def test_cards_are_rank_then_suit_from_the_lowest():
    assert [format_card(card) for card in (0, 1, 2, 3, 4, 28, 51)] == ['3d', '3c', '3h', '3s', '4d', 'Td', '2s']
    assert [format_card(card, 'cdhs') for card in (0, 1)] == ['3c', '3d']
    assert parse_card('TS') == parse_card('ts') == 31
    assert mask_of(np.array([0, 51])) == 1 | 1 << 51


@EACH_ORDER
def test_sets_of_cards_round_trip(suits):
    rng = random.Random(3)
    for size in [*range(53)] * 4:
        cards = rng.sample(range(52), size)
        text = format_cards(sum(1 << card for card in cards), suits)
        words = text.split()
        assert [parse_card(word, suits) for word in words] == sorted(cards)
        assert [format_card(card, suits) for card in sorted(cards)] == words
        assert parse_cards(' '.join(rng.sample(words, size)), suits) == mask_of(cards)


@EACH_ORDER
def test_every_action_text_round_trips(suits):
    for action in range(0, NUM_ACTIONS, 7):
        assert parse_action(action_text(action, suits), suits) == action
    assert parse_action('Pass', suits) == NUM_ACTIONS - 1


WRONG_CARDS = ['', '3', 'd', '1d', '3x', 'd3', '10d', '3dd', ' 3d', '3♦']
WRONG_IDS = [-1, 52, 0.5, '3d', None, float('nan'), float('inf'), np.array([0, 1])]
WRONG_ACTIONS = [-1, NUM_ACTIONS, 1.5, '3d', None]


@pytest.mark.parametrize(
    ('call', 'values', 'error'),
    [
        (parse_card, WRONG_CARDS, CardError),
        (parse_cards, ['3d 3d', '3d 3D'], CardError),
        (format_card, WRONG_IDS, CardError),
        (lambda card: mask_of([card]), WRONG_IDS, CardError),
        (action_mask, WRONG_ACTIONS, IllegalActionError),
        (lambda text: parse_action(text, 'dchs'), ['', 5], IllegalActionError),
    ],
    ids=['card', 'cards', 'id', 'ids', 'action', 'text'],
)
def test_wrong_values_are_named(call, values, error):
    for value in values:
        with pytest.raises(error) as raised:
            call(value)
        assert repr(value) in str(raised.value)


@pytest.mark.parametrize(
    ('call', 'error', 'named'),
    [
        (lambda: parse_cards('3d,4d'), CardError, "'3d,4d'"),
        (lambda: parse_cards('Td 1c'), CardError, "'1c'"),
        (lambda: mask_of([0, 1, 1]), CardError, '3c'),
        (lambda: format_cards(-1), CardError, '-1'),
        (lambda: format_cards(FULL_DECK + 1), CardError, str(FULL_DECK + 1)),
        (lambda: parse_action('3x', 'dchs'), CardError, "'3x'"),
        (lambda: parse_action('7d 5s Ks', 'cdhs'), IllegalActionError, '5s 7d Ks'),  # in the order of suits in force
    ],
)
def test_the_wrong_part_is_named(call, error, named):
    with pytest.raises(error) as raised:
        call()
    assert named in str(raised.value)
