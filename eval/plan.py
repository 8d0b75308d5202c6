"""Plans of games over duplicate deals, played in blocks that any number of processes may share out."""

from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from rlcard_big2.duplicate.block import BLOCK
from rlcard_big2.duplicate.players import SECONDS
from rlcard_big2.files import checksum
from rlcard_big2.lockstep.arrays import Int64Array
from rlcard_big2.names import weights_file
from rlcard_big2.rules import Rules
from rlcard_big2.version import __version__


@dataclass(frozen=True)
class Plan:
    """Games to play: every deal once in every seating.

    Attributes:
        agents: names of the agents, see `rlcard_big2.names`.
        seatings: int64 [G, 4], the place in `agents` of the agent in each seat.
        rules: to play by.
        deals: masks, int64 [D, 4].
        seed: of the agents' draws.
        seconds: limit for one call of an agent; 0 for none.
    """

    agents: tuple[str, ...]
    seatings: Int64Array
    rules: Rules
    deals: Int64Array
    seed: int
    seconds: float = SECONDS

    @property
    def num_blocks(self) -> int:
        """Number of blocks of up to 64 deals."""
        return -(-len(self.deals) // BLOCK)

    def block(self, number: int) -> Int64Array:
        """Return the deals of a block, int64 [64 or fewer, 4]."""
        return self.deals[number * BLOCK : (number + 1) * BLOCK]

    def describe(self) -> dict[str, Any]:
        """Return what decides the outcome of every game, as JSON has it; deals and weights by checksum."""
        rules = {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self.rules).items()}
        return {
            'version': __version__,
            'agents': list(self.agents),
            'weights': {name: checksum(path) for name in self.agents if (path := weights_file(name))},
            'rules': rules,
            'seed': self.seed,
            'deals': _fingerprint(self.deals),
            'seatings': _fingerprint(self.seatings),
        }


def _fingerprint(array: Int64Array) -> dict[str, Any]:
    return {'count': len(array), 'sha256': sha256(array.tobytes()).hexdigest()}
