"""Train AgileRL's PPO on one seat of Big 2, with `actions='reduced'`, until it clearly beats random agents.

    pip install agilerl peft '.[gymnasium,torch]'
    python examples/frameworks/agilerl_ppo.py

AgileRL reads `info['action_mask']`, here of the vector environment of this package. Its advantages give the payoff of a
game to the last decision alone: `use_gae=False` has it learn from the returns instead.
"""

from shared import check_versions, learn_to_win

check_versions(__file__)

import gymnasium
import numpy as np
import torch
from agilerl.algorithms import PPO
from agilerl.rollouts import collect_rollouts

import rlcard_big2  # noqa: F401  # registers 'Big2-v0'

np.random.seed(0)
torch.manual_seed(0)
envs = gymnasium.make_vec('Big2-v0', num_envs=32, opponents='random', actions='reduced')
envs = gymnasium.wrappers.vector.TransformReward(envs, lambda rewards: rewards / 13)  # in units of a full hand
envs.reset(seed=0)
ppo = PPO(
    envs.single_observation_space,
    envs.single_action_space,
    num_envs=32,
    learn_step=4096,
    batch_size=512,
    lr=1e-3,
    gamma=1,
    rollout_buffer_config={'use_gae': False},
)
last = {}


def learn():
    """Play on from where the last round ended, which `train_on_policy` does not: it closes the environment."""
    _, *ends = collect_rollouts(ppo, envs, **last)
    last.update(zip(('last_obs', 'last_done', 'last_scores', 'last_info'), ends, strict=True))
    ppo.learn()


def network(features):
    """Return the logits of the actions."""
    return ppo.actor.head_net.wrapped(ppo.actor.extract_features(features))


learn_to_win(learn, network)
