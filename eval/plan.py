"""Plans of games over duplicate deals, played in blocks that any number of processes may share out."""

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from eval.agents import make_agent, weights_file
from eval.players import SECONDS, Player
from eval.table import Outcome, make_player, play_block
from rlcard_big2.engine.bitboard import Int64Array
from rlcard_big2.files import checksum
from rlcard_big2.rules import Rules
from rlcard_big2.version import __version__

BLOCK = 64  # deals in lock step; part of a plan's meaning, since a network's rounding follows its batches
GROUP = 4  # seatings in lock step: those of a match, which so has the same numbers in whatever plan it is


@dataclass(frozen=True)
class Plan:
    """Games to play: every deal once in every seating.

    Attributes:
        agents: names of the agents, see `eval.agents`.
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


def seat(plan: Plan) -> list[Player]:
    """Make the players of a plan, each with one thread."""
    players = [make_player(make_agent(name), plan.seconds) for name in plan.agents]
    limit_threads()
    return players


def limit_threads() -> None:
    """Have numpy and torch use one thread: processes are the parallelism, and sums keep their order."""
    threadpool_limits(1)
    if 'torch' in sys.modules:
        sys.modules['torch'].set_num_threads(1)


def play_one(plan: Plan, players: Sequence[Player], number: int) -> Outcome:
    """Play one block."""
    groups = [plan.seatings[first : first + GROUP] for first in range(0, len(plan.seatings), GROUP)]
    outcomes = [
        play_block(players, plan.agents, group, plan.rules, plan.block(number), number * BLOCK, plan.seed)
        for group in groups
    ]
    return join(outcomes, axis=1)


def join(outcomes: Sequence[Outcome], axis: int = 0) -> Outcome:
    """Join outcomes: of other deals along axis 0, of other seatings along axis 1."""
    return Outcome(*(np.concatenate(parts, axis=axis) for parts in zip(*outcomes, strict=True)))


def pick(outcome: Outcome, seatings: slice) -> Outcome:
    """Return the part of an outcome that was played in some of the seatings."""
    return Outcome(*(part[:, seatings] for part in outcome))
