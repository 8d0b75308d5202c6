"""Opponent models for search: the base policy, or a named agent."""

from typing import NamedTuple

import numpy as np

from rlcard_big2.agents.base import GreedyAgent, RandomAgent
from rlcard_big2.agents.published import PublishedAgent
from rlcard_big2.agents.rule import RuleAgent
from rlcard_big2.nets.agents import DMCAgent
from rlcard_kit.agents import Agent, Positions, ValueFunction
from rlcard_kit.arrays import Float32Array
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.agents import PolicyAgent


class OpponentModel(NamedTuple):
    """Softmax policy over a network's values; greedy if the temperature is 0."""

    network: ValueFunction
    temperature: float


class LogProbabilities:
    """Values that are log-probabilities: their softmax at a temperature of 1 is the policy.

    Args:
        agent: has probabilities of moves.
    """

    def __init__(self, agent: PublishedAgent | PolicyAgent) -> None:
        self._agent = agent

    def values(self, positions: Positions) -> Float32Array:
        """Return the logarithms, float32 [M]; -inf for moves that are never made."""
        with np.errstate(divide='ignore'):
            return np.log(self._agent.probabilities(positions)).astype(np.float32)


class EqualValues:
    """Equal values of all moves: their softmax is uniform."""

    def values(self, positions: Positions) -> Float32Array:
        """Return zeros, float32 [M]."""
        return np.zeros(len(positions.moves), np.float32)


class OneMove:
    """Values of an agent's move alone.

    Args:
        agent: makes the same move in the same position.
    """

    def __init__(self, agent: GreedyAgent | RuleAgent) -> None:
        self._agent = agent

    def values(self, positions: Positions) -> Float32Array:
        """Return 0 for the move that the agent makes and -inf for the others, float32 [M]."""
        values = np.full(len(positions.moves), -np.inf, np.float32)
        values[self._agent.choose(positions, np.zeros(len(positions.offsets) - 1, np.uint64)).indices] = 0
        return values


def model_opponents(agent: Agent, temperature: float) -> OpponentModel:
    """Return the model of an agent under the rules that it was prepared for.

    Args:
        agent: has values or probabilities of moves, or is one of the agents without a network.
        temperature: of the softmax over an agent's values; 0 is greedy.

    Raises:
        ConfigError: if the agent has neither, or a temperature is given and the agent has no values.
    """
    if isinstance(agent, DMCAgent):
        return OpponentModel(agent.network, temperature)
    if temperature:
        raise ConfigError(f'temperature={temperature:g}: the opponents have no values, but moves of their own')
    if isinstance(agent, RandomAgent):
        return OpponentModel(EqualValues(), 1.0)
    if isinstance(agent, GreedyAgent | RuleAgent):
        return OpponentModel(OneMove(agent), 0.0)
    if isinstance(agent, PublishedAgent | PolicyAgent):
        return OpponentModel(LogProbabilities(agent), 0.0 if agent.greedy else 1.0)
    raise ConfigError(
        f'opponents of {type(agent).__name__} have neither values nor probabilities of moves: expected big2-dmc, '
        f'dmc:FOLDER, big2-ppo, ppo:FOLDER, published-ppo:FILE, clone:FILE, rule, greedy or random'
    )
