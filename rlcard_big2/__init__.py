"""Big 2 for RLCard: importing this package registers the environment 'big2'."""

from rlcard.envs.registration import register, registry

from rlcard_big2 import charlesworth
from rlcard_big2.actions import action_id, action_mask
from rlcard_big2.rules import Rules
from rlcard_big2.version import __version__

__all__ = ['Rules', '__version__', 'action_id', 'action_mask', 'charlesworth']

if 'big2' not in registry.env_specs:
    register(env_id='big2', entry_point='rlcard_big2.env:Big2Env')
