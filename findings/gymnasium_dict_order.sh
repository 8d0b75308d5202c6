#!/usr/bin/env bash
# Packages: gymnasium 1.4.0
# Behaviour: spaces.Dict sorts the keys of a plain dict, and flatten follows it: the action mask comes before the
#   observation. An OrderedDict keeps its order.
# Guess: the flat vector has the parts in the order in which they were written.
# Seen on 28 November 2026 with Python 3.11: [1, 0, 7, 8, 9] for observation [7, 8, 9] and mask [1, 0].
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile \
    gymnasium==1.4.0 numpy==2.2.6
"$folder/bin/python" -I - <<'EOF'
from collections import OrderedDict

import numpy as np
from gymnasium import spaces

parts = {'observation': spaces.Box(0, 9, (3,), np.float32), 'action_mask': spaces.MultiBinary(2)}
seen = []
for kind in (dict, OrderedDict):
    value = kind(observation=np.array([7, 8, 9], np.float32), action_mask=np.array([1, 0], np.int8))
    seen.append(spaces.flatten(spaces.Dict(kind(parts)), value).tolist())
    print(kind.__name__, seen[-1])
if seen != [[1, 0, 7, 8, 9], [7, 8, 9, 1, 0]]:
    raise SystemExit('changed: a plain dict keeps its order')
EOF
