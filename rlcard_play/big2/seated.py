"""A game of Big 2 between seats, each taken by a person or an agent."""

from typing_extensions import override

from rlcard_big2.actions import PASS
from rlcard_big2.records import FORMAT
from rlcard_big2.registry import weights_file
from rlcard_play.study import seated_game


class SeatedGame(seated_game.SeatedGame):
    """A game of Big 2 with its players."""

    records = FORMAT
    weights_file = staticmethod(weights_file)

    @property
    @override
    def is_forced(self) -> bool:
        return self.legal == [PASS]
