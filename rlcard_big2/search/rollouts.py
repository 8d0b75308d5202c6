"""Rollouts: batches of games played to their end by a value network, greedily or with softmax opponents."""

import math
from collections.abc import Sequence

import numpy as np

from rlcard_big2.engine.batch import settle_games
from rlcard_big2.engine.moves import MAX_LEGAL, MOST_LEGAL
from rlcard_big2.engine.observation import Observations, new_observations, observe, restore
from rlcard_big2.engine.ruleset import RuleTables
from rlcard_big2.engine.state import NUM_PLAYERS, GameRecord, Games, legal_moves, new_games, play
from rlcard_big2.search.opponent_model import OpponentModel
from rlcard_kit.agents import Positions, ValueFunction, choose_highest
from rlcard_kit.arrays import Float32Array, Float64Array, Int64Array
from rlcard_kit.jit import kernel
from rlcard_kit.rng import Streams, uniform

BATCH_SIZE = 2048  # games at once
NOBODY = -1  # leads yet
VIEWER = 0  # the seat from whose observation a game was made


def play_out(
    rules: RuleTables,
    observations: Observations,
    owners: Int64Array,
    hands: Int64Array,
    moves: Int64Array,
    network: ValueFunction,
    models: Sequence[OpponentModel] = (),
    kinds: Int64Array | None = None,
    random: Streams | None = None,
    leads: Int64Array | None = None,
) -> Int64Array:
    """Make moves in determinizations and play to the end; return the viewer's payoffs, int64 [G].

    Every seat sees its own observation alone.

    Args:
        rules: [1] from `tabulate`.
        observations: packed, of seats to move, [N].
        owners: the observation that each game continues, int64 [G].
        hands: the determinization of each game, int64 [G, 4], see `sample_determinizations`.
        moves: the legal move made in each game, int64 [G].
        network: evaluates the later moves.
        models: of the opponents, who play the network's best moves without.
        kinds: the model that each seat follows, int64 [G, 4]; the first of them if None.
        random: uint64 [G], each game's own stream of their draws; changed, and not needed without them.
        leads: int64 [G], receives the seat that leads the next trick in each game; NUM_PLAYERS more if it has won.
    """
    models = models or [OpponentModel(network, 0.0)]
    kinds = np.zeros((len(moves), NUM_PLAYERS), np.int64) if kinds is None else kinds
    leads = np.empty(len(moves), np.int64) if leads is None else leads
    leads[:] = NOBODY
    if random is None:
        assert not any(model.temperature for model in models), 'draws need streams'
        random = np.zeros(len(moves), np.uint64)
    games, payoffs = new_games(len(moves)), np.empty((len(moves), NUM_PLAYERS), np.int64)
    branch(rules, observations, owners, hands, games)
    for start in range(0, len(games), BATCH_SIZE):
        part = slice(start, start + BATCH_SIZE)
        _roll_out(network, rules, games[part], moves[part], models, kinds[part], random[part], leads[part])
    settle_games(rules, games, payoffs)
    return payoffs[:, VIEWER]


def _roll_out(
    network: ValueFunction,
    rules: RuleTables,
    games: Games,
    made: Int64Array,
    models: Sequence[OpponentModel],
    kinds: Int64Array,
    random: Streams,
    leads: Int64Array,
) -> None:
    networks = [network, *(model.network for model in models)]
    numbers = np.array([networks.index(each) for each in networks])  # the same for the same network
    heats = np.array([0.0, *(model.temperature for model in models)])
    running: Int64Array = np.arange(len(games))
    most = MAX_LEGAL if rules['players'][0] == NUM_PLAYERS else MOST_LEGAL  # fewer may hold more than thirteen cards
    moves, offsets = np.empty(len(games) * most, np.int64), np.empty(len(games) + 1, np.int64)
    observations = new_observations(len(games))
    while count := advance(rules, games, running, made, observations, moves, offsets, leads):
        running, bounds = running[:count], offsets[: count + 1]
        positions = Positions(observations[:count], moves[: bounds[-1]], bounds)
        movers = games['player'][running]
        asked = np.where(movers == VIEWER, 0, 1 + kinds[running, movers])
        values = _values(networks, numbers[asked], positions)
        if heats.any():
            _add_gumbel(running, bounds, heats[asked], random, values)
        made = positions.moves[choose_highest(values, bounds)]


def _values(networks: Sequence[ValueFunction], asked: Int64Array, positions: Positions) -> Float32Array:
    """Return values of moves, float32 [M], by the network that is asked in each game, int64 [N]."""
    values = np.empty(len(positions.moves), np.float32)
    for number in np.unique(asked):
        games = asked == number
        if games.all():
            return networks[number].values(positions)
        values[np.repeat(games, positions.counts)] = networks[number].values(positions.select(np.flatnonzero(games)))
    return values


@kernel
def branch(rules: RuleTables, observations: Observations, owners: Int64Array, hands: Int64Array, games: Games) -> None:
    """Start each game from an observation, with a deal of the hidden cards; see `play_out`."""
    for i in range(len(games)):
        restore(rules[0], observations[owners[i]], hands[i], VIEWER, games[i])


@kernel
def advance(
    rules: RuleTables, games: Games, running: Int64Array, made: Int64Array, observations: Observations,
    moves: Int64Array, offsets: Int64Array, leads: Int64Array,
) -> int:  # fmt: skip
    """Make a move in each running game, and all moves without an alternative after it; list the choices that follow.

    Args:
        rules: [1].
        games: [G].
        running: int64 [K], indices of games; receives those of the games that are not over, whose number is returned.
        made: int64 [K], a legal move of each.
        observations: [K], receives what the seats to move see; with `moves` and `offsets`, see `Positions`.
        moves: int64 [G * MAX_LEGAL], or of MOST_LEGAL as in `list_legal`.
        offsets: int64 [G + 1].
        leads: int64 [G], receives the seats that lead the next trick.
    """
    kept = end = 0
    for j in range(running.size):
        i, move, count = running[j], made[j], 1
        while count == 1:
            play(rules[0], games[i], move)
            _note_lead(games[i], i, leads)
            count = legal_moves(rules[0], games[i], games[i].hands[games[i].player], moves[end:])
            move = moves[end]
        if count != 0:
            observe(rules[0], games[i], games[i].player, observations[kept])
            running[kept], offsets[kept] = i, end
            kept += 1
            end += count
    offsets[kept] = end
    return kept


@kernel
def _note_lead(game: GameRecord, i: int, leads: Int64Array) -> None:
    if leads[i] == NOBODY and game.winner >= 0:
        leads[i] = NUM_PLAYERS + game.winner
    elif leads[i] == NOBODY and game.table == 0 and game.hands[game.player] != 0:
        leads[i] = game.player


@kernel
def _add_gumbel(
    running: Int64Array, offsets: Int64Array, heats: Float64Array, random: Streams, values: Float32Array
) -> None:
    """Add Gumbel noise to the values, so that the highest is a sample of their softmax at a game's temperature, [N]."""
    for i in range(len(running)):
        if heats[i] > 0:
            stream = random[running[i] : running[i] + 1]
            for index in range(offsets[i], offsets[i + 1]):
                values[index] -= heats[i] * math.log(-math.log(1 - uniform(stream)))
