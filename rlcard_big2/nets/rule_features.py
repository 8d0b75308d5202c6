"""Rules as inputs of a network that plays by all of them, and the size of their payoffs. Nothing needs torch."""

from functools import lru_cache
from types import MappingProxyType

import numpy as np

from rlcard_big2.cards import NUM_CARDS
from rlcard_big2.engine.ruleset import RuleTables, number_of_rules, rules_of, tabulate, values_by_field
from rlcard_big2.engine.state import HAND_SIZE
from rlcard_big2.rules import Rules
from rlcard_kit.arrays import Float32Array, Int8Array, Int64Array

USUAL_COST = (HAND_SIZE + 1) / 2  # the mean of one card to thirteen
FACE_VALUES = 1, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10  # of all ranks but 2
FACTORS = 2, 3, 4  # that thresholds bring
TOLD = MappingProxyType(
    {
        'players': 3, 'hand_size': 26, 'leftover': 1, 'ranks': 13, 'suits': 3, 'opening': 3, 'triples': 1,
        'four_card_hands': 1, 'flushes': 1, 'four_kickers': 1, 'mixed_kinds': 1, 'bombs': 1, 'straights': 8,
        'low_twos': 1, 'royal_flush': 1, 'four_highest': 1, 'flush_order': 3, 'final_pass': 1, 'last_card': 3,
        'no_lone_two': 1, 'instant_wins': 4, 'unplayed_twos': 1, 'twos_once': 1, 'unplayed_bombs': 1, 'final_play': 1,
        'separate_bonuses': 1, 'added_factors': 1, 'face_values': 1, 'settlement': 1,
    }
)  # fmt: skip
"""Number of inputs of each field but the thresholds: one for two values, else one for each.

Fields and values of later versions are not told, so that networks of this one can be loaded.
"""


@lru_cache
def tables_of(number: int) -> RuleTables:
    """Return the rules of a number as kernels read them."""
    return tabulate(rules_of(number))


@lru_cache
def rule_inputs(number: int) -> Int8Array:
    """Write the rules of a number as zeros and ones, int8 [RULES_SIZE].

    These are the fields of TOLD, and for each factor and number of cards left from 1 to 13, whether a loser pays that
    or more.
    """
    rules, values = rules_of(number), values_by_field()
    parts = [_encode(values[name].index(getattr(rules, name)), size) for name, size in TOLD.items()]
    counts = np.arange(1, HAND_SIZE + 1)
    least = (*rules.penalty_thresholds, *[NUM_CARDS] * len(FACTORS))[: len(FACTORS)]
    return np.concatenate([*parts, *(counts >= count for count in least)]).astype(np.int8)


@lru_cache
def stake(rules: Rules) -> float:
    """Return what one to all cards of a hand cost on average, without 2s and bombs; under `charlesworth` that is 1."""
    counts = np.arange(1, rules.hand_size + 1)
    factors = 1 + np.sum([counts >= count for count in rules.penalty_thresholds], axis=0)
    face_value = np.mean(FACE_VALUES) if rules.face_values else 1.0
    return float(np.mean(counts * factors) * face_value / USUAL_COST)


def stakes_of(numbers: Int64Array) -> Float32Array:
    """Return the stakes of rules, by their numbers, int64 [N]: float32 [N]."""
    distinct, games = np.unique(numbers, return_inverse=True)
    return np.array([stake(rules_of(int(number))) for number in distinct], np.float32)[games]


def _encode(index: int, size: int) -> Int8Array:
    return np.array([index], np.int8) if size == 1 else (np.arange(size) == index).astype(np.int8)


RULES_SIZE = len(rule_inputs(number_of_rules(Rules())))
