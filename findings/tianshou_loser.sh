#!/usr/bin/env bash
# Packages: tianshou 2.0.1, torch 2.13.0, pettingzoo 1.27.0
# Behaviour: PettingZooEnv stores one transition a move. The loser of tic-tac-toe or of a shedding game does not make
#   the last move, so with n_step_return_horizon=1, the default, no target contains a loss. Nothing warns. A horizon
#   of 2 is right for DQN where two players alternate.
# Guess: the last transition of each player in a game has its payoff.
# Seen on 28 November 2026 with Python 3.11: targets of 200 random games 0 and 1 with horizon 1; -1, 0 and 1 with
#   horizon 2.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile \
    tianshou==2.0.1 torch==2.13.0 \
    pettingzoo==1.27.0 gymnasium==1.4.0 pygame==2.6.1 numpy==2.2.6
"$folder/bin/python" -I - <<'EOF'
import torch
from pettingzoo.classic.tictactoe import tictactoe
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv


class Net(torch.nn.Module):  # values of zero, so that targets are rewards alone
    def __init__(self):
        super().__init__()
        self.values = torch.nn.Parameter(torch.zeros(9))

    def forward(self, obs, state=None, info=None):
        return self.values.repeat(len(obs), 1), state


seen = {}
for horizon in (1, 2):
    env = PettingZooEnv(tictactoe.env())
    policy = DiscreteQLearningPolicy(model=Net(), action_space=env.action_space, eps_training=1.0, eps_inference=1.0)
    dqn = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, n_step_return_horizon=horizon)
    learner = MultiAgentOffPolicyAlgorithm(algorithms=[dqn, dqn], env=env)
    buffer = VectorReplayBuffer(4000, 1)
    games = DummyVectorEnv([lambda: PettingZooEnv(tictactoe.env())])
    collector = Collector(learner, games, buffer, exploration_noise=True)
    collector.reset()
    collector.collect(n_episode=200)
    batch, indices = buffer.sample(0)
    targets = learner._preprocess_batch(batch, buffer, indices)
    seen[horizon] = sorted({float(x) for name in env.agents for x in targets[name].returns.flatten()})
    print('horizon', horizon, 'targets', seen[horizon], 'rewards', sorted(set(buffer.rew.flatten().tolist())))
if seen != {1: [0, 1], 2: [-1, 0, 1]}:
    raise SystemExit('changed: losses are in the targets')
EOF
