#!/usr/bin/env bash
# Packages: torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0, open_spiel 2.0.2
# Behaviour: OpenSpielWrapper puts the legal actions into its action spec alone. No tensordict of a rollout holds a
#   mask, so a policy cannot read one, and a loss cannot mask the next actions.
# Guess: an entry action_mask, as PettingZooWrapper has.
# Seen on 28 November 2026 with Python 3.11: action, current_player, done, information_state, observation,
#   reward, terminated.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile \
    torch==2.13.0 torchrl==0.14.1 tensordict==0.14.3 \
    open_spiel==2.0.2 numpy==2.2.6
"$folder/bin/python" -I - <<'EOF'
import pyspiel
import torch
from torchrl.envs import OpenSpielWrapper

env = OpenSpielWrapper(pyspiel.load_game('leduc_poker').new_initial_state())
env.set_seed(0)
torch.manual_seed(0)
rollout = env.rollout(20)
keys = rollout.keys(include_nested=True, leaves_only=True)
names = sorted({key if isinstance(key, str) else key[-1] for key in keys})
print('entries', names, 'dtypes', sorted({str(value.dtype) for value in rollout.values(True, True)}))
if any('mask' in name or 'legal' in name for name in names):
    raise SystemExit('changed: the tensordicts hold a mask')
EOF
