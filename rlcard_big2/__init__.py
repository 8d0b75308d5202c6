"""Big 2 for RLCard: importing this package registers the environments 'big2' and 'big2-mini'.

Its models and Gymnasium environments are registered once `rlcard.models` and Gymnasium are imported.
"""

from rlcard_big2 import charlesworth, records
from rlcard_big2.actions import action_id, action_mask
from rlcard_big2.registry import make_agent
from rlcard_big2.rules import Rules
from rlcard_big2.vector import VectorEnv
from rlcard_kit.envs.rlcard_env import register_game
from rlcard_kit.version import __version__

__all__ = ['Rules', 'VectorEnv', '__version__', 'action_id', 'action_mask', 'charlesworth', 'make_agent', 'records']

register_game('rlcard_big2', 'Big2', ['Mini'])
