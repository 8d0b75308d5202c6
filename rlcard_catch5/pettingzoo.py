"""Catch Five as a PettingZoo AEC environment, in the shape of PettingZoo's classic card games."""

from typing import Any

from rlcard_catch5.env import ILLEGAL_REWARD, Catch5Env
from rlcard_catch5.rules import RulesLike
from rlcard_kit.envs.pettingzoo_env import Observation, PettingZooEnv, metadata_of, wrap

__all__ = ['Observation', 'env', 'raw_env']


def env(rules: RulesLike = 'paper', render_mode: str | None = None) -> Any:
    """Make the environment with PettingZoo's usual wrappers; an illegal action ends the game at -9.

    Args:
        rules: a preset's name or a `Rules`.
        render_mode: 'human' writes every position to standard output, 'ansi' lets `render` return it as text.
    """
    return wrap(raw_env(rules, render_mode), ILLEGAL_REWARD)


class raw_env(PettingZooEnv):  # noqa: N801  # pettingzoo gives this name
    """Catch Five for 'player_0' to 'player_3', without wrappers; 0 and 2 are partners, and 1 and 3.

    Args:
        rules: a preset's name or a `Rules`, 'paper' by default; ConfigError or RulesError if it is neither.
        render_mode: 'human', 'ansi' or None; ConfigError names the modes.

    An observation has 'observation' (int8 [948]: `engine.observation.LAYOUT` in order) and 'action_mask' (int8 [64]),
    which `infos` has too: the same array. Away from the agent's turn and at the end it is zeros, and most masked
    distributions raise an error. Rewards are the scores, the same for partners, and come at the end.
    """

    metadata = metadata_of('catch5_v0')
    rlcard_type = Catch5Env
