"""The state of games, one record each: start, play, settle.

N games are an array [N] of dtype GAME; kernels take one record, `games[i]`.
"""

from typing import Annotated, Protocol

import numpy as np
from numpy.typing import NDArray

from rlcard_big2.engine.actions import FOUR, FOUR_KICKER, STRAIGHT_FLUSH
from rlcard_big2.engine.bitboard import popcount
from rlcard_big2.engine.moves import answers, has_bomb
from rlcard_big2.engine.ruleset import ANY, HOLDING, RuleTable, strength
from rlcard_kit.arrays import Int64Array
from rlcard_kit.dtypes import record_dtype
from rlcard_kit.jit import kernel
from rlcard_kit.rng import Stream, below

NUM_PLAYERS = 4
HAND_SIZE = 13
HISTORY = 16  # moves remembered
OPENING_CARD = 1
MOST_CARDS = 5  # of a combination
MOST_IN_MOVE = 32  # moves that so few cards can make, the pass included


class GameRecord(Protocol):
    """The state of one game, a record of GAME."""

    hands: Annotated[Int64Array, np.int64, NUM_PLAYERS]
    """Mask of each seat's cards."""
    played: Annotated[Int64Array, np.int64, NUM_PLAYERS]
    """Mask of what each seat has played."""
    kinds: Annotated[Int64Array, np.int64, NUM_PLAYERS]
    """Bit set of the kinds that each seat has played."""
    history: Annotated[Int64Array, np.int64, HISTORY]
    """Mask of move m at m % HISTORY; 0 for a pass."""
    ply: Annotated[int, np.int64]
    """Moves made, passes included."""
    player: Annotated[int, np.int64]
    """Seat to move."""
    table: Annotated[int, np.int64]
    """Mask of the combination to beat, 0 with control."""
    beat: Annotated[int, np.int64]
    """Its strength, 0 with control."""
    passes: Annotated[int, np.int64]
    """Passes since it was played."""
    passed: Annotated[int, np.int64]
    """Bit set of the seats that passed since the trick began."""
    winner: Annotated[int, np.int64]
    """Seat, or -1 until the game ends."""


GAME = record_dtype(GameRecord)
Games = NDArray[np.void]  # [N] of GAME


@kernel
def shuffle_hands(random: Stream, hands: Int64Array) -> None:
    """Deal 52 cards at random into four masks, int64 [4]."""
    deck = np.arange(52)
    for seat in range(NUM_PLAYERS):
        hands[seat] = 0
        for i in range(seat * HAND_SIZE, (seat + 1) * HAND_SIZE):
            j = i + below(random, 52 - i)
            deck[i], deck[j] = deck[j], deck[i]
            hands[seat] |= 1 << deck[i]


@kernel
def start(game: GameRecord, hands: Int64Array) -> None:
    """Begin a game with the given masks, int64 [4]; the holder of the lowest card is to move."""
    game.hands[:] = hands
    game.played[:] = 0
    game.kinds[:] = 0
    game.history[:] = 0
    for seat in range(NUM_PLAYERS):
        if hands[seat] & OPENING_CARD:
            game.player = seat
    game.ply = game.table = game.beat = game.passes = game.passed = 0
    game.winner = -1


@kernel
def legal_moves(rules: RuleTable, game: GameRecord, cards: int, out: Int64Array) -> int:
    """List the legal moves that the seat to move can make of some of its cards, ascending by action id.

    Args:
        rules: to play by.
        game: any.
        cards: mask; all that the seat holds, for all its legal moves.
        out: int64 [MAX_LEGAL], receives masks; a pass is 0 and last.

    Returns:
        How many were written; 0 after the end.
    """
    if game.winner >= 0:
        return 0
    n = 0
    if rules.final_pass == 0 or game.passed >> game.player & 1 == 0:
        n = answers(rules, cards, game.beat, out)
    if game.ply == 0:
        n = _keep_openings(rules, out, n)
    if game.table != 0:
        out[n] = 0
        n += 1
    return n


@kernel
def is_legal(rules: RuleTable, game: GameRecord, mask: int, scratch: Int64Array) -> bool:
    """Return whether the seat to move may play these cards, or pass (0), were they its whole hand.

    `scratch` is int64 [MOST_IN_MOVE].
    """
    if mask & ~game.hands[game.player] != 0 or popcount(mask) > MOST_CARDS:
        return False
    return mask in scratch[: legal_moves(rules, game, mask, scratch)]


@kernel
def _keep_openings(rules: RuleTable, moves: Int64Array, n: int) -> int:
    """Move those of the first n moves that may open to the front and return their number."""
    kept = 0
    for i in range(n):
        holds = rules.opening == HOLDING and moves[i] & OPENING_CARD != 0
        if holds or rules.opening == ANY or moves[i] == OPENING_CARD:
            moves[kept] = moves[i]
            kept += 1
    return kept


@kernel
def play(rules: RuleTable, game: GameRecord, mask: int) -> None:
    """Make a legal move for the seat to move; `mask` 0 passes. Legality is the caller's to check."""
    seat = game.player
    game.history[game.ply % HISTORY] = mask
    game.ply += 1
    game.player = (seat + 1) % NUM_PLAYERS
    if mask == 0:
        game.passes += 1
        game.passed |= 1 << seat
        if game.passes == NUM_PLAYERS - 1:
            game.table = game.beat = game.passes = game.passed = 0
        return
    game.table, game.beat, game.passes = mask, strength(rules, mask), 0
    game.hands[seat] &= ~mask
    game.played[seat] |= mask
    game.kinds[seat] |= 1 << (game.beat >> 16)
    if game.hands[seat] == 0:
        game.winner = seat


@kernel
def settle(rules: RuleTable, game: GameRecord, out: Int64Array) -> None:
    """Write each seat's payoff in units of one card, int64 [4]; zeros while the game lasts."""
    out[:] = 0
    if game.winner < 0:
        return
    is_special = game.beat >> 16 in (FOUR, FOUR_KICKER, STRAIGHT_FLUSH) or game.table >> 48 != 0
    factor = 2 if rules.final_play != 0 and is_special else 1
    for seat in range(NUM_PLAYERS):
        if seat != game.winner:
            paid = penalty(rules, game.hands[seat]) * factor
            out[seat] = -paid
            out[game.winner] += paid


@kernel
def penalty(rules: RuleTable, hand: int) -> int:
    """Return a loser's payment for a hand, without the winner's last play."""
    left = popcount(hand)
    factor = 1
    for i in range(3):
        if left >= rules.thresholds[i]:
            factor = i + 2
    if rules.unplayed_twos != 0:
        factor <<= popcount(hand >> 48)
    if rules.unplayed_bombs != 0 and has_bomb(rules, hand):
        factor *= 2
    return left * factor


def new_games(count: int) -> Games:
    """Allocate games that are over before they began: `start` makes them playable."""
    games = np.zeros(count, GAME)
    games['winner'] = 0
    return games
