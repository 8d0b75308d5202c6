"""The likelihood of moves: worlds are likelier in which the opponents would have made those that they made.

Each world is followed back through the last 16 moves. At every choice that an opponent had, a network says what the
moves were worth to the hand that it holds in this world, and a softmax over the values how likely its own was.
"""

import math

import numpy as np

from rlcard_big2.engine.moves import MAX_LEGAL
from rlcard_big2.engine.observation import Observation, Observations, new_observations, observe, restore
from rlcard_big2.engine.ruleset import RuleTables
from rlcard_big2.engine.state import HISTORY, NUM_PLAYERS, GameRecord, Games, legal_moves, new_games, play
from rlcard_big2.lockstep.agent import ValueFunction
from rlcard_big2.lockstep.arrays import Float32Array, Float64Array, Int64Array
from rlcard_big2.lockstep.compilation import kernel
from rlcard_big2.lockstep.positions import Positions
from rlcard_big2.lockstep.random import Streams
from rlcard_big2.search.beliefs import Beliefs, resample
from rlcard_big2.search.playouts import VIEWER
from rlcard_big2.search.worlds import shows_all_moves

WEIGHTED = 10  # worlds for each that is drawn
SURPRISE = 0.02  # share of the moves that could be any
CHOICES = 4096  # weighed up at once, so that what is between two layers stays small
MOVES = CHOICES * 64  # legal in these, at most


class Weighted:
    """Draws worlds by how likely the opponents' last moves were in them, among more that other beliefs draw.

    Args:
        beliefs: draw the worlds that are weighted.
        network: says how good the moves were.
        rules: [1] from `tabulate`.
        temperature: of the softmax over the network's values.
    """

    guesses = True

    def __init__(self, beliefs: Beliefs, network: ValueFunction, rules: RuleTables, temperature: float) -> None:
        self._beliefs = beliefs
        self._network = network
        self._rules = rules
        self._temperature = temperature

    def draw(self, observations: Observations, random: Streams, count: int) -> Int64Array:
        """Return worlds; see `Beliefs.draw`."""
        worlds = self._beliefs.draw(observations, random, count * WEIGHTED)
        return resample(worlds, self.scores(observations, worlds), random, count)

    def scores(self, observations: Observations, worlds: Int64Array) -> Float64Array:
        """Return the logarithm of how likely the moves were in W worlds of each of N observations, float64 [N, W].

        Args:
            observations: packed, [N].
            worlds: int64 [N, W, 4], see `rlcard_big2.search.worlds.deal_worlds`.
        """
        count, width, seats = worlds.shape
        owners, hands = np.repeat(np.arange(count), width), worlds.reshape(-1, seats)
        seen, moves, offsets = new_observations(CHOICES), np.empty(MOVES, np.int64), np.empty(CHOICES + 1, np.int64)
        made, of, game = np.empty(CHOICES, np.int64), np.empty(CHOICES, np.int64), new_games(1)
        scores, start = np.zeros(len(hands)), 0
        while start < len(hands):
            start, total = _list_choices(
                self._rules, observations, owners, hands, start, game, seen, moves, offsets, made, of
            )
            if total:
                bounds = offsets[: total + 1]
                values = self._network.values(Positions(seen[:total], moves[: bounds[-1]], bounds))
                _add_likelihoods(values, bounds, made, of, self._temperature, scores)
        return scores.reshape(count, width)


@kernel
def _list_choices(
    rules: RuleTables,
    observations: Observations,
    owners: Int64Array,
    worlds: Int64Array,
    start: int,
    games: Games,
    seen: Observations,
    moves: Int64Array,
    offsets: Int64Array,
    made: Int64Array,
    of: Int64Array,
) -> tuple[int, int]:
    """List the opponents' choices among the last moves in some worlds, as many as there is room for.

    Args:
        rules: [1].
        observations: packed, [N].
        owners: the observation that each world is of, int64 [G].
        worlds: int64 [G, 4].
        start: the world to begin with.
        games: [1] of GAME, for what happened.
        seen: [CHOICES], receives what an opponent saw at each choice.
        moves: int64 [MOVES], receives the legal moves, as `Positions` has them.
        offsets: int64 [CHOICES + 1], receives the index at which each choice's moves begin.
        made: int64 [CHOICES], receives the index in `moves` of the move that was made, -1 if it was not legal.
        of: int64 [CHOICES], receives the world of each choice.

    Returns:
        The world to go on with, and how many choices were listed.
    """
    count, end, last = 0, 0, np.empty(HISTORY, np.int64)
    for world in range(start, len(worlds)):
        if count + HISTORY > len(made) or end + HISTORY * MAX_LEGAL > len(moves):
            return world, count
        observation, game = observations[owners[world]], games[0]
        plies = _rewind(observation, worlds[world], game, last)
        # before the first cards it is not known what was to beat, and before a new trick not who had passed
        is_known, is_played = shows_all_moves(observation), False
        if is_known:
            game.kinds[:] = 0
        for move in last[:plies]:
            if is_known and game.player != VIEWER:
                found = legal_moves(rules[0], game, game.hands[game.player], moves[end:])
                if found > 1:
                    observe(rules[0], game, game.player, seen[count])
                    offsets[count], made[count], of[count] = end, -1, world
                    for i in range(end, end + found):
                        if moves[i] == move:
                            made[count] = i
                    count += 1
                    end += found
            play(rules[0], game, move)
            is_played = is_played or move != 0
            is_known = is_known or (is_played and (rules[0].final_pass == 0 or game.table == 0))
        offsets[count] = end
    return len(worlds), count


@kernel
def _rewind(observation: Observation, hands: Int64Array, game: GameRecord, moves: Int64Array) -> int:
    """Write the game as it was before the moves that an observation shows, and these moves; return how many."""
    restore(observation, hands, VIEWER, game)
    plies = min(HISTORY, game.ply)
    for i in range(plies - 1, -1, -1):
        game.ply -= 1
        game.player = (game.player - 1) % NUM_PLAYERS
        moves[i] = game.history[game.ply % HISTORY]
        game.history[game.ply % HISTORY] = 0
        game.hands[game.player] |= moves[i]
        game.played[game.player] &= ~moves[i]
    game.table = game.beat = game.passes = game.passed = 0
    return plies


@kernel
def _add_likelihoods(
    values: Float32Array, offsets: Int64Array, made: Int64Array, of: Int64Array, temperature: float, out: Float64Array
) -> None:
    """Add the logarithm of how likely each move was to its world's, float64 [G]."""
    for i in range(len(offsets) - 1):
        own, total = values[offsets[i] : offsets[i + 1]], 0.0
        best = own.max()
        for value in own:
            total += math.exp((value - best) / temperature)
        chance = math.exp((values[made[i]] - best) / temperature) / total if made[i] >= 0 else 0.0
        out[of[i]] += math.log((1 - SURPRISE) * chance + SURPRISE / len(own))
