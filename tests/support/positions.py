"""Positions of random play, to show to agents and networks."""

import numpy as np

from rlcard_big2.engine.big2 import BIG2
from rlcard_kit.vector_env import VectorEnv, deal_streams


def random_positions(count, rules, plies, card=BIG2):
    """Yield the positions of `count` games, ply by ply; games that end begin anew."""
    env, random = VectorEnv(card, rules, deal_streams(count, 3)), np.random.default_rng(1)
    payoffs, done = env.new_payoffs(), np.empty(count, np.bool_)
    for _ in range(plies):
        positions = env.positions()
        yield positions
        env.step(positions.moves[random.integers(positions.offsets[:-1], positions.offsets[1:])], payoffs, done)


def positions_after(plies, count, rules='charlesworth', card=BIG2):
    """Return the positions of `count` games after some random moves."""
    *_, last = random_positions(count, rules, plies + 1, card)
    return last
