"""What agents of Catch Five share, and the two that the house has for every game: random, and random at times."""

from rlcard_catch5.rules import Rules
from rlcard_kit.agents.stepping import ExploringAgent, SteppingAgent, UniformAgent


class Catch5Agent(SteppingAgent):
    """Decides for many games of Catch Five at once, and so for one state of `rlcard.make('catch5')`.

    Args:
        seed: of the stream from which `step` and `eval_step` draw; None takes one from the operating system.
    """

    default_rules = Rules()
    rules: Rules
    trained_on: Rules | None = None


class RandomAgent(UniformAgent, Catch5Agent):
    """Plays any legal action with equal probability; the paper's first baseline."""


class EpsilonAgent(ExploringAgent, Catch5Agent):
    """Epsilon-greedy wrapper around another agent, see `ExploringAgent`."""
