"""Records of random games, for tests."""

from itertools import takewhile

import numpy as np

from rlcard_big2.agents.base import RandomAgent
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.records import Record
from rlcard_big2.rules import PRESETS
from rlcard_kit.rng import new_streams
from rlcard_kit.table import Table
from rlcard_kit.vector_env import VectorEnv


def random_games(rules, count, seed=0):
    """Return records of games by random agents."""
    deals = deals_from_seed(seed, count)
    env = VectorEnv(BIG2, rules, deals)
    table = Table(env, [RandomAgent()], np.zeros((count, 4), np.int64), new_streams(seed, count).reshape(count, 1))
    turns = []
    while not env.is_over:
        turn = table.turn()
        turns.append(np.where(turn.positions.counts > 0, turn.moves, -1))
    moves = np.stack(turns, axis=1).tolist()
    return [
        Record(hands=tuple(hands), moves=tuple(takewhile(lambda move: move >= 0, game)), rules=rules)
        for hands, game in zip(deals.tolist(), moves, strict=True)
    ]


def games_of_all_presets(count, seed=0):
    """Return records of random games, equally many under each preset."""
    return [game for rules in PRESETS.values() for game in random_games(rules, count // len(PRESETS), seed)]
