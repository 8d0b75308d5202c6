"""Faults of programs in a match: moves that they failed to make."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.arrays import Int64Array
from rlcard_kit.programs.process import KINDS

Faults = NDArray[np.uint8]  # [D, G, seats, kinds], number of moves that were replaced


class FaultCount(NamedTuple):
    """The faults of one kind of an agent."""

    agent: str
    kind: str  # of `KINDS`
    moves: int  # that were replaced
    games: int  # in which that happened
    deal: int  # the first of them
    seat: int

    def __str__(self) -> str:
        return (
            f'{self.agent}: {self.moves:,} moves in {self.games:,} games were replaced: {self.kind}, first in deal '
            f'{self.deal}, seat {self.seat}.'
        )


def count_faults(faults: Faults, seatings: Int64Array, agents: Sequence[str]) -> list[FaultCount]:
    """Return the faults of each agent and kind, if there are any.

    Args:
        faults: of D deals in G seatings.
        seatings: int64 [G, seats], the number of the agent in each seat.
        agents: their names.
    """
    counts = []
    for number, agent in enumerate(agents):
        agent_faults = faults * (seatings == number)[None, :, :, None]  # [D, G, seats, kinds]
        for kind, moves in enumerate(agent_faults.sum(axis=(0, 1, 2)).tolist()):
            if moves:
                indices = np.argwhere(agent_faults[..., kind])  # [K, 3]: deal, seating, seat
                games = len(np.unique(indices[:, :2], axis=0))
                counts.append(FaultCount(agent, KINDS[kind], moves, games, int(indices[0, 0]), int(indices[0, 2])))
    return counts
