"""Adapter for agents that decide one state at a time, through RLCard's `eval_step`."""

from typing import Any

import numpy as np
import rlcard
from typing_extensions import override

from rlcard_kit.agents import Decision
from rlcard_kit.arrays import Int64Array
from rlcard_kit.table import Player, Table
from rlcard_kit.vector_env import VectorEnv


class EvalStepAgent(Player):
    """An agent of RLCard's protocol at a table whose moves are logged. It draws from no stream of the table.

    Args:
        agent: with `eval_step` and `use_raw`.
    """

    def __init__(self, agent: Any) -> None:
        self.agent = agent
        self._env: Any = None

    def start(self, env: VectorEnv) -> None:
        """Make the environment whose states the agent sees, unless there is one."""
        if self._env is None:
            self._env = rlcard.make(env.game.name, config={'seed': 0, 'game_rules': env.rules})

    @override
    def choose(self, table: Table, rows: Int64Array) -> Decision:
        self.start(table.env)
        return Decision(np.array([self._choose_in(table, game) for game in table.games[rows].tolist()], np.int64))

    def _choose_in(self, table: Table, game: int) -> int:
        self._env.show(table.env.games[game : game + 1], table.moves_of(game))
        action, _ = self.agent.eval_step(self._env.get_state(self._env.get_player_id()))
        index: int = self._env.legal_index(action, self.agent.use_raw)
        return index
