"""Rules drawn at random, for a network that plays by all of them."""

from dataclasses import replace
from typing import Any

import numpy as np

from rlcard_big2.engine.ruleset import NEWEST, values_by_field
from rlcard_big2.rules import NUM_RANKS, PRESETS, Rules
from rlcard_kit.errors import RulesError

SIZES = (  # as SIZED; half of the rules have the usual one
    *[(4, 13, 'out')] * 6,
    *[(3, 17, 'opener'), (3, 17, 'out'), (3, 13, 'out'), (2, 13, 'out'), (2, 17, 'out'), (2, 26, 'out')],
)
SIZED = 'players', 'hand_size', 'leftover'
CHANGED = 0.25  # share of the other fields that is drawn
THRESHOLDS = range(7, 14)  # of penalties


def random_rules(random: np.random.Generator) -> Rules:
    """Draw rules: a preset with a quarter of its fields redrawn, in one of the usual sizes."""
    presets = [rules for rules in PRESETS.values() if rules.ranks == NUM_RANKS]
    while True:
        changes: dict[str, Any] = dict(zip(SIZED, SIZES[random.integers(len(SIZES))], strict=True))
        for name, values in values_by_field().items():
            if name not in (*SIZED, *NEWEST, 'ranks') and random.random() < CHANGED:
                changes[name] = values[int(random.integers(len(values)))]
        if 'penalty_thresholds' in changes:  # most of all values are absurd
            counts = random.choice(THRESHOLDS, random.integers(4), replace=False)
            changes['penalty_thresholds'] = tuple(sorted(counts.tolist()))
        try:
            return replace(presets[random.integers(len(presets))], **changes)
        except RulesError:
            continue  # some fields contradict each other
