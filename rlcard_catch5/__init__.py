"""Catch Five for RLCard: importing this package registers the environment 'catch5'.

Its models and Gymnasium environments are registered once `rlcard.models` and Gymnasium are imported.
"""

from rlcard_catch5.registry import make_agent
from rlcard_catch5.rules import Rules
from rlcard_catch5.vector import VectorEnv
from rlcard_kit.envs.rlcard_env import register_game

__all__ = ['Rules', 'VectorEnv', 'make_agent']

register_game('rlcard_catch5', 'Catch5')
