#!/usr/bin/env bash
# Packages: supersuit 3.11.0, pettingzoo 1.27.0
# Behaviour: delay_observations_v0 delays the action mask inside an observation too, so that the mask is that of an
#   older position.
# Guess: a wrapper that accepts an environment with masks hands out the mask of the current position.
# Seen on 28 November 2026 with Python 3.11: after the moves 4, 0 and 1 the mask forbids 4 alone; playing 0, legal by
#   the mask, loses the game (0, -1.0).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile \
    supersuit==3.11.0 pettingzoo==1.27.0 gymnasium==1.4.0 pygame==2.6.1 numpy==2.2.6
"$folder/bin/python" -I - <<'EOF'
from pettingzoo.classic.tictactoe import tictactoe
from supersuit import delay_observations_v0

env = delay_observations_v0(tictactoe.env(), 1)
env.reset()
for action in (4, 0, 1):
    env.step(action)
observation, *_ = env.last()
mask = observation['action_mask'].tolist()
print('mask', mask, 'right:', env.unwrapped.observe(env.agent_selection)['action_mask'].tolist())
env.step(0)  # legal by the mask
print('rewards', env.rewards)
if mask != [1, 1, 1, 1, 0, 1, 1, 1, 1] or env.rewards['player_2'] != -1:
    raise SystemExit('changed: the mask is no longer that of an older position')
EOF
