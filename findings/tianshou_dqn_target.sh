#!/usr/bin/env bash
# Packages: tianshou 2.0.1, torch 2.13.0, pettingzoo 1.27.0
# Behaviour: DQN chooses legal actions alone, but with is_double=False its targets are the largest value of all
#   actions of the next observation, illegal ones included. With is_double=True, the default, they are of a legal
#   action.
# Guess: the mask of the next observation applies to its values too.
# Seen on 28 November 2026 with Python 3.11: targets 100 of the taken square without double, 0 with it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile \
    tianshou==2.0.1 torch==2.13.0 \
    pettingzoo==1.27.0 gymnasium==1.4.0 pygame==2.6.1 numpy==2.2.6
"$folder/bin/python" -I - <<'EOF'
import numpy as np
import torch
from pettingzoo.classic.tictactoe import tictactoe
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, ReplayBuffer
from tianshou.env import PettingZooEnv


class Net(torch.nn.Module):  # 100 for square 4, 0 for the others
    def __init__(self):
        super().__init__()
        self.values = torch.nn.Parameter(torch.eye(9)[4] * 100)

    def forward(self, obs, state=None, info=None):
        return self.values.repeat(len(obs), 1), state


env = PettingZooEnv(tictactoe.env())
before, _ = env.reset()
after, *_ = env.step(4)
buffer = ReplayBuffer(1)
views = [Batch(obs=view['obs'], mask=np.array(view['mask'])) for view in (before, after)]
buffer.add(Batch(obs=views[0], act=4, rew=0.0, terminated=False, truncated=False, obs_next=views[1], info={}))
targets = {}
for double in (True, False):
    policy = DiscreteQLearningPolicy(model=Net(), action_space=env.action_space)
    learner = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, is_double=double)
    batch, indices = buffer.sample(0)
    targets[double] = learner._preprocess_batch(batch, buffer, indices).returns.item()
print('target by is_double', targets)
if targets != {True: 0.0, False: 100.0}:
    raise SystemExit('changed: the targets of DQN')
EOF
