"""Rules as inputs of a network, and the stakes in which its values are."""

from dataclasses import replace

import numpy as np
import pytest

from rlcard_big2.engine.observation import OBSERVATION
from rlcard_big2.engine.ruleset import number_of_rules, rules_of
from rlcard_big2.nets.features import WIDTHS, observation_inputs
from rlcard_big2.nets.rule_features import rule_inputs, stake
from rlcard_big2.random_rules import random_rules
from rlcard_big2.rules import PRESETS, Rules

THRESHOLD_INPUTS = 3 * 13


def test_each_field_changes_the_inputs():
    changed = [
        Rules(players=3), Rules(hand_size=12), Rules(hand_size=12, ranks=12), Rules(suits='cdhs'), Rules(opening='any'),
        Rules(players=3, hand_size=17, leftover='opener'), Rules(triples=False), Rules(straights='T'),
        Rules(last_card='pays'), Rules(unplayed_twos=True), Rules(settlement='pairs'), Rules(penalty_thresholds=(10,)),
    ]  # fmt: skip
    found = {rule_inputs(number_of_rules(rules)).tobytes() for rules in (Rules(), *changed)}
    assert len(found) == len(changed) + 1
    some = [rule_inputs(number_of_rules(random_rules(np.random.default_rng(seed)))).tobytes() for seed in range(200)]
    assert len(set(some)) == len({random_rules(np.random.default_rng(seed)) for seed in range(200)})


def test_thresholds_are_the_factors_by_cards_left():
    twice, thrice, most = rule_inputs(number_of_rules(PRESETS['hong-kong']))[-THRESHOLD_INPUTS:].reshape(3, 13)
    assert twice.tolist() == [0] * 7 + [1] * 6  # from 8 cards
    assert thrice.tolist() == [0] * 9 + [1] * 4
    assert most.tolist() == [0] * 12 + [1]
    assert not rule_inputs(number_of_rules(Rules()))[-THRESHOLD_INPUTS:].any()
    players = rule_inputs(number_of_rules(PRESETS['mini']))[:3]
    assert np.array_equal(players, [0, 0, 1])  # two, the last of 4, 3, 2


@pytest.mark.parametrize(
    ('rules', 'expected'),
    [
        (Rules(), 1),
        (PRESETS['taiwan'], 1),  # doublings by 2s are left out
        (PRESETS['hong-kong'], (28 + 2 * 17 + 3 * 33 + 4 * 13) / 91),
        (Rules(face_values=True), (1 + sum(range(3, 10)) + 4 * 10) / 12),
        (Rules(players=2, hand_size=3, ranks=3), 2 / 7),
    ],
)
def test_the_stake_is_what_cards_cost_on_average(rules, expected):
    assert stake(rules) == pytest.approx(expected)


def test_the_rules_are_the_last_inputs_and_padding_has_none():
    packed = np.zeros(3, OBSERVATION)
    packed['rules'][:2] = number_of_rules(Rules()), number_of_rules(PRESETS['two'])
    inputs = observation_inputs(packed, 'tables')
    assert inputs.shape == (3, WIDTHS['tables'].observation)
    own = WIDTHS['tables'].observation - WIDTHS['rules'].observation
    for row, rules in enumerate((Rules(), PRESETS['two'])):
        assert np.array_equal(inputs[row, -own:], rule_inputs(number_of_rules(rules)))
    assert not inputs[2, -own:].any()
    assert np.array_equal(inputs[:, :-own], observation_inputs(packed, 'rules'))
    assert replace(Rules()) == rules_of(int(packed['rules'][0]))
