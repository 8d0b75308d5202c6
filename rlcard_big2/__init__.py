"""Big 2 for RLCard: importing this package registers the environment 'big2'.

RLCard's models and Gymnasium's environments are added to once those are imported.
"""

from typing import Any

from rlcard.envs.registration import register
from rlcard.envs.registration import registry as env_registry

from rlcard_big2 import charlesworth, records
from rlcard_big2.actions import action_id, action_mask
from rlcard_big2.registry import make_agent
from rlcard_big2.rules import Rules
from rlcard_big2.vector import VectorEnv
from rlcard_kit.envs.model import register_models
from rlcard_kit.plugins import when_imported
from rlcard_kit.version import __version__

__all__ = ['Rules', 'VectorEnv', '__version__', 'action_id', 'action_mask', 'charlesworth', 'make_agent', 'records']

if 'big2' not in env_registry.env_specs:
    register(env_id='big2', entry_point='rlcard_big2.env:Big2Env')


def _register_models(rlcard_models: Any) -> None:
    from rlcard_big2.models import MODELS

    register_models(rlcard_models, MODELS)


def _register_environments(gymnasium: Any) -> None:
    if 'Big2-v0' not in gymnasium.registry:
        entry_point = 'rlcard_big2.gymnasium:Big2SeatEnv'
        gymnasium.register('Big2-v0', entry_point, vector_entry_point='rlcard_big2.gymnasium:Big2SeatVectorEnv')


when_imported('rlcard.models', _register_models)  # which imports torch, and a game need not wait for it
when_imported('gymnasium', _register_environments)
