"""What a search takes its opponents for: players like its base, unless it is told which agent they are."""

from typing import NamedTuple

import numpy as np

from rlcard_big2.agents.published import PublishedAgent
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_kit.agents.base import Agent, ValueFunction
from rlcard_kit.arrays import Float32Array
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.agents import PolicyAgent
from rlcard_kit.positions import Positions


class Habits(NamedTuple):
    """How opponents choose: they draw from a softmax over values, or play the best if the temperature is 0."""

    network: ValueFunction
    temperature: float


class LogProbabilities:
    """Takes the logarithms of probabilities for values: their softmax at a temperature of 1 is the policy.

    Args:
        agent: says how likely its moves are.
    """

    def __init__(self, agent: PublishedAgent | PolicyAgent) -> None:
        self._agent = agent

    def values(self, positions: Positions) -> Float32Array:
        """Return the logarithms, float32 [M]; -inf for moves that are never made."""
        with np.errstate(divide='ignore'):
            return np.log(self._agent.probabilities(positions)).astype(np.float32)


def habits_of(agent: Agent, temperature: float) -> Habits:
    """Return how an agent chooses under the rules that it was prepared for.

    Args:
        agent: says what moves are worth, or how likely its own are.
        temperature: at which an agent that says values draws its moves; it plays the best if it is 0.

    Raises:
        ConfigError: if the agent says neither, or a temperature is given and the agent has probabilities.
    """
    if isinstance(agent, DMCAgent):
        return Habits(agent.network, temperature)
    if not isinstance(agent, PublishedAgent | PolicyAgent):
        raise ConfigError(
            f'opponents of {type(agent).__name__} say neither values nor probabilities of moves: '
            f'expected big2-dmc, dmc:FOLDER, big2-ppo, ppo:FOLDER or published-ppo:FILE'
        )
    if temperature:
        raise ConfigError(f'temperature={temperature:g}: the opponents draw their moves by probabilities of their own')
    return Habits(LogProbabilities(agent), 0.0 if agent.greedy else 1.0)
