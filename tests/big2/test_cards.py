"""Cards and rules: text, numbers and validation."""

import random
from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest

from rlcard_big2 import Rules
from rlcard_big2.actions import NUM_ACTIONS, action_mask, action_text, parse_action
from rlcard_big2.cards import FULL_DECK, format_card, format_cards, mask_of, parse_card, parse_cards
from rlcard_big2.rules import PRESETS, STRAIGHT_ORDERS
from rlcard_kit.errors import CardError, IllegalActionError, RulesError

SUIT_ORDERS = ['dchs', 'cdhs']


@pytest.mark.parametrize('suits', SUIT_ORDERS)
def test_every_card_round_trips(suits):
    assert [parse_card(format_card(card, suits), suits) for card in range(52)] == list(range(52))


def test_cards_are_rank_then_suit_from_the_lowest():
    assert [format_card(card) for card in (0, 1, 2, 3, 4, 28, 51)] == ['3d', '3c', '3h', '3s', '4d', 'Td', '2s']
    assert [format_card(card, 'cdhs') for card in (0, 1)] == ['3c', '3d']
    assert parse_card('TS') == parse_card('ts') == 31


@pytest.mark.parametrize('suits', SUIT_ORDERS)
def test_sets_of_cards_round_trip(suits):
    rng = random.Random(3)
    for size in [*range(53)] * 4:
        mask = sum(1 << card for card in rng.sample(range(52), size))
        text = format_cards(mask, suits)
        words = text.split()
        assert len(words) == size
        assert [parse_card(word, suits) for word in words] == sorted(parse_card(word, suits) for word in words)
        assert parse_cards(' '.join(rng.sample(words, size)), suits) == mask


@pytest.mark.parametrize('suits', SUIT_ORDERS)
def test_every_action_text_round_trips(suits):
    for action in range(0, NUM_ACTIONS, 7):
        assert parse_action(action_text(action, suits), suits) == action
    assert parse_action('Pass', suits) == NUM_ACTIONS - 1


def test_mask_of_takes_numpy_ids():
    assert mask_of(np.array([0, 51])) == 1 | 1 << 51
    assert type(mask_of(np.array([51]))) is int


@pytest.mark.parametrize('text', ['', '3', 'd', '1d', '3x', 'd3', '10d', '3dd', ' 3d', '3♦'])
def test_text_that_is_no_card(text):
    with pytest.raises(CardError, match='is not a card') as error:
        parse_card(text)
    assert repr(text) in str(error.value)


@pytest.mark.parametrize(
    ('text', 'reason'), [('3d 3d', 'twice'), ('3d 3D', 'twice'), ('3d,4d', '3d,4d'), ('Td 1c', '1c')]
)
def test_text_that_is_no_set_of_cards(text, reason):
    with pytest.raises(CardError, match=reason):
        parse_cards(text)


@pytest.mark.parametrize('card', [-1, 52, 0.5, '3d', None, float('nan'), float('inf'), np.array([0, 1])])
def test_what_is_no_card_id(card):
    for function in (format_card, lambda card: mask_of([card])):
        with pytest.raises(CardError, match='is not a card id') as error:
            function(card)
        assert repr(card) in str(error.value)


def test_a_card_twice():
    with pytest.raises(CardError, match='3c'):
        mask_of([0, 1, 1])


@pytest.mark.parametrize('mask', [-1, FULL_DECK + 1])
def test_what_is_no_mask(mask):
    with pytest.raises(CardError, match=str(mask)):
        format_cards(mask)


@pytest.mark.parametrize(
    ('text', 'error'),
    [('3d 4d', IllegalActionError), ('', IllegalActionError), (5, IllegalActionError), ('3x', CardError)],
)
def test_text_that_is_no_action(text, error):
    with pytest.raises(error) as raised:
        parse_action(text, 'dchs')
    assert str(text) in str(raised.value)


def test_unknown_actions():
    for action in (-1, NUM_ACTIONS, 1.5, '3d', None):
        with pytest.raises(IllegalActionError, match='not an action id') as error:
            action_mask(action)
        assert repr(action) in str(error.value)


BAD_VALUES = {
    'suits': ['shcd', '', None, 1, ['d']],
    'opening': ['first', True, None],
    'straights': ['A2T', 't2a', 0, None],
    'flush_order': ['ranks', False, None],
    'penalty_thresholds': [
        [8], 8, None, (8, 8), (10, 8), (0,), (-1, 3), (8.0,), (True,), ('8',), (1, 2, 3, 4), (8, 53), (10**30,),
    ],
    **{field.name: [0, 1, None, 'yes'] for field in fields(Rules) if isinstance(field.default, bool)},
}  # fmt: skip


@pytest.mark.parametrize('name', [field.name for field in fields(Rules)])
def test_bad_values_are_named_with_their_field(name):
    for value in BAD_VALUES[name]:
        with pytest.raises(RulesError) as error:
            Rules(**{name: value})
        assert f'{name}={value!r}' in str(error.value)
        assert isinstance(error.value, ValueError)


@pytest.mark.parametrize(
    ('fields', 'needs'), [({'bombs': True}, 'four_kickers=True'), ({'mixed_kinds': False}, 'bombs=True')]
)
def test_contradictions_say_what_they_need(fields, needs):
    with pytest.raises(RulesError, match=needs):
        Rules(**fields)


@pytest.mark.parametrize('thresholds', [(), (1,), (8, 10), (8, 10, 13), (12, 13, 14)])
def test_thresholds_ascend(thresholds):
    assert Rules(penalty_thresholds=thresholds).penalty_thresholds == thresholds


def test_presets_by_name():
    assert set(PRESETS) == {'charlesworth', 'hkust', 'hong-kong', 'taiwan'}
    assert Rules.preset('charlesworth') == Rules()
    assert all(Rules.preset(name) is rules for name, rules in PRESETS.items())
    with pytest.raises(RulesError, match=r"'bridge'.*charlesworth, hkust, hong-kong, taiwan"):
        Rules.preset('bridge')


def test_replace_makes_a_variant_and_checks_it():
    rules = replace(Rules.preset('hkust'), flush_order='suit', penalty_thresholds=(8, 10, 13))
    assert (rules.flush_order, rules.opening) == ('suit', 'any')
    assert Rules.preset('hkust').flush_order == 'rank'
    with pytest.raises(RulesError):
        replace(rules, opening='none')


def test_rules_are_frozen_and_hashable():
    with pytest.raises(FrozenInstanceError):
        Rules().triples = False
    assert len({Rules(), Rules.preset('charlesworth'), Rules.preset('taiwan')}) == 2
    assert Rules(straights='T2A', flush_order='rank', penalty_thresholds=(8, 10, 13)) != Rules()


def test_each_order_of_straights_has_its_own_name():
    for name, order in STRAIGHT_ORDERS.items():
        assert order.endswith(name)
        assert len(set(order)) == len(order)


def test_an_error_names_cards_by_the_order_of_suits_in_force():
    with pytest.raises(IllegalActionError, match=r'^5s 7d Ks is not a combination'):
        parse_action('7d 5s Ks', 'cdhs')
