"""Base of the agents of Catch Five, and its random and epsilon-greedy agents."""

from rlcard_catch5.rules import Rules
from rlcard_kit.agents import base


class Catch5Agent(base.Agent):
    """Decides for many games of Catch Five at once, or one state of `rlcard.make('catch5')`; see `Agent` of the kit."""

    default_rules = Rules()
    rules: Rules
    trained_on: Rules | None = None


class RandomAgent(base.RandomAgent, Catch5Agent):
    """Plays any legal action with equal probability; the paper's first baseline."""


class EpsilonAgent(base.EpsilonAgent, Catch5Agent):
    """Epsilon-greedy wrapper around another agent, see `rlcard_kit.agents.base.EpsilonAgent`."""
