#!/usr/bin/env bash
# Packages: stable-baselines3 2.9.2, sb3-contrib 2.9.2, torch 2.13.0, gymnasium 1.4.0
# Behaviour: evaluate_policy of stable-baselines3 takes a MaskablePPO and never asks for masks, so it plays illegal
#   actions. evaluate_policy of sb3_contrib.common.maskable.evaluation is the one to use; nothing warns.
# Guess: a maskable model is evaluated with the masks of its environment.
# Seen on 28 November 2026 with Python 3.11: -1.0 a step with the one, 0.0 with the other.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile \
    stable-baselines3==2.9.2 sb3-contrib==2.9.2 torch==2.13.0 \
    gymnasium==1.4.0 numpy==2.2.6
"$folder/bin/python" -I - <<'EOF'
import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy as maskable
from stable_baselines3.common.evaluation import evaluate_policy as plain


class OneLegal(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 1, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(1000)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros(1, np.float32), {}

    def step(self, action):
        return np.zeros(1, np.float32), 0.0 if action == 7 else -1.0, True, False, {}

    def action_masks(self):
        return np.arange(1000) == 7


model = MaskablePPO('MlpPolicy', OneLegal(), n_steps=8, batch_size=8, seed=0)
results = [run(model, OneLegal(), 20, deterministic=False, warn=False)[0] for run in (plain, maskable)]
print('mean reward with stable-baselines3', results[0], 'with sb3-contrib', results[1])
if results[0] > -0.5 or results[1] != 0:
    raise SystemExit('changed: evaluate_policy of stable-baselines3 reads masks')
EOF
