"""The engine's door from Python: the same functions over arrays of N games, N = 1 included.

Arrays cross from Python into a kernel ten times faster than single records do. The other game has loops like these over
its own kernels: a factory of both would make closures over kernels, which numba cannot cache.
"""

import numpy as np

from rlcard_catch5.engine.observation import Observations, observe, unpack, unpack_published
from rlcard_catch5.engine.play import MAX_LEGAL, is_legal, legal_moves, play, settle
from rlcard_catch5.engine.ruleset import RuleTables
from rlcard_catch5.engine.state import DEAL, NUM_PLIES, Deals, Games, shuffle_deal, start
from rlcard_kit.arrays import Int8Array, Int64Array
from rlcard_kit.jit import kernel
from rlcard_kit.rng import Streams


@kernel
def deal_games(games: Games, where: Int64Array, random: Streams) -> None:
    """Deal and start the games at indices `where`, int64 [K], each from its own stream in `random`, uint64 [N]."""
    deals = np.zeros(1, DEAL)
    for i in where:
        shuffle_deal(random[i : i + 1], deals[0])
        start(games[i], deals[0])


@kernel
def shuffle_deals(random: Streams, deals: Deals) -> None:
    """Deal once from each stream, uint64 [D], into `deals`, [D]."""
    for i in range(random.size):
        shuffle_deal(random[i : i + 1], deals[i])


@kernel
def start_games(games: Games, deals: Deals) -> None:
    """Start each game with its deal, both [N]."""
    for i in range(games.size):
        start(games[i], deals[i])


@kernel
def list_legal(rules: RuleTables, games: Games, moves: Int64Array, offsets: Int64Array) -> int:
    """List the legal actions of all games, one after the other, each game's ascending.

    Args:
        rules: [1] from `ruleset`.
        games: [N] of GAME.
        moves: int64 [N * MAX_LEGAL] (less if there are certainly fewer), receives the action ids.
        offsets: int64 [N + 1], receives the index at which each game's actions begin: game i's are
            moves[offsets[i]:offsets[i + 1]].

    Returns:
        The number of actions written.
    """
    end = 0
    for i in range(games.size):
        offsets[i] = end
        end += legal_moves(rules[0], games[i], moves[end:])
    offsets[games.size] = end
    return end


@kernel
def find_illegal(rules: RuleTables, games: Games, moves: Int64Array) -> int:
    """Return the first game whose move, of int64 [N], is not legal; -1 if all are."""
    scratch = np.empty(MAX_LEGAL, np.int64)
    for i in range(games.size):
        if not is_legal(rules[0], games[i], moves[i], scratch):
            return i
    return -1


@kernel
def replay_moves(rules: RuleTables, games: Games, moves: Int64Array) -> int:
    """Make moves, ids [M], one after the other in one game, [1]; return the index of the first illegal one, or M."""
    scratch = np.empty(MAX_LEGAL, np.int64)
    for ply in range(moves.size):
        if not is_legal(rules[0], games[0], moves[ply], scratch):
            return ply
        play(rules[0], games[0], moves[ply])
    return moves.size


@kernel
def play_moves(rules: RuleTables, games: Games, moves: Int64Array) -> None:
    """Make one legal move, of int64 [N], in each game that is not over."""
    for i in range(games.size):
        if games[i].ply < NUM_PLIES:
            play(rules[0], games[i], moves[i])


@kernel
def observe_games(rules: RuleTables, games: Games, seats: Int64Array, out: Observations) -> None:
    """Write the observation of seat `seats[i]` of game i into `out`, [N] of OBSERVATION."""
    for i in range(games.size):
        observe(games[i], seats[i], out[i])


@kernel
def unpack_observations(observations: Observations, out: Int8Array) -> None:
    """Write packed observations, [N], as zeros and ones into `out`, int8 [N, 948], in the order of LAYOUT."""
    for i in range(len(observations)):
        unpack(observations[i], out[i])


@kernel
def unpack_inputs(observations: Observations, out: Int8Array) -> None:
    """Write the published features of packed observations, [N], into `out`, int8 [N, 504]."""
    out[:] = 0
    for i in range(len(observations)):
        unpack_published(observations[i], out[i])


@kernel
def settle_games(rules: RuleTables, games: Games, payoffs: Int64Array) -> None:
    """Write every seat's score into `payoffs`, int64 [N, 4]; zeros while a game lasts."""
    for i in range(games.size):
        settle(rules[0], games[i], payoffs[i])
