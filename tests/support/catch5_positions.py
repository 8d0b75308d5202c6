"""Positions of Catch Five to show to networks."""

import numpy as np

from rlcard_catch5 import VectorEnv
from rlcard_kit.positions import Positions


def positions(count, plies):
    """Return positions of random play, after so many moves."""
    env = VectorEnv(count, seed=3)
    observations, payoffs, done = env.new_observations(), env.new_payoffs(), np.empty(count, np.bool_)
    moves, offsets = env.new_legal()
    rng = np.random.default_rng(1)
    for _ in range(plies):
        legal = moves[: env.legal(moves, offsets)]
        env.step(legal[offsets[:-1] + (rng.random(count) * np.diff(offsets)).astype(int)], payoffs, done)
    env.observe(observations)
    return Positions(observations, moves[: env.legal(moves, offsets)].copy(), offsets.copy())
