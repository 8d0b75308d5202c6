"""Catch Five as a Gymnasium environment: `gymnasium.make('Catch5-v0')`. One seat learns, agents play the others."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from rlcard_catch5.actions import NUM_ACTIONS
from rlcard_catch5.engine.batch import unpack_observations
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.engine.observation import OBSERVATION_SIZE
from rlcard_catch5.env import ILLEGAL_REWARD, Catch5Env
from rlcard_catch5.registry import make_agent
from rlcard_catch5.rules import Rules
from rlcard_kit.arrays import BoolArray, Int8Array, Int64Array
from rlcard_kit.envs.gymnasium_env import RAISE, SeatEnv, SeatVectorEnv, View
from rlcard_kit.envs.opponents import make_single_agent_env
from rlcard_kit.positions import Positions

__all__ = ['Catch5SeatEnv', 'Catch5SeatVectorEnv']


class ActionsView(View):
    """Actions are the 64 action ids: a pass, seven bids, four suits, 52 cards."""

    num_actions = NUM_ACTIONS

    def __init__(self) -> None:
        self.observation_space = spaces.Box(0, 1, (OBSERVATION_SIZE,), np.int8)

    def observe(self, positions: Positions) -> Int8Array:
        """Return the features of `engine.observation.LAYOUT`, int8 [N, 948]."""
        out = np.empty((len(positions.observations), OBSERVATION_SIZE), np.int8)
        unpack_observations(positions.observations, out)
        return out

    def masks(self, positions: Positions) -> BoolArray:
        """Return which ids are legal, bool [N, 64]."""
        out = np.zeros((len(positions.observations), NUM_ACTIONS), np.bool_)
        out[positions.owners, positions.moves] = True
        return out

    def indices(self, positions: Positions, actions: Int64Array) -> Int64Array:
        """Return the index of each id among the legal moves, int64 [N]."""
        found: Int64Array = np.flatnonzero(positions.moves == actions[positions.owners])
        return found


class Catch5SeatEnv(SeatEnv):
    """One seat of Catch Five, which learns; agents play the other three. See `rlcard_kit.envs.gymnasium_env.SeatEnv`.

    Args:
        opponents: an agent for all three, or a list of three: next, partner and previous. An agent is a name as
            `rlcard_catch5.make_agent` takes it, a `BatchAgent`, or anything with RLCard's `eval_step` and `use_raw`.
        pool: instead of opponents: a list of agents, from which each other seat draws one with each deal.
        rules: to play by, a `Rules` or a text as `rlcard_catch5.rules.find_rules` reads it.
        seat: 0 to 3, 'rotate' for the next one with each deal, or 'random' for any with each deal.
        illegal: 'raise' IllegalActionError for an action that is not legal, or 'end' the game at a reward of -9.
        render_mode: 'ansi' or None.
    """

    metadata = {'render_modes': ['ansi'], 'render_fps': 1}  # noqa: RUF012  # gymnasium's form

    def __init__(
        self,
        opponents: Any = None,
        pool: Sequence[Any] | None = None,
        rules: str | Rules = 'paper',
        seat: int | str = 'rotate',
        illegal: str = RAISE,
        render_mode: str | None = None,
    ) -> None:
        sim = make_single_agent_env(CATCH5, make_agent, 1, rules, opponents, pool, seat)
        super().__init__(sim, ActionsView(), illegal, ILLEGAL_REWARD, render_mode)
        self._shown = Catch5Env({'seed': 0, 'allow_step_back': False, 'game_rules': sim.rules})

    def render(self) -> str | None:
        """Return all hands and what has been played as text, if the mode is 'ansi'."""
        if self.render_mode is None:
            return None
        self._shown.show(self.sim.games, self.sim.moves_of(0))
        return self._shown.describe()


class Catch5SeatVectorEnv(SeatVectorEnv):
    """A seat of each of N games of Catch Five in lock step; see `Catch5SeatEnv` for the arguments."""

    def __init__(
        self,
        num_envs: int = 1,
        opponents: Any = None,
        pool: Sequence[Any] | None = None,
        rules: str | Rules = 'paper',
        seat: int | str = 'rotate',
        illegal: str = RAISE,
    ) -> None:
        sim = make_single_agent_env(CATCH5, make_agent, num_envs, rules, opponents, pool, seat)
        super().__init__(sim, ActionsView(), illegal, ILLEGAL_REWARD)
