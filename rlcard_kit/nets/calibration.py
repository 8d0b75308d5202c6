"""Calibrate values to win probability and expected cards.

Values of a trained network include its bonus for winning. So the network plays itself when it is exported, and two
monotone tables of the results by value are saved.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from rlcard_kit.arrays import Float64Array
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


Calibrations = Calibration | Mapping[str, Calibration] | None
"""Of a network: one, or one for each preset of the rules by its name; None if not measured."""


def calibration_json(found: Calibrations) -> Any:
    """Return calibrations as JSON can hold them."""
    if isinstance(found, Mapping):
        return {name: one.to_json() for name, one in found.items()}
    return found and found.to_json()


def parse_calibration(stored: Any, by_preset: bool) -> Calibrations:
    """Parse the result of `calibration_json`; ConfigError names the fault."""
    if not by_preset:
        return Calibration.from_json(stored)
    if not isinstance(stored, dict):
        raise ConfigError(f'calibration: expected tables by the name of a preset, got {stored!r:.200}')
    return {name: Calibration.from_json(one) for name, one in stored.items()}
