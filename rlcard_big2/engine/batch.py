"""The engine's door from Python: the same functions over arrays of N games, N = 1 included.

Arrays cross from Python into a kernel ten times faster than single records do. The other game has loops like these over
its own kernels: a factory of both would make closures over kernels, which numba cannot cache.
"""

import numpy as np

from rlcard_big2.engine.actions import number_of
from rlcard_big2.engine.observation import NUM_OPPONENTS, Observations, observe, unpack
from rlcard_big2.engine.ruleset import RuleTables
from rlcard_big2.engine.state import (
    HAND_SIZE,
    MOST_IN_MOVE,
    Games,
    is_legal,
    legal_moves,
    play,
    settle,
    shuffle_hands,
    start,
)
from rlcard_kit.arrays import Int8Array, Int64Array
from rlcard_kit.jit import kernel
from rlcard_kit.rng import Streams


@kernel
def deal_games(rules: RuleTables, games: Games, where: Int64Array, random: Streams) -> None:
    """Deal and start the games at indices `where`, int64 [K], each from its own stream in `random`, uint64 [N]."""
    hands = np.zeros(rules[0].players, np.int64)
    for i in where:
        shuffle_hands(rules[0], random[i : i + 1], hands)
        start(rules[0], games[i], hands)


@kernel
def shuffle_deals(rules: RuleTables, random: Streams, deals: Int64Array) -> None:
    """Deal once from each stream, uint64 [D], into masks, int64 [D, players]."""
    for i in range(random.size):
        shuffle_hands(rules[0], random[i : i + 1], deals[i])


@kernel
def start_games(rules: RuleTables, games: Games, deals: Int64Array) -> None:
    """Start each game with its deal, masks, int64 [N, players]."""
    for i in range(games.size):
        start(rules[0], games[i], deals[i])


@kernel
def list_legal(rules: RuleTables, games: Games, masks: Int64Array, offsets: Int64Array) -> int:
    """List the legal moves of all games, one after the other, each game's ascending by action id.

    Args:
        rules: [1] from `ruleset`.
        games: [N] of GAME.
        masks: int64 [N * MAX_LEGAL] (MOST_LEGAL for hands of more than thirteen cards; less if there are certainly
            fewer), receives the masks, 0 for a pass.
        offsets: int64 [N + 1], receives the index at which each game's moves begin: game i's are
            masks[offsets[i]:offsets[i + 1]].

    Returns the number of masks written.
    """
    end = 0
    for i in range(games.size):
        offsets[i] = end
        end += legal_moves(rules[0], games[i], games[i].hands[games[i].player], masks[end:])
    offsets[games.size] = end
    return end


@kernel
def list_legal_ids(rules: RuleTables, games: Games, ids: Int64Array) -> int:
    """List the legal actions of one game by id, ascending.

    Args:
        rules: [1] from `ruleset`.
        games: [1] of GAME.
        ids: int64 [MOST_LEGAL], receives the action ids.

    Returns:
        The number of legal actions; 0 after the end.
    """
    count = legal_moves(rules[0], games[0], games[0].hands[games[0].player], ids)
    for i in range(count):
        ids[i] = number_of(ids[i])
    return count


@kernel
def find_illegal(rules: RuleTables, games: Games, moves: Int64Array) -> int:
    """Return the first game whose move, of int64 [N], is not legal; -1 if all are."""
    scratch = np.empty(MOST_IN_MOVE, np.int64)
    for i in range(games.size):
        if not is_legal(rules[0], games[i], moves[i], scratch):
            return i
    return -1


@kernel
def replay_moves(rules: RuleTables, games: Games, moves: Int64Array) -> int:
    """Make moves, masks [M], one after the other in one game, [1]; return the index of the first illegal one, or M."""
    scratch = np.empty(MOST_IN_MOVE, np.int64)
    for ply in range(moves.size):
        if not is_legal(rules[0], games[0], moves[ply], scratch):
            return ply
        play(rules[0], games[0], moves[ply])
    return moves.size


@kernel
def play_moves(rules: RuleTables, games: Games, moves: Int64Array) -> None:
    """Make one legal move, of int64 [N], in each game that is not over."""
    for i in range(games.size):
        if games[i].winner < 0:
            play(rules[0], games[i], moves[i])


@kernel
def observe_games(rules: RuleTables, games: Games, seats: Int64Array, out: Observations) -> None:
    """Write what seat `seats[i]` sees of game i into `out`, [N] of OBSERVATION."""
    for i in range(games.size):
        observe(rules[0], games[i], seats[i], out[i])


@kernel
def unpack_observations(observations: Observations, out: Int8Array) -> None:
    """Write packed observations, [N], as zeros and ones into `out`, int8 [N, 1339], in the order of LAYOUT."""
    for i in range(len(observations)):
        unpack(observations[i], NUM_OPPONENTS, HAND_SIZE, out[i])


@kernel
def unpack_sizes(opponents: int, most: int, observations: Observations, out: Int8Array) -> None:
    """Write packed observations, [N], into `out`, int8 [N, features], by `unpack`, in the order of `layout_of`."""
    for i in range(len(observations)):
        unpack(observations[i], opponents, most, out[i])


@kernel
def settle_games(rules: RuleTables, games: Games, payoffs: Int64Array) -> None:
    """Write every seat's payoff into `payoffs`, int64 [N, players]; zeros while a game lasts."""
    for i in range(games.size):
        settle(rules[0], games[i], payoffs[i])
