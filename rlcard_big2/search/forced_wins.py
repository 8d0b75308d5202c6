"""Proofs of wins that no hidden hand can stop.

A move is proved to win if it empties the hand, or if nobody can answer it and the cards left can be shed in plays of
which only the last can be answered. All hidden cards together count as the hand of each opponent, up to the largest
number of cards that one of them holds, so a proof holds in every deal. Some forced wins have no such proof.
"""

import numpy as np

from rlcard_big2.engine.bitboard import popcount
from rlcard_big2.engine.moves import MOST_LEGAL
from rlcard_big2.engine.observation import NUM_OPPONENTS, Observation, Observations
from rlcard_big2.engine.ruleset import PAYS, RuleTable, RuleTables, tabulate
from rlcard_big2.engine.state import NUM_PLAYERS, GameRecord, Games, legal_moves, new_games, play, settle
from rlcard_big2.nets.hand_features import can_answer
from rlcard_big2.rules import Rules
from rlcard_kit.agents import Positions
from rlcard_kit.arrays import BoolArray, Float64Array, Int64Array
from rlcard_kit.jit import kernel

UNKNOWN = -1  # payoff of a win
MOST_HANDS = 64  # that a proof looks at, each what safe plays leave


def forced_wins(rules: Rules, positions: Positions) -> tuple[BoolArray, Float64Array]:
    """Find the moves that win whatever the opponents hold.

    Args:
        rules: to play by.
        positions: of seats to move.

    Returns:
        Whether each move is proved to win, bool [M], and its payoff in cards, float64 [M]: NaN without a proof, or if
        it depends on more than the number of cards that each opponent holds.
    """
    payoffs = np.zeros(len(positions.moves), np.int64)
    prove_all(tabulate(rules), positions.observations, positions.offsets, positions.moves, new_games(1), payoffs)
    return payoffs != 0, np.where(payoffs > 0, payoffs, np.nan)


@kernel
def prove_all(
    rules: RuleTables, observations: Observations, offsets: Int64Array, moves: Int64Array, games: Games, out: Int64Array
) -> None:
    """Write the payoffs of moves that are proved to win into `out`, zeros [M]; `games`, [1], is for scratch.

    They are UNKNOWN under rules by which a payoff depends on more than numbers of cards.
    """
    is_hidden = rules[0].unplayed_twos + rules[0].unplayed_bombs + rules[0].face_values + rules[0].places != 0
    legal, hands, payoffs = (
        np.empty(MOST_LEGAL, np.int64),
        np.empty(MOST_HANDS, np.int64),
        np.empty(NUM_PLAYERS, np.int64),
    )
    for i in range(len(observations)):
        for j in range(offsets[i], offsets[i + 1]):
            last = _last_play(rules[0], observations[i], moves[j], games[0], legal, hands)
            if last != 0:
                _set_up(observations[i], last, games[0])
                play(rules[0], games[0], last)
                settle(rules[0], games[0], payoffs)
                out[j] = UNKNOWN if is_hidden or rules[0].last_card == PAYS else payoffs[0]


@kernel
def _set_up(observation: Observation, hand: int, game: GameRecord) -> None:
    """Give the viewer, seat 0, control and a hand, and the opponents any cards, as many as they hold."""
    game.hands[0] = hand
    for i in range(NUM_OPPONENTS):
        game.hands[i + 1] = (1 << observation.left[i]) - 1
    game.player = game.table = game.beat = game.passes = game.passed = 0
    game.ply, game.winner = NUM_PLAYERS, -1


@kernel
def _last_play(
    rules: RuleTable, observation: Observation, move: int, game: GameRecord, legal: Int64Array, hands: Int64Array
) -> int:
    """Return the last play of a proof that a move wins; 0 without one."""
    if move == 0 or (observation.ply == 0 and rules.instant_wins != 0):  # the deal may have decided the game
        return 0
    if max(observation.places) != 0:  # another seat has won
        return 0
    hands[0], count, done = observation.hand & ~move, 1, 0
    if hands[0] == 0:
        return move
    if not _is_safe(rules, observation, move):
        return 0
    while done < count:
        _set_up(observation, hands[done], game)
        for i in range(legal_moves(rules, game, hands[done], legal)):
            left = hands[done] & ~legal[i]
            if left == 0:
                return legal[i]
            if count < MOST_HANDS and left not in hands[:count] and _is_safe(rules, observation, legal[i]):
                hands[count] = left
                count += 1
        done += 1
    return 0


@kernel
def _is_safe(rules: RuleTable, observation: Observation, move: int) -> bool:
    """Return whether no opponent can answer a move."""
    return popcount(move) > max(observation.left) or not can_answer(rules, observation.others, move)
