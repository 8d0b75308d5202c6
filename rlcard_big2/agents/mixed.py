"""An agent that sometimes plays at random."""

import numpy as np

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.lockstep.arrays import Int64Array
from rlcard_big2.lockstep.compilation import kernel
from rlcard_big2.lockstep.random import Streams, below, uniform


class EpsilonAgent(BatchAgent):
    """Plays as another agent does, but for a share of moves any legal action with equal probability.

    Args:
        agent: the other agent.
        epsilon: the share, from 0 to 1.
        seed: see `BatchAgent`.
    """

    def __init__(self, agent: BatchAgent, epsilon: float, seed: int | None = None) -> None:
        super().__init__(seed)
        self.agent = agent
        self.epsilon = epsilon

    def choose(self, observations: Int64Array, masks: Int64Array, offsets: Int64Array, random: Streams) -> Int64Array:
        """Choose epsilon-greedily; see `BatchAgent.choose`."""
        places = np.array(self.agent.choose(observations, masks, offsets, random))
        explore(self.epsilon, offsets, random, places)
        return places


@kernel
def explore(epsilon: float, offsets: Int64Array, random: Streams, places: Int64Array) -> None:
    """Replace each chosen place, with probability epsilon, by a random one of the same game."""
    for i in range(places.size):
        if uniform(random[i : i + 1]) < epsilon:
            places[i] = offsets[i] + below(random[i : i + 1], offsets[i + 1] - offsets[i])
