"""Agents by name as opponents in training."""

from rlcard_kit.agents.base import Agent
from rlcard_kit.errors import ConfigError
from rlcard_kit.registry import AgentNameError
from training.config import RunConfig


def load_opponent(config: RunConfig, setting: str, name: str, others: str = '') -> Agent:
    """Make the agent that a setting names as an opponent.

    Args:
        config: of the run, for the game and its rules.
        setting: its name, for errors.
        name: of the agent, as in `python -m eval`.
        others: what else the setting may be, for errors.

    Raises:
        ConfigError: if the name is unknown, or the agent cannot play many games at once.
    """
    try:
        agent = config.learned.make_agent(name, config.find_rules())
    except AgentNameError as error:
        raise ConfigError(f'{setting}: {error}{others}') from error
    if not isinstance(agent, Agent):
        raise ConfigError(
            f"{setting}={name!r}: {type(agent).__name__} decides for one game at a time, by RLCard's eval_step; "
            f'here it takes a rlcard_kit.agents.base.Agent'
        )
    return agent
