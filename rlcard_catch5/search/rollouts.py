"""Rollouts: batches of games played to their end, each seat by its own observation."""

import numpy as np

from rlcard_catch5.engine.batch import settle_games
from rlcard_catch5.engine.observation import Observations, new_observations, observe
from rlcard_catch5.engine.play import MAX_LEGAL, legal_moves, play
from rlcard_catch5.engine.ruleset import RuleTables
from rlcard_catch5.engine.state import NUM_PLAYERS, Games
from rlcard_kit.agents import Agent, Positions
from rlcard_kit.arrays import Int64Array
from rlcard_kit.jit import kernel
from rlcard_kit.rng import Streams

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
    running: Int64Array = np.arange(len(games))
    made, observations = moves, new_observations(len(games))
    legal, offsets = np.empty(len(games) * MAX_LEGAL, np.int64), np.empty(len(games) + 1, np.int64)
    while count := advance(rules, games, running, made, observations, legal, offsets):
        running, bounds = running[:count], offsets[: count + 1]
        positions, streams = Positions(observations[:count], legal[: bounds[-1]], bounds), random[running]
        made = positions.moves[agent.choose(positions, streams).indices]
        random[running] = streams
    payoffs = np.empty((len(games), NUM_PLAYERS), np.int64)
    settle_games(rules, games, payoffs)
    ahead: Int64Array = payoffs[:, VIEWER] - payoffs[:, VIEWER + 1]
    return ahead


@kernel
def advance(
    rules: RuleTables, games: Games, running: Int64Array, made: Int64Array, observations: Observations,
    moves: Int64Array, offsets: Int64Array,
) -> int:  # fmt: skip
    """Make a move in each running game, and all moves without an alternative after it; list the choices that follow.

    Args:
        rules: [1].
        games: [G] of GAME.
        running: int64 [K], indices of games; receives those of the games that are not over, whose number is returned.
        made: int64 [K], a legal move of each.
        observations: [K], receives what the seats to move see; with `moves` and `offsets`, see `Positions`.
        moves: int64 [K * MAX_LEGAL].
        offsets: int64 [K + 1].
    """
    kept = end = 0
    for j in range(running.size):
        i, move, count = running[j], made[j], 1
        while count == 1:
            play(rules[0], games[i], move)
            count = legal_moves(rules[0], games[i], moves[end:])
            move = moves[end]
        if count != 0:
            observe(games[i], games[i].player, observations[kept])
            running[kept], offsets[kept] = i, end
            kept += 1
            end += count
    offsets[kept] = end
    return kept
