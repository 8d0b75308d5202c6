"""What agents share: decisions for a batch of games, and RLCard's protocol on top of them."""

from rlcard_big2.engine.actions import ACTION_MASKS
from rlcard_big2.rules import Rules
from rlcard_kit.agents.stepping import ExploringAgent, SteppingAgent, UniformAgent
from rlcard_kit.arrays import Int64Array


class BatchAgent(SteppingAgent):
    """Decides for many games of Big 2 at once, and so for one state of `rlcard.make('big2')`.

    Args:
        seed: of the stream from which `step` and `eval_step` draw; None takes one from the operating system.
    """

    default_rules = Rules()
    rules: Rules
    trained_on: Rules | None = None

    def moves_of(self, actions: Int64Array) -> Int64Array:
        """Return the masks of action ids, int64 [K]."""
        return ACTION_MASKS[actions]


class RandomAgent(UniformAgent, BatchAgent):
    """Plays any legal action with equal probability.

    Args:
        seed: see `BatchAgent`; None takes one from numpy's global generator, so that RLCard's `set_seed` repeats it.
    """


class EpsilonAgent(ExploringAgent, BatchAgent):
    """Epsilon-greedy wrapper around another agent.

    Args:
        agent: the other agent.
        epsilon: the share of moves, from 0 to 1, at which any legal action is played with equal probability.
        seed: see `BatchAgent`.
    """
