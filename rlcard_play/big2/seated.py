"""A game of Big 2 between seats, each taken by a person or an agent."""

from collections.abc import Mapping, Sequence
from typing import Any

from typing_extensions import override

from rlcard_big2.actions import PASS
from rlcard_big2.records import FORMAT
from rlcard_big2.registry import weights_file
from rlcard_big2.rules import Rules
from rlcard_play.study import seated_game


class SeatedGame(seated_game.SeatedGame):
    """A game of Big 2 with its players; see the class of the kit."""

    records = FORMAT
    weights_file = staticmethod(weights_file)

    @property
    @override
    def is_forced(self) -> bool:
        return self.legal == [PASS]


def seat_person(names: Sequence[str], rules: Rules, seed: int | None, agents: Mapping[str, Any]) -> SeatedGame:
    """Return a game of a person in seat 0 against agents in the seats after it."""
    return SeatedGame(seated_game.seats_of(names), rules, seed, agents)
