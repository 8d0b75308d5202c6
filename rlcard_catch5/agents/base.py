"""Base of the agents of Catch Five, the paper's three baselines, and the epsilon-greedy agent."""

import numpy as np
from typing_extensions import override

import rlcard_kit.agents as kit
from rlcard_catch5.actions import FIRST_TRUMP
from rlcard_catch5.cards import NUM_SUITS
from rlcard_catch5.engine.observation import Observations
from rlcard_catch5.engine.state import TRUMP_PLY
from rlcard_catch5.engine.tricks import suit_cards
from rlcard_catch5.rules import Rules
from rlcard_kit.agents import Decision, Positions
from rlcard_kit.arrays import Int64Array
from rlcard_kit.deck import popcount
from rlcard_kit.jit import kernel
from rlcard_kit.rng import Streams


class Catch5Agent(kit.Agent):
    """Decides for many games of Catch Five at once, or one state of `rlcard.make('catch5')`; see `Agent` of the kit."""

    default_rules = Rules()
    rules: Rules
    trained_on: Rules | None = None


class RandomAgent(kit.RandomAgent, Catch5Agent):
    """Plays any legal action with equal probability; the paper's first baseline."""


class EpsilonAgent(kit.EpsilonAgent, Catch5Agent):
    """Epsilon-greedy wrapper around another agent, see `rlcard_kit.agents.EpsilonAgent`."""


class PassAgent(RandomAgent):
    """Passes whenever it may, and otherwise makes the lowest bid; suit and cards are random."""

    @override
    def choose(self, positions: Positions, random: Streams) -> Decision:
        bidding = positions.observations['ply'] < TRUMP_PLY
        return Decision(np.where(bidding, positions.offsets[:-1], super().choose(positions, random).indices))


class SuitAgent(RandomAgent):
    """Plays at random, but names its longest suit as trumps, the first of equals."""

    @override
    def choose(self, positions: Positions, random: Streams) -> Decision:
        out = super().choose(positions, random).indices
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
