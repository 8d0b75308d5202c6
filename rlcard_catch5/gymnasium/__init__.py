"""Catch Five as a Gymnasium environment: `gymnasium.make('Catch5-v0')`. One seat learns, agents play the others."""

from rlcard_catch5.actions import NUM_ACTIONS
from rlcard_catch5.engine.batch import unpack_observations
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.engine.observation import OBSERVATION_SIZE
from rlcard_catch5.env import ILLEGAL_REWARD, Catch5Env
from rlcard_catch5.registry import make_agent
from rlcard_kit.envs.action_set import Numbered
from rlcard_kit.envs.gymnasium_env import FeaturesView, SeatEnv, SeatVectorEnv, Task

__all__ = ['Catch5SeatEnv', 'Catch5SeatVectorEnv']


VIEW = FeaturesView(OBSERVATION_SIZE, unpack_observations, Numbered(NUM_ACTIONS))  # of the 64 action ids, by all rules
TASK = Task(CATCH5, make_agent, lambda rules: VIEW, Catch5Env, ILLEGAL_REWARD)


class Catch5SeatEnv(SeatEnv):
    """One seat of Catch Five, which learns; agents play the other three. See `rlcard_kit.envs.gymnasium_env.SeatEnv`.

    Args:
        opponents: an agent for all three, or a list of three: next, partner and previous. An agent is a name as
            `rlcard_catch5.make_agent` takes it, a `Catch5Agent`, or anything with RLCard's `eval_step` and `use_raw`.
        pool: instead of opponents: a list of agents, from which each other seat draws one with each deal.
        rules: to play by, a `Rules` or a text as `rlcard_catch5.rules.find_rules` reads it; 'paper' by default.
        seat: 0 to 3, 'rotate' for the next one with each deal, or 'random' for any with each deal.
        illegal: 'raise' IllegalActionError for an action that is not legal, or 'end' the game at a reward of -9.
        render_mode: 'ansi' or None.
    """

    metadata = {'render_modes': ['ansi'], 'render_fps': 1}  # noqa: RUF012  # gymnasium's form
    task = TASK


class Catch5SeatVectorEnv(SeatVectorEnv):
    """A seat in each of N games of Catch Five, stepped together; see `Catch5SeatEnv` for the settings."""

    task = TASK
