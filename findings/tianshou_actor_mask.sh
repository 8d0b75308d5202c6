#!/usr/bin/env bash
# Packages: tianshou 2.0.1, torch 2.13.0, pettingzoo 1.27.0
# Behaviour: ProbabilisticActorPolicy, the policy of Reinforce, A2C and PPO, ignores the mask that PettingZooEnv gives
#   it; DiscreteQLearningPolicy, the policy of DQN, applies it.
# Guess: illegal actions have probability zero, since the wrapper provides the mask.
# Seen on 28 November 2026 with Python 3.11: the actor samples the taken square with probability 0.999, DQN does not
#   take it.
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
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.modelfree.reinforce import ProbabilisticActorPolicy
from tianshou.data import Batch
from tianshou.env import PettingZooEnv


class Net(torch.nn.Module):  # prefers square 4
    def forward(self, obs, state=None, info=None):
        return torch.eye(9)[4:5] * 9, state


env = PettingZooEnv(tictactoe.env())
env.reset()
seen, *_ = env.step(4)  # now square 4 is taken
batch = Batch(obs=Batch(obs=seen['obs'][None], mask=np.array([seen['mask']])), info=[{}])
actor = ProbabilisticActorPolicy(
    actor=Net(), dist_fn=lambda x: torch.distributions.Categorical(logits=x), action_space=env.action_space,
    action_scaling=False, action_bound_method=None,
)
probability = actor(batch).dist.probs[0, 4].item()
choice = int(DiscreteQLearningPolicy(model=Net(), action_space=env.action_space)(batch).act[0])
print('mask', np.array(seen['mask']).astype(int), 'actor: probability of 4', probability, 'DQN: chooses', choice)
if probability < 0.5 or choice == 4:
    raise SystemExit('changed: the actor applies the mask, or DQN does not')
EOF
