"""Catch Five for RLCard: importing this package registers the environment 'catch5'.

RLCard's models and Gymnasium's environments are added to once those are imported.
"""

from typing import Any

from rlcard.envs.registration import register
from rlcard.envs.registration import registry as env_registry

from rlcard_catch5.registry import make_agent
from rlcard_catch5.rules import Rules
from rlcard_catch5.vector import VectorEnv
from rlcard_kit.envs.model import register_models
from rlcard_kit.plugins import when_imported

__all__ = ['Rules', 'VectorEnv', 'make_agent']

if 'catch5' not in env_registry.env_specs:
    register(env_id='catch5', entry_point='rlcard_catch5.env:Catch5Env')


def _register_models(rlcard_models: Any) -> None:
    from rlcard_catch5.models import MODELS

    register_models(rlcard_models, MODELS)


def _register_environments(gymnasium: Any) -> None:
    if 'Catch5-v0' not in gymnasium.registry:
        entry_point = 'rlcard_catch5.gymnasium:Catch5SeatEnv'
        gymnasium.register('Catch5-v0', entry_point, vector_entry_point='rlcard_catch5.gymnasium:Catch5SeatVectorEnv')


when_imported('rlcard.models', _register_models)  # which imports torch, and a game need not wait for it
when_imported('gymnasium', _register_environments)
