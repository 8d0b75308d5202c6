"""The paper's other baselines: one that passes, and one that names its longest suit; both else play at random."""

import numpy as np
from typing_extensions import override

from rlcard_catch5.actions import FIRST_TRUMP
from rlcard_catch5.agents.base import RandomAgent
from rlcard_catch5.cards import NUM_SUITS
from rlcard_catch5.engine.observation import Observations
from rlcard_catch5.engine.state import TRUMP_PLY
from rlcard_catch5.engine.tricks import suit_cards
from rlcard_kit.agents import Decision, Positions, choose_uniformly
from rlcard_kit.arrays import Int64Array
from rlcard_kit.deck import popcount
from rlcard_kit.jit import kernel
from rlcard_kit.rng import Streams


class PassAgent(RandomAgent):
    """Passes whenever it may, and otherwise makes the lowest bid; suit and cards are random."""

    @override
    def choose(self, positions: Positions, random: Streams) -> Decision:
        out = np.empty(len(random), np.int64)
        choose_uniformly(positions.offsets, random, out)
        bidding = positions.observations['ply'] < TRUMP_PLY
        return Decision(np.where(bidding, positions.offsets[:-1], out))


class SuitAgent(RandomAgent):
    """Plays at random, but names its longest suit as trumps, the first of equals."""

    @override
    def choose(self, positions: Positions, random: Streams) -> Decision:
        out = np.empty(len(random), np.int64)
        choose_uniformly(positions.offsets, random, out)
        name_longest(positions.observations, positions.moves, positions.offsets, out)
        return Decision(out)


@kernel
def name_longest(observations: Observations, moves: Int64Array, offsets: Int64Array, out: Int64Array) -> None:
    """Write the index of the longest suit into `out`, int64 [N], for each game whose next action names trumps."""
    for i in range(out.size):
        if observations[i].ply == TRUMP_PLY:
            hand, most = observations[i].hand, -1
            for suit in range(NUM_SUITS):
                length = popcount(hand & suit_cards(suit))
                if length > most:
                    most = length
                    out[i] = offsets[i] + (FIRST_TRUMP + suit - moves[offsets[i]])
