"""An agent that sometimes plays at random."""

from rlcard_big2.agents.base import BatchAgent
from rlcard_kit.agents.stepping import ExploringAgent


class EpsilonAgent(ExploringAgent, BatchAgent):
    """Epsilon-greedy wrapper around another agent.

    Args:
        agent: the other agent.
        epsilon: the share of moves, from 0 to 1, at which any legal action is played with equal probability.
        seed: see `BatchAgent`.
    """
