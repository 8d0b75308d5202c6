"""Worlds that agree with bids and play: determinizations drawn by the likelihood of the other seats' choices."""

import math

import numpy as np

from rlcard_catch5.actions import BID_SHIFT, FIRST_CARD, FIRST_TRUMP, PASS
from rlcard_catch5.engine.observation import Observations, new_observations, observe
from rlcard_catch5.engine.play import MAX_LEGAL, legal_moves, play
from rlcard_catch5.engine.ruleset import RuleTables
from rlcard_catch5.engine.state import (
    DEAL,
    FIRST_CARD_PLY,
    GAME,
    NOTHING,
    NUM_PLAYERS,
    NUM_PLIES,
    TRUMP_PLY,
    GameRecord,
    Games,
    start,
)
from rlcard_catch5.search.worlds import sample_worlds
from rlcard_kit.agents import Positions
from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.jit import kernel
from rlcard_kit.nets.agents import Policy
from rlcard_kit.rng import Streams, draw_indices

PROPOSALS = 4  # for each world
ERROR = 0.1  # probability of a choice that the policy would not make, any with equal probability
AT_ONCE = 64  # games whose choices are judged


def draw_worlds(rules: RuleTables, observations: Observations, random: Streams, count: int, policy: Policy) -> Games:
    """Draw worlds in proportion to the likelihood of the other seats' bids, trumps and cards.

    Args:
        rules: [1] from `tabulate`.
        observations: packed, [N], of seats to move.
        random: uint64 [N], each observation's own stream.
        count: of each observation.
        policy: of the other seats.

    Returns:
        Games in which the viewer is seat 0, [N, count] of GAME.
    """
    size = len(observations) * count * PROPOSALS
    games, dealt = np.zeros(size, GAME), np.zeros((size, NUM_PLAYERS), np.int64)
    sample_worlds(rules, observations, random, games, dealt)
    logs = log_likelihoods(rules, games, dealt, policy).reshape(len(observations), -1)
    totals = np.exp(logs - logs.max(axis=1, keepdims=True)).cumsum(axis=1)
    chosen = np.empty((len(observations), count), np.int64)
    draw_indices(totals, random, chosen)
    drawn: Games = np.take_along_axis(games.reshape(logs.shape), chosen, axis=1)
    return drawn


def log_likelihoods(rules: RuleTables, games: Games, dealt: Int64Array, policy: Policy) -> Float64Array:
    """Return the logarithm of the likelihood of the other seats' choices so far, float64 [G]; see `sample_worlds`."""
    total, most = np.zeros(len(games)), AT_ONCE * NUM_PLIES
    observations, offsets = new_observations(most), np.empty(most + 1, np.int64)
    moves = np.empty(most * MAX_LEGAL, np.int64)
    made, owners = np.empty(most, np.int64), np.empty(most, np.int64)
    for first in range(0, len(games), AT_ONCE):
        part = slice(first, first + AT_ONCE)
        count = list_choices(rules, games[part], dealt[part], observations, moves, offsets, made, owners)
        bounds = offsets[: count + 1]
        if count:
            chances = policy.probabilities(Positions(observations[:count], moves[: bounds[-1]], bounds))[0]
            add_likelihoods(chances, bounds, made, owners, total[part])
    return total


@kernel
def list_choices(
    rules: RuleTables, games: Games, dealt: Int64Array, observations: Observations, moves: Int64Array,
    offsets: Int64Array, made: Int64Array, owners: Int64Array,
) -> int:  # fmt: skip
    """List the other seats' choices between several moves so far, and return their number.

    Args:
        rules: [1] from `tabulate`.
        games: [G] of GAME; with `dealt`, see `sample_worlds`.
        dealt: int64 [G, 4].
        observations: [G * NUM_PLIES], receives what the seats saw; with `moves` and `offsets`, see `Positions`.
        moves: int64 [G * NUM_PLIES * MAX_LEGAL].
        offsets: int64 [G * NUM_PLIES + 1].
        made: int64 [G * NUM_PLIES], receives the index of each move that was made; -1 if it is not legal in this world.
        owners: int64 [G * NUM_PLIES], receives the game of each choice.
    """
    game, deal, count, end = np.zeros(1, GAME), np.zeros(1, DEAL), 0, 0
    deal[0].redeal[:] = deal[0].leftover[:] = NOTHING
    for i in range(len(games)):
        for seat in range(NUM_PLAYERS):
            deal[0].hands[seat] = dealt[i, seat]
        deal[0].dealer = games[i].dealer
        start(game[0], deal[0])
        for ply in range(games[i].ply):
            if ply == FIRST_CARD_PLY:
                _begin_play(games[i], game)
            move, size = _move_at(games[i], ply, game[0].player), 0
            if game[0].player != 0:
                size = legal_moves(rules[0], game[0], moves[end:])
            if size > 1:
                observe(game[0], game[0].player, observations[count])
                offsets[count], made[count], owners[count] = end, -1, i
                for index in range(end, end + size):
                    if moves[index] == move:
                        made[count] = index
                count += 1
                end += size
            play(rules[0], game[0], move)
    offsets[count] = end
    return count


@kernel
def _begin_play(game: GameRecord, out: Games) -> None:
    """Write a game as it was before the first card into `out`, [1] of GAME."""
    out[0] = game
    for seat in range(NUM_PLAYERS):
        out[0].hands[seat] |= out[0].played[seat]
    out[0].played[:] = out[0].points[:] = 0
    out[0].order[:] = out[0].winners[:] = out[0].trick[:] = NOTHING
    out[0].player = out[0].leader = game.bidder
    out[0].ply = FIRST_CARD_PLY


@kernel
def _move_at(game: GameRecord, ply: int, seat: int) -> int:
    """Return the action that a seat chose at a ply."""
    if ply < TRUMP_PLY:
        return max(game.bids[seat] - BID_SHIFT, PASS)
    return FIRST_TRUMP + game.trump if ply == TRUMP_PLY else FIRST_CARD + game.order[ply - FIRST_CARD_PLY]


@kernel
def add_likelihoods(
    chances: Float64Array, offsets: Int64Array, made: Int64Array, owners: Int64Array, out: Float64Array
) -> None:
    """Add the logarithm of the chance of each move that was made to its game's, float64 [G]; see `list_choices`."""
    for i in range(len(offsets) - 1):
        chance = chances[made[i]] if made[i] >= 0 else 0.0
        out[owners[i]] += math.log((1 - ERROR) * chance + ERROR / (offsets[i + 1] - offsets[i]))
