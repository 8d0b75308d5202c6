"""Catch Five for RLCard: importing this package registers the environment 'catch5'."""

from rlcard.envs.registration import register, registry

from rlcard_catch5.names import make_agent
from rlcard_catch5.rules import Rules
from rlcard_catch5.vector import VectorEnv

__all__ = ['Rules', 'VectorEnv', 'make_agent']

if 'catch5' not in registry.env_specs:
    register(env_id='catch5', entry_point='rlcard_catch5.env:Catch5Env')
