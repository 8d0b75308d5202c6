"""Plans: the games to play."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from eval.games import EvaluatedGame, game_of
from rlcard_kit.arrays import Int64Array
from rlcard_kit.duplicate.block import BLOCK, Block
from rlcard_kit.duplicate.time_limit import SECONDS
from rlcard_kit.game import Deals
from rlcard_kit.rules import Rulebook
from rlcard_kit.version import __version__


@dataclass(frozen=True)
class Plan:
    """Games to play: every deal once in every seating.

    Attributes:
        agents: names of the agents, see `AgentRegistry`.
        seatings: int64 [G, seats], the index in `agents` of the agent in each seat.
        rules: to play by.
        deals: [D], as the game has them.
        seed: of the agents' draws.
        seconds: limit for one call of an agent; 0 for none.
        keep_moves: keep the moves of every game.
        game: name of the game.
    """

    agents: tuple[str, ...]
    seatings: Int64Array
    rules: Rulebook
    deals: Deals
    seed: int
    seconds: float = SECONDS
    keep_moves: bool = False
    game: str = 'big2'

    @property
    def evaluated(self) -> EvaluatedGame:
        """The game, in the size of the rules."""
        return game_of(self.game).for_rules(self.rules)

    @property
    def num_blocks(self) -> int:
        """Number of blocks of up to 64 deals."""
        return -(-len(self.deals) // BLOCK)

    def block(self, number: int) -> Block:
        """Return a block to play."""
        first = number * BLOCK
        deals = self.deals[first : first + BLOCK]
        return Block(self.evaluated.card, self.rules, deals, first, self.seatings, self.seed, self.keep_moves)

    def describe(self) -> dict[str, Any]:
        """Return everything but the agents' weights that determines the outcomes, as JSON; deals by checksum."""
        return {
            'game': self.game,
            'version': __version__,
            'agents': list(self.agents),
            'rules': self.rules.fields(),
            'seed': self.seed,
            'deals': fingerprint(self.deals),
            'seatings': fingerprint(self.seatings),
        }


def fingerprint(array: Deals) -> dict[str, Any]:
    """Return the length and the SHA-256 of an array."""
    return {'count': len(array), 'sha256': sha256(array.tobytes()).hexdigest()}


def identity(description: Mapping[str, Any]) -> str:
    """Return the checksum of a description without its deals: it determines the games of each deal."""
    rest = {key: value for key, value in description.items() if key != 'deals'}
    return sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()
