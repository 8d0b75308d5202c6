"""Train Tianshou's DQN on Big 2 by self-play, with `actions='reduced'`, until it clearly beats random agents.

    pip install tianshou '.[gymnasium,pettingzoo,torch]'
    python examples/frameworks/tianshou_dqn.py

Tianshou's collector would give the next view to another seat and no payoff to the losers. `play_transitions` fills the
buffer instead, so that the default horizon of one step is right.
"""

from shared import check_versions, learn_to_win

check_versions(__file__)

import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, ReplayBuffer
from tianshou.utils.net.common import Net
from tianshou.utils.torch_utils import policy_within_training_step

from rlcard_big2.pettingzoo import env
from rlcard_kit.envs.pettingzoo_env import play_transitions

np.random.seed(0)  # exploration draws from there
torch.manual_seed(0)
games, buffer = env(actions='reduced'), ReplayBuffer(20_000)
games.reset(seed=0)
network = Net(state_shape=1339, action_shape=35, hidden_sizes=[128])
policy = DiscreteQLearningPolicy(model=network, action_space=games.action_space('player_0'), eps_training=0.1)
dqn = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1, target_update_freq=200)


def choose(agent, seen):
    """Return the best action, or now and then any legal one."""
    batch = Batch(obs=Batch(obs=seen['observation'][None], mask=seen['action_mask'][None]), info=None)
    return policy.add_exploration_noise(policy(batch).act, batch)[0]


def play(buffer):
    """Add a game to a buffer."""
    for _, (seen, mask, act, reward, next_seen, next_mask, is_last) in play_transitions(games, choose):
        views = {'obs': Batch(obs=seen, mask=mask), 'obs_next': Batch(obs=next_seen, mask=next_mask)}
        buffer.add(Batch(act=act, rew=reward / 13, terminated=is_last, truncated=False, **views))


def learn():
    """Play 40 games, and update 20 times after each."""
    with policy_within_training_step(policy):  # without it nothing is explored, and updates raise
        for number in range(800):
            if number % 20 == 0:
                play(buffer)
            dqn.update(buffer, 128)


if __name__ == '__main__':
    learn_to_win(learn, lambda features: network(features)[0])
