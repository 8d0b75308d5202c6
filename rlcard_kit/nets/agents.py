"""Agents that play by a policy or a value network."""

from typing import Any, Protocol

import numpy as np
from typing_extensions import override

from rlcard_kit.agents.base import Agent, ValueFunction, choose_highest, pick
from rlcard_kit.arrays import Float32Array, Float64Array
from rlcard_kit.positions import Decision, Positions
from rlcard_kit.rng import Streams

DMC, PPO = 'dmc', 'ppo'  # the kinds of agents: the words before the colon in their names


class Policy(Protocol):
    """A policy with a value."""

    def probabilities(self, positions: Positions) -> tuple[Float64Array, Float64Array]:
        """Return the probability of each legal move, [M], and the value of each game in payoff, [N], both float64."""
        ...


class PolicyAgent(Agent):
    """Plays by a policy.

    Args:
        network: the policy.
        greedy: play the likeliest move; otherwise moves are sampled.
        trained_on: the rules that it was trained on, if it was.
    """

    def __init__(self, network: Policy, greedy: bool = False, trained_on: Any = None) -> None:
        super().__init__(seed=0)
        self.network = network
        self.trained_on = trained_on
        self.greedy = greedy

    def probabilities(self, positions: Positions) -> Float64Array:
        """Return the probability of each legal move, float64 [M]."""
        return self.network.probabilities(positions)[0]

    @override
    def choose(self, positions: Positions, random: Streams) -> Decision:
        probabilities, values = self.network.probabilities(positions)
        return Decision(pick(probabilities, positions.offsets, random, self.greedy), values.astype(np.float32))

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the action id for a state, with the network's probabilities.

        info['probs'] holds the probability of each raw legal action; info['value'] is the expected payoff.
        """
        positions = self.positions_of(state)
        probabilities, values = self.network.probabilities(positions)
        index = int(pick(probabilities, positions.offsets, self._stream, self.greedy)[0])
        named = dict(zip(state['raw_legal_actions'], probabilities.tolist(), strict=True))
        return list(state['legal_actions'])[index], {'probs': named, 'value': float(values[0])}


class ValueChooser(Agent):
    """Chooses the moves of the highest values.

    Args:
        network: evaluates moves.
    """

    def __init__(self, network: ValueFunction) -> None:
        self.network = network

    @override
    def choose(self, positions: Positions, random: Streams) -> Decision:
        return self.evaluate(positions)[1]

    def evaluate(self, positions: Positions) -> tuple[Float32Array, Decision]:
        """Return the values of all legal moves, float32 [M], and the choice of each game's highest."""
        values = self.network.values(positions)
        indices = choose_highest(values, positions.offsets)
        return values, Decision(indices, values[indices])


class ValueAgent(ValueChooser):
    """Plays the move of the highest value.

    Args:
        network: evaluates moves.
        trained_on: the rules that it was trained on, if it was.
    """

    def __init__(self, network: ValueFunction, trained_on: Any = None) -> None:
        ValueChooser.__init__(self, network)
        Agent.__init__(self, seed=0)
        self.trained_on = trained_on

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the action id for a state, and the values by raw action in info['values'].

        A value is the expected payoff, with the `win_bonus` of the training.
        """
        values, choice = self.evaluate(self.positions_of(state))
        named = dict(zip(state['raw_legal_actions'], values.tolist(), strict=True))
        return list(state['legal_actions'])[choice.indices[0]], {'values': named}
