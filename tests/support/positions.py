"""Positions to show to networks."""

import numpy as np

from rlcard_kit.vector_env import VectorEnv, deal_streams
from training.games import game_of


def positions(count, plies, game='catch5', rules='paper'):
    """Return positions of random play after some moves."""
    env = VectorEnv(game_of(game).card, rules, deal_streams(count, 3))
    payoffs, done, rng = env.new_payoffs(), np.empty(count, np.bool_), np.random.default_rng(1)
    for _ in range(plies):
        _, moves, offsets = env.positions()
        env.step(moves[offsets[:-1] + (rng.random(count) * np.diff(offsets)).astype(int)], payoffs, done)
    return env.positions()
