#!/usr/bin/env bash
# Packages: open_spiel 2.0.2
# Behaviour: MCTSBot accepts games with hidden cards and searches the true state, cards of the opponents included. Its
#   strength there is that of a player who sees all hands. open_spiel.python.algorithms.ismcts samples them instead.
# Guess: it refuses a game of imperfect information, as it refuses simultaneous moves.
# Seen on 28 November 2026 with Python 3.11: with the queen, after a bet, it calls the jack and folds to the king.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile \
    open_spiel==2.0.2 numpy==2.2.6
"$folder/bin/python" -I - <<'EOF'
import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts

game = pyspiel.load_game('kuhn_poker')
seen = {}
for card in (0, 2):  # the opponent holds the jack, then the king
    state = game.new_initial_state()
    for action in (card, 1, 1):  # we get the queen, the opponent bets
        state.apply_action(action)
    views, moves = state.information_state_string(1), []
    for seed in range(10):
        rng = np.random.RandomState(seed)
        rollouts = mcts.RandomRolloutEvaluator(1, rng)
        bot = mcts.MCTSBot(game, uct_c=2, max_simulations=200, evaluator=rollouts, random_state=rng)
        moves.append(int(bot.step(state)))
    seen[card] = views, set(moves)
    print('opponent', 'JQK'[card], 'our view', views, 'moves (0 folds, 1 calls)', moves)
if seen[0][0] != seen[2][0] or (seen[0][1], seen[2][1]) != ({1}, {0}):
    raise SystemExit('changed: the move of MCTSBot no longer depends on the hidden card')
EOF
