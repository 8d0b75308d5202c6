"""Records of random games, positions of given games, and a network whose values are random too."""

from itertools import takewhile

import numpy as np

from rlcard_big2.agents.base import RandomAgent
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.records import Record
from rlcard_kit import vector_env
from rlcard_kit.rng import new_streams
from rlcard_kit.table import Table
from rlcard_kit.vector_env import VectorEnv


def table_of(rules, count, seed=0, agents=None, seats=0):
    """Seat agents, at random by default, at a table with deals from a seed; `seats` has the agent of each."""
    env = VectorEnv(BIG2, rules, deals_from_seed(seed, count, rules))
    seating = np.zeros((count, rules.players), np.int64) + seats
    return Table(env, agents or [RandomAgent()], seating, new_streams(seed, count)[:, None])


def random_games(rules, count, seed=0):
    """Return records of games by random agents."""
    table, turns = table_of(rules, count, seed), []
    deals = table.env.games['hands'][:, : rules.players].tolist()
    while not table.env.is_over:
        turn = table.turn()
        turns.append(np.where(turn.positions.counts > 0, turn.moves, -1))
    moves = np.stack(turns, axis=1).tolist()
    return [
        Record(hands=tuple(hands), moves=tuple(takewhile(lambda move: move >= 0, game)), rules=rules)
        for hands, game in zip(deals, moves, strict=True)
    ]


def positions_of(games, rules):
    """Return what the seats to move of games, [N] of GAME, see and may do."""
    return vector_env.positions_of(BIG2, tabulate(rules), games)


class Hashed:
    """Values from 0 to 2**24 / scale by the move and all that the seat sees; counts the positions that it evaluates."""

    def __init__(self, scale=1):
        self.scale, self.asked = np.float32(scale), 0

    def values(self, positions):
        self.asked += len(positions.counts)
        words = [int(np.frombuffer(one.tobytes(), np.uint32).sum(dtype=np.uint64)) for one in positions.observations]
        seen = np.array(words, np.uint64)[positions.owners]
        mixed = (positions.moves.astype(np.uint64) + seen) * np.uint64(0x9E3779B97F4A7C15)
        return (mixed >> np.uint64(40)).astype(np.float32) / self.scale


NEAR = 2.0**24  # a scale at which all moves are candidates of search
