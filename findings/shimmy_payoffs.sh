#!/usr/bin/env bash
# Packages: shimmy 2.0.1, open_spiel 2.0.2, pettingzoo 1.27.0
# Behaviour: last() of OpenSpielCompatibilityV0 pays player i its payoff i + 1 times, because payoffs are added again
#   at the closing step of each player before it. env.rewards has the payoff itself.
# Guess: the rewards of last(), added up, are the returns of the game, as in every PettingZoo environment.
# Seen on 28 November 2026 with Python 3.11: returns [6.0, -3.0, -3.0] of Leduc poker for three, [6.0, -6.0, -9.0] by
#   last().
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile \
    shimmy==2.0.1 pettingzoo==1.27.0 gymnasium==1.4.0 open_spiel==2.0.2 numpy==2.2.6
"$folder/bin/python" -I - <<'EOF'
import numpy as np
import pyspiel
from shimmy.openspiel_compatibility import OpenSpielCompatibilityV0

env = OpenSpielCompatibilityV0(game_name='leduc_poker', config={'players': 3})
for seed in range(100):  # until a game that is not cut short, with a payoff for everybody
    env.reset(seed=seed)
    paid, rng = dict.fromkeys(env.agents, 0.0), np.random.default_rng(seed)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, info = env.last()
        paid[agent] += reward
        legal = np.flatnonzero(info['action_mask'])
        env.step(None if terminated or truncated else int(rng.choice(legal)))
    returns = np.array(env.game_state.returns())
    if env.game_state.is_terminal() and returns.all():
        break
print('returns', returns.tolist(), 'by last()', list(paid.values()))
if list(paid.values()) != (returns * [1, 2, 3]).tolist():
    raise SystemExit('changed: player i no longer gets its payoff i + 1 times')
EOF
