"""Plans: which games to play."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from rlcard_big2.duplicate.block import BLOCK, Block
from rlcard_big2.duplicate.limits import SECONDS
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.lockstep.arrays import Int64Array
from rlcard_big2.rules import Rules
from rlcard_big2.version import __version__


@dataclass(frozen=True)
class Plan:
    """Games to play: every deal once in every seating.

    Attributes:
        agents: names of the agents, see `rlcard_big2.names`.
        seatings: int64 [G, 4], the index in `agents` of the agent in each seat.
        rules: to play by.
        deals: masks, int64 [D, 4].
        seed: of the agents' draws.
        seconds: limit for one call of an agent; 0 for none.
        keep_moves: keep the moves of every game.
    """

    agents: tuple[str, ...]
    seatings: Int64Array
    rules: Rules
    deals: Int64Array
    seed: int
    seconds: float = SECONDS
    keep_moves: bool = False

    @property
    def num_blocks(self) -> int:
        """Number of blocks of up to 64 deals."""
        return -(-len(self.deals) // BLOCK)

    def block(self, number: int) -> Block:
        """Return a block to play."""
        first = number * BLOCK
        deals = self.deals[first : first + BLOCK]
        return Block(BIG2, self.rules, deals, first, self.seatings, self.seed, self.keep_moves)

    def describe(self) -> dict[str, Any]:
        """Return what decides the outcome of every game but the agents' weights, as JSON has it; deals by checksum."""
        rules = {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self.rules).items()}
        return {
            'game': BIG2.name,
            'version': __version__,
            'agents': list(self.agents),
            'rules': rules,
            'seed': self.seed,
            'deals': fingerprint(self.deals),
            'seatings': fingerprint(self.seatings),
        }


def fingerprint(array: Int64Array) -> dict[str, Any]:
    """Return the length and the SHA-256 of an array."""
    return {'count': len(array), 'sha256': sha256(array.tobytes()).hexdigest()}


def identity(description: Mapping[str, Any]) -> str:
    """Return the checksum of what decides the games of a deal, whatever other deals are played."""
    rest = {key: value for key, value in description.items() if key != 'deals'}
    return sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()
