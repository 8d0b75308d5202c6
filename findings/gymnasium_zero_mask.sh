#!/usr/bin/env bash
# Packages: gymnasium 1.4.0
# Behaviour: Discrete.sample(mask) with a mask of zeros returns the first action, as its docstring says. Masks away
#   from the turn are zeros in PettingZoo's card games, so a loop that samples for every agent plays action 0 without
#   an error.
# Guess: no legal action is an error.
# Seen on 28 November 2026 with Python 3.11: 0 in each of ten draws.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile \
    gymnasium==1.4.0 numpy==2.2.6
"$folder/bin/python" -I - <<'EOF'
import numpy as np
from gymnasium.spaces import Discrete

space = Discrete(5, seed=1)
drawn = [int(space.sample(np.zeros(5, np.int8))) for _ in range(10)]
print('drawn', drawn)
if set(drawn) != {0}:
    raise SystemExit('changed: a mask of zeros no longer gives the first action')
EOF
