"""Agents of this package among the bots of OpenSpiel."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pyspiel

from rlcard_big2.engine.actions import ACTION_MASKS
from rlcard_big2.engine.batch import observe_games
from rlcard_big2.engine.observation import new_observations
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.registry import make_agent
from rlcard_big2.rules import Rules, find_rules
from rlcard_kit.agents.base import Agent
from rlcard_kit.errors import ConfigError
from rlcard_kit.positions import Positions
from rlcard_kit.rng import new_streams
from rlcard_kit.table import ask

if TYPE_CHECKING:
    from rlcard_big2.openspiel.game import Big2State


class AgentBot(pyspiel.Bot):  # type: ignore[misc]  # pyspiel is untyped
    """An agent of this package as a bot of OpenSpiel, in any seat.

    Args:
        agent: a name as `rlcard_big2.make_agent` takes it, or a `BatchAgent`; ConfigError if it is anything else.
        rules: to play by, a `Rules` or a text as `rlcard_big2.rules.find_rules` reads it.
        seed: of its draws; None takes one from the operating system.
    """

    def __init__(self, agent: Any, rules: str | Rules = 'charlesworth', seed: int | None = None) -> None:
        super().__init__()
        made = make_agent(agent, rules) if isinstance(agent, str) else agent
        if not isinstance(made, Agent):
            raise ConfigError(f"{agent!r:.80} cannot be a bot: expected an agent's name or a BatchAgent")
        made.prepare(find_rules(rules))
        self._agent = made
        self._random = new_streams(seed, 1)

    def step(self, state: 'Big2State') -> int:
        """Choose an action id in a state in which a seat is to move."""
        actions = state.legal_actions()
        packed = new_observations(1)
        observe_games(tabulate(state.rules), state.games, np.array([state.current_player()]), packed)
        positions = Positions(packed, ACTION_MASKS[actions], np.array([0, len(actions)]))
        return int(actions[ask(self._agent, positions, self._random).indices[0]])

    def restart_at(self, state: 'Big2State') -> None:
        """Do nothing: agents keep nothing from one move to the next."""
