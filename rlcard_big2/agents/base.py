"""Base of the agents of Big 2, and its random, greedy and epsilon-greedy agents."""

from typing import ClassVar

import numpy as np
from typing_extensions import override

import rlcard_kit.agents as kit
from rlcard_big2.engine.actions import ACTION_MASKS
from rlcard_big2.engine.bitboard import popcount
from rlcard_big2.rules import Rules
from rlcard_kit.agents import Decision, Positions
from rlcard_kit.arrays import Int64Array
from rlcard_kit.jit import kernel
from rlcard_kit.rng import Streams


class BatchAgent(kit.Agent):
    """Decides for many games of Big 2 at once, and so for one state of `rlcard.make('big2')`.

    Args:
        seed: of the stream from which `step` and `eval_step` draw; None takes one from the operating system.
    """

    plays_any_size: ClassVar[bool] = True
    """Whether it plays with any number of players and cards."""
    default_rules = Rules()
    rules: Rules
    trained_on: Rules | None = None

    @override
    def prepare(self, rules: Rules) -> None:
        if not self.plays_any_size:
            rules.need_usual_size('this agent')
        super().prepare(rules)

    @override
    def moves_of(self, actions: Int64Array) -> Int64Array:
        return ACTION_MASKS[actions]


class RandomAgent(kit.RandomAgent, BatchAgent):
    """Plays any legal action with equal probability, see `rlcard_kit.agents.RandomAgent`."""


class EpsilonAgent(kit.EpsilonAgent, BatchAgent):
    """Epsilon-greedy wrapper around another agent, see `rlcard_kit.agents.EpsilonAgent`."""


class GreedyAgent(BatchAgent):
    """Sheds as many cards as it can, by the lowest action that does."""

    @override
    def choose(self, positions: Positions, random: Streams) -> Decision:
        out = np.empty(len(positions.offsets) - 1, np.int64)
        choose_longest(positions.moves, positions.offsets, out)
        return Decision(out)


@kernel
def choose_longest(moves: Int64Array, offsets: Int64Array, out: Int64Array) -> None:
    """Write the index of each game's first move of most cards into `out`, int64 [N]."""
    for i in range(out.size):
        best = offsets[i]
        for index in range(offsets[i], offsets[i + 1]):
            if popcount(moves[index]) > popcount(moves[best]):
                best = index
        out[i] = best
