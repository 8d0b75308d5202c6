#!/usr/bin/env bash
# Packages: agilerl 2.58.0, torch 2.13.0
# Behaviour: get_action of PPO draws in evaluation too, and PPO.test calls it. The head of the actor has an argument
#   sample, "Whether to sample an action or return the mode/mean", but with sample=False its action is None, as its
#   types say. The argmax of actor.head_net.wrapped(latent) is the mode where actions are discrete; it needs the mask.
# Guess: with set_training_mode(False), get_action repeats its action; sample=False returns the mode.
# Seen on 28 November 2026 with Python 3.11: actions 0 and 1 in 100 calls of one observation; None with sample=False.
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
import torch
from agilerl.algorithms import PPO

ppo = PPO(gymnasium.spaces.Box(0, 3, (1,)), gymnasium.spaces.Discrete(2), num_envs=1, learn_step=12)
ppo.set_training_mode(False)
drawn = sorted({int(ppo.get_action(np.ones((1, 1), np.float32))[0][0]) for _ in range(100)})
with torch.no_grad():
    latent = ppo.actor.extract_features(torch.ones(1, 1))
    action = ppo.actor.forward_head(latent, sample=False)[0]
    logits = ppo.actor.head_net.wrapped(latent)[0].tolist()
print('drawn in evaluation', drawn, 'with sample=False', action, 'logits', logits)
if drawn != [0, 1]:
    raise SystemExit('changed: get_action does not draw in evaluation')
if action is not None:
    raise SystemExit('changed: forward_head returns an action with sample=False')
EOF
