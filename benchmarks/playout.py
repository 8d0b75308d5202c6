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
from rlcard_big2.lockstep.arrays import Int64Array
from rlcard_big2.lockstep.compilation import kernel
from rlcard_big2.lockstep.random import Stream, below


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
