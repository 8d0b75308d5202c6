"""Agents that play by a policy, whatever the game and the library that computes it."""

from typing import Any, Protocol

import numpy as np

from rlcard_kit.agents.base import pick
from rlcard_kit.agents.stepping import SteppingAgent
from rlcard_kit.arrays import Float64Array
from rlcard_kit.positions import Choice, Positions
from rlcard_kit.rng import Streams

AGENT = 'ppo'


class Policy(Protocol):
    """Anything that says how likely each legal move should be."""

    def probabilities(self, positions: Positions) -> tuple[Float64Array, Float64Array]:
        """Return the probability of each legal move, [M], and the value of each game in payoff, [N], both float64."""
        ...


class PolicyAgent(SteppingAgent):
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

    def choose(self, positions: Positions, random: Streams) -> Choice:
        """Choose by the policy's probabilities; see `Chooser.choose`."""
        probabilities, values = self.network.probabilities(positions)
        return Choice(pick(probabilities, positions.offsets, random, self.greedy), values.astype(np.float32))

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the action id for a state, with the network's opinion.

        info['probs'] holds the probability of each raw legal action; info['value'] is the expected payoff.
        """
        positions = self.positions_of(state)
        probabilities, values = self.network.probabilities(positions)
        index = int(pick(probabilities, positions.offsets, self._stream, self.greedy)[0])
        named = dict(zip(state['raw_legal_actions'], probabilities.tolist(), strict=True))
        return list(state['legal_actions'])[index], {'probs': named, 'value': float(values[0])}
