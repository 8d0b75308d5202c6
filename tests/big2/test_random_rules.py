"""Rules drawn at random."""

from collections import Counter

import numpy as np

from rlcard_big2.random_rules import random_rules


def test_rules_are_of_all_sizes_and_the_same_from_the_same_seed():
    random, again = np.random.default_rng(5), np.random.default_rng(5)
    drawn = [random_rules(random) for _ in range(300)]
    assert drawn == [random_rules(again) for _ in range(300)]
    assert len(set(drawn)) > 290
    players = Counter(rules.players for rules in drawn)
    assert set(players) == {2, 3, 4}
    assert players[4] > 100
    assert {rules.penalty_thresholds for rules in drawn} >= {(), (8, 10, 13)}
    assert {rules.hand_size for rules in drawn} == {13, 17, 26}
