"""Rules by their fields, checked and tabulated in JavaScript as in Python."""

import numpy as np
import pytest

from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.rules import Rules
from rlcard_catch5.engine.ruleset import tabulate as tabulate_catch5
from rlcard_catch5.rules import Rules as Catch5Rules
from rlcard_kit.errors import RulesError
from wasm.rules import big2_rules, catch5_rules

GAMES = {'big2': (Rules, tabulate, big2_rules), 'catch5': (Catch5Rules, tabulate_catch5, catch5_rules)}
THRESHOLDS = [], [8], [10, 13], [8, 10, 13], [13, 8], [0], [1, 2, 3, 4], [5, 53], [2.5]


def draw_fields(draws, values, preset):
    """Return a preset's fields with a few others, each of any value of its field."""
    changed = draws.choice(list(values), size=draws.integers(0, 6), replace=False)
    choices = {name: values[name] or THRESHOLDS for name in changed}
    return preset | {name: own[int(draws.integers(len(own)))] for name, own in choices.items()}


@pytest.mark.parametrize('game', GAMES)
def test_random_fields(run_node, game):
    kind, tabulate_rules, describe = GAMES[game]
    draws, values = np.random.default_rng(7), describe()['values']
    presets = [preset.fields() for preset in kind.presets().values()]
    fields = presets + [draw_fields(draws, values, presets[i % len(presets)]) for i in range(1500)]
    refused = 0
    for own, found in zip(fields, run_node('rules.mjs', game=game, rules=fields), strict=True):
        try:
            table = tabulate_rules(kind.from_json(own))
        except RulesError:
            refused += 1
            assert isinstance(found, str), own
            continue
        assert bytes(found) == table.tobytes(), own
    assert 50 < refused < 1400


def test_unknown_fields(run_node):
    unknown, word, number = run_node('rules.mjs', game='big2', rules=[{'colour': 1}, {'suits': 'x'}, {'players': 5}])
    assert 'colour' in unknown
    assert 'suits="x"' in word
    assert '"dchs"' not in word
    assert 'dchs' in word
    assert 'players=5' in number
