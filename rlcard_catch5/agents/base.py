"""Base of the agents of Catch Five, and its random and epsilon-greedy agents."""

import rlcard_kit.agents as kit
from rlcard_catch5.rules import Rules


class Catch5Agent(kit.Agent):
    """Decides for many games of Catch Five at once, or one state of `rlcard.make('catch5')`; see `Agent` of the kit."""

    default_rules = Rules()
    rules: Rules
    trained_on: Rules | None = None


class RandomAgent(kit.RandomAgent, Catch5Agent):
    """Plays any legal action with equal probability; the paper's first baseline."""


class EpsilonAgent(kit.EpsilonAgent, Catch5Agent):
    """Epsilon-greedy wrapper around another agent, see `rlcard_kit.agents.EpsilonAgent`."""
