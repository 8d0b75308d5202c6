"""Rollouts: batches of games played to their end, each seat by its own observation."""

import numpy as np

from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.engine.ruleset import RuleTables
from rlcard_catch5.engine.state import Games
from rlcard_kit.agents.base import Agent
from rlcard_kit.arrays import Int64Array
from rlcard_kit.rng import Streams
from rlcard_kit.vector_env import positions_of

VIEWER = 0  # the seat from whose observation a game was made


def play_out(rules: RuleTables, games: Games, moves: Int64Array, agent: Agent, random: Streams) -> Int64Array:
    """Make moves, int64 [G], and play to the end; return the points by which the viewer's team is ahead, int64 [G].

    Args:
        rules: [1] from `tabulate`.
        games: [G] of GAME, see `sample_worlds`; changed.
        moves: legal ones of the seats to move.
        agent: plays in all seats.
        random: uint64 [G], each game's own stream of an agent that draws; changed.
    """
    CATCH5.step(rules, games, moves)
    running = np.flatnonzero(~CATCH5.is_terminal(games))
    while running.size:
        own = games[running]
        positions = positions_of(CATCH5, rules, own)
        chosen = positions.moves[positions.offsets[:-1]]
        asked = np.flatnonzero(positions.counts > 1)
        if asked.size:
            part, streams = positions.select(asked), random[running[asked]]
            chosen[asked] = part.moves[agent.choose(part, streams).indices]
            random[running[asked]] = streams
        CATCH5.step(rules, own, chosen)
        games[running] = own
        running = running[~CATCH5.is_terminal(own)]
    payoffs = np.empty((len(games), CATCH5.num_seats), np.int64)
    CATCH5.rewards(rules, games, payoffs)
    ahead: Int64Array = payoffs[:, VIEWER] - payoffs[:, VIEWER + 1]
    return ahead
