#!/usr/bin/env bash
# Packages: rlcard 1.2.0
# Behaviour: the seed in rlcard.make(..., config={'seed': 42}) is that of the deals. Agents draw from numpy's global
#   generator, which only rlcard.utils.set_seed or numpy.random.seed set.
# Guess: two environments with the same seed and the same agents play the same games.
# Seen on 28 November 2026 with Python 3.11: the payoffs of 20 games of Leduc hold'em differ, and are equal after
#   set_seed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile \
    rlcard==1.2.0 numpy==2.2.6
"$folder/bin/python" -I - <<'EOF'
import rlcard
from rlcard.agents import RandomAgent
from rlcard.utils import set_seed


def games():
    env = rlcard.make('leduc-holdem', config={'seed': 42})
    env.set_agents([RandomAgent(env.num_actions) for _ in range(2)])
    return [float(env.run()[1][0]) for _ in range(20)]


set_seed(1)
first, second = games(), games()
set_seed(1)
third = games()
print(f'the same seed twice: {first}\n{second}\nafter set_seed again: {third}')
if first == second or first != third:
    raise SystemExit("changed: the environment's seed fixes the agents too")
EOF
