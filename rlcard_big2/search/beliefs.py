"""Beliefs: how likely worlds are, by how the opponents have played.

In each world the last 16 moves are played again. A world counts by how likely the
opponents' moves were in it, under a softmax of a network's values, by what each opponent would have seen.
"""

import numpy as np

from rlcard_big2.engine.moves import MAX_LEGAL
from rlcard_big2.engine.observation import Observation, Observations, new_observations, observe, restore
from rlcard_big2.engine.ruleset import RuleTables
from rlcard_big2.engine.state import HISTORY, NUM_PLAYERS, GameRecord, Games, legal_moves, new_games, play
from rlcard_big2.lockstep.agent import ValueFunction
from rlcard_big2.lockstep.arrays import Float32Array, Float64Array, Int64Array
from rlcard_big2.lockstep.compilation import kernel
from rlcard_big2.lockstep.positions import Positions
from rlcard_big2.search.playouts import VIEWER
from rlcard_big2.search.worlds import shows_all_moves

LOCKSTEP = 512  # worlds at once
TEMPERATURE = 1.0  # of the softmax, in units of values


def log_likelihoods(
    network: ValueFunction, rules: RuleTables, observations: Observations, owners: Int64Array, hands: Int64Array
) -> Float64Array:
    """Return how likely the opponents' last moves are in each of G worlds, as logarithms, float64 [G].

    Args:
        network: says the values of moves.
        rules: [1] from `ruleset`.
        observations: packed, of seats to move, [N].
        owners: the observation that each world belongs to, int64 [G].
        hands: of the worlds, int64 [G, 4], see `deal_worlds`.
    """
    out = np.zeros(len(owners))
    for start in range(0, len(owners), LOCKSTEP):
        part = slice(start, start + LOCKSTEP)
        _add_likelihoods(network, rules, observations, owners[part], hands[part], out[part])
    return out


def _add_likelihoods(
    network: ValueFunction,
    rules: RuleTables,
    observations: Observations,
    owners: Int64Array,
    hands: Int64Array,
    out: Float64Array,
) -> None:
    most = len(owners) * HISTORY
    seen, worlds, chosen = new_observations(most), np.empty(most, np.int64), np.empty(most, np.int64)
    moves, offsets = np.empty(most * MAX_LEGAL, np.int64), np.empty(most + 1, np.int64)
    count = _replay(rules, observations, owners, hands, new_games(1), seen, moves, offsets, worlds, chosen)
    if count:
        positions = Positions(seen[:count], moves[: offsets[count]], offsets[: count + 1])
        _add_log_softmax(network.values(positions), positions.offsets, chosen, worlds, TEMPERATURE, out)


@kernel
def _replay(
    rules: RuleTables,
    observations: Observations,
    owners: Int64Array,
    hands: Int64Array,
    scratch: Games,
    seen: Observations,
    moves: Int64Array,
    offsets: Int64Array,
    worlds: Int64Array,
    chosen: Int64Array,
) -> int:
    """List the opponents' choices among the last 16 moves, in each world.

    Args:
        rules: [1].
        observations: packed, [N].
        owners: int64 [G].
        hands: int64 [G, 4].
        scratch: [1] of GAME.
        seen: [G * HISTORY], receives what each opponent saw, but for moves before the 16.
        moves: int64, receives the moves that were legal, as `Positions` has them.
        offsets: int64 [G * HISTORY + 1], receives the index at which each choice's moves begin.
        worlds: int64 [G * HISTORY], receives the world of each choice.
        chosen: int64 [G * HISTORY], receives the index in `moves` of the move that was made.

    Returns:
        The number of choices.
    """
    game, count, end = scratch[0], 0, 0
    offsets[0] = 0
    for world in range(len(owners)):
        observation = observations[owners[world]]
        restore(observation, hands[world], VIEWER, game)
        made = min(HISTORY, game.ply)
        is_known = shows_all_moves(observation)
        _rewind(observation, made, game)
        for age in range(made, 0, -1):
            move = observation.history[HISTORY - age]
            if is_known and game.player != VIEWER:
                legal = legal_moves(rules[0], game, game.hands[game.player], moves[end:])
                index = _index_of(move, moves[end : end + legal])
                if legal > 1 and index >= 0:
                    observe(game, game.player, seen[count])
                    worlds[count], chosen[count] = world, end + index
                    end += legal
                    count += 1
                    offsets[count] = end
            play(rules[0], game, move)
            begins = move == 0 and game.passes == 0  # three passes: what there is to beat is known from here on
            is_known = is_known or begins or (move != 0 and rules[0].final_pass == 0)
    return count


@kernel
def _rewind(observation: Observation, made: int, game: GameRecord) -> None:
    """Take the last moves of a game back; what there was to beat before them is not known."""
    for age in range(1, made + 1):
        seat, move = (game.player - age) % NUM_PLAYERS, observation.history[HISTORY - age]
        game.hands[seat] |= move
        game.played[seat] &= ~move
    for i in range(HISTORY):
        game.history[i] = 0
    game.ply -= made
    game.player = (game.player - made) % NUM_PLAYERS
    game.table = 0
    game.beat = 0
    game.passes = 0
    game.passed = 0


@kernel
def _index_of(move: int, moves: Int64Array) -> int:
    """Return the index of a move, or -1: a typed position may begin with passes that were none."""
    for i in range(len(moves)):
        if moves[i] == move:
            return i
    return -1


@kernel
def _add_log_softmax(
    values: Float32Array,
    offsets: Int64Array,
    chosen: Int64Array,
    worlds: Int64Array,
    temperature: float,
    out: Float64Array,
) -> None:
    """Add the log-probability of each move chosen to that of its world."""
    for i in range(len(offsets) - 1):
        own = values[offsets[i] : offsets[i + 1]]
        best = own.max()
        total = 0.0
        for value in own:
            total += np.exp((value - best) / temperature)
        out[worlds[i]] += (values[chosen[i]] - best) / temperature - np.log(total)
