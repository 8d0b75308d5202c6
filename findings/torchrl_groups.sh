#!/usr/bin/env bash
# Packages: torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0, pettingzoo 1.27.0
# Behaviour: PettingZooWrapper makes a group of each agent of an AEC environment, though the documentation of
#   group_map says that agents are grouped by their name (of parallel environments they are). A network for all seats
#   needs group_map=MarlGroupMapType.ALL_IN_ONE_GROUP.
# Guess: player_1 and player_2 are one group, named player.
# Seen on 28 November 2026 with Python 3.11: {'player_1': ['player_1'], 'player_2': ['player_2']}.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile \
    torch==2.13.0 torchrl==0.14.1 tensordict==0.14.3 \
    pettingzoo==1.27.0 gymnasium==1.4.0 pygame==2.6.1 numpy==2.2.6
"$folder/bin/python" -I - <<'EOF'
from pettingzoo.classic.tictactoe import tictactoe
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from torchrl.envs import PettingZooWrapper

aec = PettingZooWrapper(tictactoe.env(), use_mask=True).group_map
parallel = PettingZooWrapper(turn_based_aec_to_parallel(tictactoe.env())).group_map
print('AEC', aec, 'parallel', parallel)
if aec != {name: [name] for name in ('player_1', 'player_2')} or parallel != {'player': ['player_1', 'player_2']}:
    raise SystemExit('changed: the groups of AEC and parallel environments')
EOF
