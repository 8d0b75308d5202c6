"""Games of random legal moves, in machine code from the deal to the payoffs."""

import numpy as np

from rlcard_big2.engine.moves import MAX_LEGAL
from rlcard_big2.engine.ruleset import RuleTables
from rlcard_big2.engine.state import (
    NUM_PLAYERS,
    Games,
    legal_moves,
    play,
    settle,
    shuffle_hands,
    start,
)
from rlcard_catch5.engine import play as catch5
from rlcard_catch5.engine import ruleset as catch5_rules
from rlcard_catch5.engine import state as catch5_state
from rlcard_kit.arrays import Int64Array
from rlcard_kit.jit import kernel
from rlcard_kit.rng import Stream, below


@kernel
def play_random_games(rules: RuleTables, games: Games, random: Stream, payoffs: Int64Array) -> int:
    """Deal each game and play it to its end by uniformly random legal moves.

    Args:
        rules: [1] from `ruleset`.
        games: [N] of GAME, left as they ended.
        random: uint64 [1], the stream to draw from.
        payoffs: int64 [N, 4], receives the payoffs.

    Returns the number of moves made.
    """
    hands = np.zeros(NUM_PLAYERS, np.int64)
    moves = np.zeros(MAX_LEGAL, np.int64)
    made = 0
    for i in range(games.size):
        game = games[i]
        shuffle_hands(random, hands)
        start(game, hands)
        while game.winner < 0:
            count = legal_moves(rules[0], game, game.hands[game.player], moves)
            play(rules[0], game, moves[below(random, count)])
            made += 1
        settle(rules[0], game, payoffs[i])
    return made


@kernel
def play_random_hands(
    rules: catch5_rules.RuleTables,
    games: catch5_state.Games,
    deals: catch5_state.Deals,
    random: Stream,
    payoffs: Int64Array,
) -> int:
    """Deal each game of Catch Five and play it to its end; see `play_random_games`.

    `deals` is [1] of DEAL, and receives the deals.
    """
    moves = np.zeros(catch5.MAX_LEGAL, np.int64)
    made = 0
    for i in range(games.size):
        game = games[i]
        catch5_state.shuffle_deal(random, deals[0])
        catch5_state.start(game, deals[0])
        while game.ply < catch5_state.NUM_PLIES:
            count = catch5.legal_moves(rules[0], game, moves)
            catch5.play(rules[0], game, moves[below(random, count)])
            made += 1
        catch5.settle(rules[0], game, payoffs[i])
    return made
