"""An agent that sometimes plays at random."""

import numpy as np

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.lockstep.agent import explore
from rlcard_big2.lockstep.positions import Choice, Positions
from rlcard_big2.lockstep.random import Streams
from rlcard_big2.rules import Rules


class EpsilonAgent(BatchAgent):
    """Epsilon-greedy wrapper around another agent.

    Args:
        agent: the other agent.
        epsilon: the share of moves, from 0 to 1, at which any legal action is played with equal probability.
        seed: see `BatchAgent`.
    """

    def __init__(self, agent: BatchAgent, epsilon: float, seed: int | None = None) -> None:
        self.agent = agent
        self.epsilon = epsilon
        self.trained_on = agent.trained_on
        super().__init__(seed)

    def prepare(self, rules: Rules) -> None:
        """Take the rules to play by from now on."""
        super().prepare(rules)
        self.agent.prepare(rules)

    def choose(self, positions: Positions, random: Streams) -> Choice:
        """Choose epsilon-greedily; see `Chooser.choose`."""
        indices = np.array(self.agent.choose(positions, random).indices)
        explore(self.epsilon, positions.offsets, random, indices)
        return Choice(indices)
