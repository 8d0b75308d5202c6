"""Train RLlib's PPO on Big 2 by self-play, with `actions='reduced'`, until it clearly beats random agents.

    pip install 'ray[rllib]' '.[gymnasium,pettingzoo,torch]'
    python examples/frameworks/rllib_ppo.py

A masked module of RLlib's examples plays all four seats of the PettingZoo environment, each with its own sequence.
"""

from shared import check_versions, learn_to_win

check_versions(__file__)

import numpy as np
import ray
import torch
from gymnasium import spaces
from pettingzoo.utils import BaseWrapper
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module import MultiRLModuleSpec, RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from rlcard_big2.pettingzoo import env


class Masked(BaseWrapper):
    """Observations as the module expects them, and payoffs in units of a full hand."""

    def observation_space(self, agent):
        mask, features = (spaces.Box(0, 1, (size,), np.float32) for size in (35, 1339))
        return spaces.Dict({'action_mask': mask, 'observations': features})

    def observe(self, agent):
        seen = super().observe(agent)
        return {'action_mask': np.float32(seen['action_mask']), 'observations': np.float32(seen['observation'])}

    def last(self, observe=True):
        seen, reward, *ends = super().last(observe)
        return seen, reward / 13, *ends


register_env('big2', lambda config: PettingZooEnv(Masked(env(actions='reduced'))))
module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config={'fcnet_hiddens': [128]})
config = PPOConfig().environment('big2').env_runners(num_env_runners=0, batch_mode='complete_episodes')
config = config.multi_agent(policies={'all'}, policy_mapping_fn=lambda agent, *others, **named: 'all')
config = config.debugging(seed=0).rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={'all': module}))
config = config.training(train_batch_size_per_learner=4000, minibatch_size=512, num_epochs=4, lr=1e-3)
config = config.training(gamma=1, lambda_=1, clip_param=0.2, entropy_coeff=0.01, use_kl_loss=False)
ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
algorithm = config.build_algo()


def network(features):
    """Return the logits of the actions, all of which the mask allows."""
    seen = {'observations': features, 'action_mask': torch.ones(len(features), 35)}
    return algorithm.get_module('all').forward_inference({'obs': seen})['action_dist_inputs']


learn_to_win(algorithm.train, network)
