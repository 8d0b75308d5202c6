"""Calibrate values to win probability and expected cards.

Values of a trained network include its bonus for winning. So the network plays itself when it is exported, and two
monotone tables of the results by value are saved; if it is told the rules, layers that give the tables for any rules.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from rlcard_kit.arrays import Float64Array, Int8Array
from rlcard_kit.errors import ConfigError, is_number

MOST_POINTS = 100


@dataclass(frozen=True)
class Calibration:
    """Results of self-play by a network's value, interpolated linearly.

    Args:
        values: of the network, ascending.
        win: the share of games that were won, ascending.
        cards: the mean payoff in cards, ascending.
    """

    values: tuple[float, ...]
    win: tuple[float, ...]
    cards: tuple[float, ...]

    def __post_init__(self) -> None:
        if not 2 <= len(self.values) <= MOST_POINTS or not len(self.values) == len(self.win) == len(self.cards):
            raise ConfigError(f'calibration: expected three tables of 2 to {MOST_POINTS} points, as long as each other')
        for name, table in self.to_json().items():
            if not all(map(is_number, table)) or any(a > b for a, b in pairwise(table)):
                raise ConfigError(f'calibration: {name} must be numbers that ascend, got {table!r:.200}')
        if self.win[0] < 0 or self.win[-1] > 1:
            raise ConfigError(
                f'calibration: win goes from {self.win[0]} to {self.win[-1]}: expected shares from 0 to 1'
            )

    @classmethod
    def from_json(cls, stored: Any) -> 'Calibration':
        """Parse the result of `to_json`; ConfigError names the fault."""
        if not isinstance(stored, dict) or set(stored) != {'values', 'win', 'cards'}:
            raise ConfigError(f'calibration: expected values, win and cards by name, got {stored!r:.200}')
        if not all(isinstance(table, list) for table in stored.values()):
            raise ConfigError(f'calibration: expected three lists, got {stored!r:.200}')
        return cls(**{name: tuple(table) for name, table in stored.items()})

    def to_json(self) -> dict[str, list[float]]:
        """Return the tables as JSON can hold them."""
        return {'values': list(self.values), 'win': list(self.win), 'cards': list(self.cards)}

    def win_chance(self, values: Sequence[float] | Float64Array) -> Float64Array:
        """Return the chance of winning that goes with each value, float64 [M]."""
        return np.interp(values, self.values, self.win)

    def expected_cards(self, values: Sequence[float] | Float64Array) -> Float64Array:
        """Return the payoff in cards that goes with each value, float64 [M]."""
        return np.interp(values, self.values, self.cards)


LAYERS = 'rules', 'hidden', 'results'
UNIT = 8.0  # of values and payoffs in layers
VALUES = np.arange(-15.0, 46.0)  # at which tables have a point


@dataclass(frozen=True, eq=False)
class CalibrationByRules:
    """Results of self-play under any rules by a network's value, from three layers.

    Each layer is [outputs, inputs + 1]: weights, then the bias. The first two end in tanh.

    Args:
        rules: from the rules, as the network is told them.
        hidden: from those and the value / UNIT.
        results: to the log odds of winning, and to (payoff - value) / UNIT.
    """

    rules: Float64Array
    hidden: Float64Array
    results: Float64Array

    @classmethod
    def from_json(cls, stored: Any) -> 'CalibrationByRules':
        """Parse the result of `to_json`; ConfigError names the fault."""
        if not isinstance(stored, dict) or set(stored) != set(LAYERS):
            raise ConfigError(f'calibration: expected the layers {", ".join(LAYERS)} by name, got {stored!r:.200}')
        rules, hidden, results = (_matrix(name, stored[name]) for name in LAYERS)
        if hidden.shape[1] != len(rules) + 2 or results.shape != (2, len(hidden) + 1):
            shapes = f'{rules.shape}, {hidden.shape} and {results.shape}'
            raise ConfigError(f'calibration: layers of {shapes} do not fit each other')
        return cls(rules, hidden, results)

    def to_json(self) -> dict[str, list[list[float]]]:
        """Return the layers as JSON can hold them."""
        return {name: getattr(self, name).tolist() for name in LAYERS}

    def under(self, rules: Int8Array, stake: float) -> Calibration:
        """Return the tables under some rules.

        Args:
            rules: as the network is told them.
            stake: a value of 1 in payoff.

        Raises:
            ConfigError: if the rules have another number of inputs.
        """
        if self.rules.shape[1] != len(rules) + 1:
            raise ConfigError(f'calibration: it reads {self.rules.shape[1] - 1} inputs of rules, not {len(rules)}')
        told = np.repeat(np.tanh(_apply(self.rules, rules[None].astype(np.float64))), len(VALUES), axis=0)
        hidden = np.tanh(_apply(self.hidden, np.column_stack([told, VALUES / UNIT])))
        odds, more = _apply(self.results, hidden).T
        win, cards = 1 / (1 + np.exp(-odds)), (VALUES + UNIT * more) * stake
        tables = VALUES * stake, np.maximum.accumulate(win), np.maximum.accumulate(cards)
        return Calibration(*(tuple(table.tolist()) for table in tables))


def _apply(layer: Float64Array, rows: Float64Array) -> Float64Array:
    result: Float64Array = rows @ layer[:, :-1].T + layer[:, -1]
    return result


def _matrix(name: str, stored: Any) -> Float64Array:
    is_matrix = isinstance(stored, list) and stored and all(isinstance(row, list) for row in stored)
    if not is_matrix or len({len(row) for row in stored}) != 1 or not all(is_number(x) for row in stored for x in row):
        raise ConfigError(f'calibration: {name} must be rows of numbers, as long as each other, got {stored!r:.200}')
    return np.array(stored, np.float64)


Calibrations = Calibration | CalibrationByRules | None
"""Of a network: under the rules of its training, or by rules if it is told them; None if not measured."""
