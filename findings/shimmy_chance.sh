#!/usr/bin/env bash
# Packages: shimmy 2.0.1, open_spiel 2.0.2
# Behaviour: OpenSpielCompatibilityV0 counts the deals of chance as moves, and truncates a game at its
#   max_game_length(), which OpenSpiel defines without chance. Games that deal card by card are cut short, with
#   payoffs of zero.
# Guess: a truncation means a game that is too long; Kuhn poker, of at most three moves, always ends.
# Seen on 28 November 2026 with Python 3.11: each of 100 games of Kuhn poker truncated after one move, no player paid.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile \
    shimmy==2.0.1 pettingzoo==1.27.0 gymnasium==1.4.0 open_spiel==2.0.2 numpy==2.2.6
"$folder/bin/python" -I - <<'EOF'
import pyspiel
from shimmy.openspiel_compatibility import OpenSpielCompatibilityV0

env = OpenSpielCompatibilityV0(env=pyspiel.load_game('kuhn_poker'))
seen = set()
for seed in range(100):
    env.reset(seed=seed)
    moves = 0
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        env.step(seed % 2)  # pass or bet; no game is over after one of either
        moves += 1
    seen.add((moves, any(env.truncations.values()), *env.game_state.returns()))
print('moves, truncated, payoffs of 100 games:', seen)
if seen != {(1, True, 0.0, 0.0)}:
    raise SystemExit('changed: Kuhn poker is no longer cut after one move')
EOF
