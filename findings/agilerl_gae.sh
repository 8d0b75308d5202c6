#!/usr/bin/env bash
# Packages: agilerl 2.58.0, torch 2.13.0
# Behaviour: PPO computes its advantages, with GAE by default, from dones[t + 1], but collect_rollouts stores the end of
#   step t as dones[t]. A game is cut before its last step, not after it, so the last action alone gets the reward of
#   the end, whatever gamma and gae_lambda are. Nothing warns. rollout_buffer_config={'use_gae': False} is right.
# Guess: returns of 1, 1, 1 with and without GAE, in games of 3 steps whose last pays 1, with gamma and gae_lambda 1.
# Seen on 28 November 2026 with Python 3.11: 0, 0, 1 with GAE; 1, 1, 1 without.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile \
    agilerl==2.58.0 peft==0.21.0 torch==2.13.0 \
    pettingzoo==1.26.1 gymnasium==1.4.0 numpy==2.2.6
"$folder/bin/python" -I - <<'EOF'
import gymnasium
import numpy as np
from agilerl.algorithms import PPO
from agilerl.rollouts import collect_rollouts
from gymnasium.vector import AutoresetMode, SyncVectorEnv


class Three(gymnasium.Env):  # three steps, of which the last pays 1
    observation_space = gymnasium.spaces.Box(0, 3, (1,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, seed=None, options=None):
        self.steps = 0
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.steps += 1
        end = self.steps == 3
        return np.full(1, self.steps, np.float32), float(end), end, False, {}


seen = {}
for use_gae in (True, False):
    envs = SyncVectorEnv([Three, Three], autoreset_mode=AutoresetMode.SAME_STEP)
    ppo = PPO(
        envs.single_observation_space,
        envs.single_action_space,
        num_envs=2,
        learn_step=12,
        gamma=1.0,
        gae_lambda=1.0,
        rollout_buffer_config={'use_gae': use_gae},
    )
    collect_rollouts(ppo, envs)
    buffer = ppo.rollout_buffer.buffer
    rewards, dones, returns = (buffer[key][:6, 0].flatten().float() for key in ('rewards', 'dones', 'returns'))
    seen[use_gae] = [round(x, 4) for x in returns.tolist()]
    print('GAE', use_gae, 'rewards', rewards.tolist(), 'dones', dones.tolist(), 'returns', seen[use_gae])
if seen != {True: [0, 0, 1] * 2, False: [1] * 6}:
    raise SystemExit('changed: the returns with GAE are not 0, 0, 1, or those without are not 1, 1, 1')
EOF
