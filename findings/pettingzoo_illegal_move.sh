#!/usr/bin/env bash
# Packages: pettingzoo 1.27.0
# Behaviour: after an illegal move TerminateIllegalWrapper, which the classic games have, gives the mover -1 and the
#   others 0. The game has a loser and no winner, and payoffs that do not add up to zero.
# Guess: the opponent of the player who moved illegally has won, with +1, as the game is zero-sum.
# Seen on 28 November 2026 with Python 3.11: {'player_1': 0, 'player_2': -1.0} in tic-tac-toe.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile \
    pettingzoo==1.27.0 gymnasium==1.4.0 pygame==2.6.1 numpy==2.2.6
"$folder/bin/python" -I - <<'EOF'
from pettingzoo.classic.tictactoe import tictactoe

env = tictactoe.env()
env.reset()
env.step(4)
env.step(4)
print('rewards', env.rewards, 'ended', env.terminations)
if list(env.rewards.values()) != [0, -1]:
    raise SystemExit('changed: the opponent of an illegal move is paid')
EOF
