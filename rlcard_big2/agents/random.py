"""The random agent."""

from rlcard_big2.agents.base import BatchAgent
from rlcard_kit.agents.stepping import UniformAgent


class RandomAgent(UniformAgent, BatchAgent):
    """Plays any legal action with equal probability.

    Args:
        seed: see `BatchAgent`; None takes one from numpy's global generator, so that RLCard's `set_seed` repeats it.
    """
