#!/usr/bin/env bash
# Packages: shimmy 2.0.1, open_spiel 2.0.2
# Behaviour: reset() of OpenSpielCompatibilityV0 loads the game again by its short name, so that a game with
#   parameters is replaced by the game without them. Parameters in config=, beside a short name in game_name=, are
#   kept.
# Guess: the game object, or the name with parameters, is the game that is played.
# Seen on 28 November 2026 with Python 3.11: Discrete(4) before the first reset of Goofspiel with four cards,
#   Discrete(13) after it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile \
    shimmy==2.0.1 pettingzoo==1.27.0 gymnasium==1.4.0 open_spiel==2.0.2 numpy==2.2.6
"$folder/bin/python" -I - <<'EOF'
import pyspiel
from shimmy.openspiel_compatibility import OpenSpielCompatibilityV0

name = 'goofspiel(num_cards=4)'
sizes = []
for arguments in ({'env': pyspiel.load_game(name)}, {'game_name': name}):
    env = OpenSpielCompatibilityV0(**arguments)
    before = env.action_space('player_0').n
    env.reset(seed=0)
    sizes.append((int(before), int(env.action_space('player_0').n)))
    print(*arguments, 'cards before and after the first reset:', *sizes[-1])
if sizes != [(4, 13), (4, 13)]:
    raise SystemExit('changed: reset() keeps the parameters of the game')
EOF
