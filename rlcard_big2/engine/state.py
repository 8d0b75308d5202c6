"""The state of games, one record each: start, play, settle.

N games are an array [N] of dtype GAME; kernels take one record, `games[i]`. With fewer than four players the last
seats hold nothing and never move.
"""

from typing import Annotated, Protocol

import numpy as np
from numpy.typing import NDArray

from rlcard_big2.cards import FULL_DECK, NUM_CARDS, RANKS
from rlcard_big2.engine.actions import (
    FOUR,
    FOUR_KICKER,
    FULL_HOUSE,
    STRAIGHT,
    STRAIGHT_FLUSH,
    STRAIGHT_SETS,
    STRAIGHT_STARTS,
)
from rlcard_big2.engine.bitboard import all_ranks, popcount
from rlcard_big2.engine.moves import answers, count_bombs
from rlcard_big2.engine.ruleset import ANY, DRAGON, HIGHEST, HOLDING, PAIRS, PAYS, TWOS, RuleTable, kind_of, strength
from rlcard_kit.arrays import Int64Array, record_dtype
from rlcard_kit.jit import kernel
from rlcard_kit.rng import Stream, below

NUM_PLAYERS = 4  # at most
HAND_SIZE = 13  # of four players
HISTORY = 16  # moves remembered
OPENING_CARD = 1  # if all cards are in play
HIGHEST_CARD = FULL_DECK + 1 >> 1
ALL_RANKS = (1 << len(RANKS)) - 1
WHEEL = STRAIGHT_SETS[STRAIGHT_STARTS.index('A')]  # A2345
TWO = len(RANKS) - 1
FACE_VALUES = np.array([3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 1, 2], np.int64)  # [13], by rank
RUNNING, UNDECLARED = -1, -2  # winners of games that last
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
    places: Annotated[Int64Array, np.int64, NUM_PLAYERS]
    """Place of each seat that is out, from 1; 0 for the others, and under rules without places."""
    winner: Annotated[int, np.int64]
    """Seat, or RUNNING until the game ends; UNDECLARED if it also cannot be won by the deal, which is a guess."""


GAME = record_dtype(GameRecord)
Games = NDArray[np.void]  # [N] of GAME


@kernel
def shuffle_hands(rules: RuleTable, random: Stream, hands: Int64Array) -> None:
    """Deal a pack at random into masks, int64 [players]."""
    count = popcount(rules.pack)
    deck, dealt = np.arange(NUM_CARDS - count, NUM_CARDS), 0
    for seat in range(hands.size):
        mask = 0
        for i in range(dealt, dealt + rules.hand_size):
            j = i + below(random, count - i)
            deck[i], deck[j] = deck[j], deck[i]
            mask |= 1 << deck[i]
        hands[seat] = mask
        dealt += rules.hand_size
    if rules.to_opener:
        opener = find_opener(rules, hands)
        for card in deck[dealt:]:
            hands[opener] |= 1 << card


@kernel
def find_opener(rules: RuleTable, hands: Int64Array) -> int:
    """Return the seat that leads first, by the rules or as the holder of the lowest of masks, int64 [players]."""
    if rules.leader >= 0:
        return rules.leader
    opener = 0
    for seat in range(1, hands.size):
        if hands[seat] & -hands[seat] < hands[opener] & -hands[opener]:
            opener = seat
    return opener


@kernel
def start(rules: RuleTable, game: GameRecord, hands: Int64Array) -> None:
    """Begin a game with the given masks, int64 [players]."""
    for seat in range(NUM_PLAYERS):
        game.hands[seat] = hands[seat] if seat < hands.size else 0
    game.played[:] = 0
    game.kinds[:] = 0
    game.history[:] = 0
    game.places[:] = 0
    game.player = find_opener(rules, hands)
    game.ply = game.table = game.beat = game.passes = game.passed = 0
    game.winner = RUNNING


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
    hand = game.hands[game.player]
    is_stuck = hand == 0 or (rules.no_lone_two != 0 and hand == HIGHEST_CARD)
    n = 0
    if not is_stuck and (rules.final_pass == 0 or game.passed >> game.player & 1 == 0):
        n = answers(rules, cards, game.beat, out)
    if game.ply == 0:
        n = _keep_openings(rules, hand & -hand, out, n)
    has_choice = n > 0 and (game.ply > 0 or rules.opening == ANY)  # else the one legal single is the lowest card
    if has_choice and rules.last_card == HIGHEST and popcount(game.hands[_next_seat(rules, game)]) == 1:
        n = _keep_highest_single(hand, out, n)
    if game.table != 0 or is_stuck:
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
def _keep_openings(rules: RuleTable, lowest: int, moves: Int64Array, n: int) -> int:
    """Move those of the first n moves that may open to the front and return their number; `lowest` is a card's mask."""
    kept = 0
    for i in range(n):
        holds = rules.opening == HOLDING and moves[i] & lowest != 0
        if holds or rules.opening == ANY or moves[i] == lowest:
            moves[kept] = moves[i]
            kept += 1
    return kept


@kernel
def _next_seat(rules: RuleTable, game: GameRecord) -> int:
    """Return the seat after the one to move, without those that are out or whose pass is final."""
    seat = wrap(game.player + 1, rules.players)
    while game.hands[seat] == 0 or (rules.final_pass != 0 and game.passed >> seat & 1):
        seat = wrap(seat + 1, rules.players)
    return seat


@kernel
def wrap(seat: int, players: int) -> int:
    """Return a seat counted beyond the last one, or before seat 0, as a seat; quicker than a remainder."""
    return seat - players if seat >= players else seat + players if seat < 0 else seat


@kernel
def _keep_highest_single(hand: int, moves: Int64Array, n: int) -> int:
    """Drop the singles among the first n moves that are not the highest card of the hand; return how many are left."""
    kept = 0
    for i in range(n):
        if moves[i] & moves[i] - 1 != 0 or hand < 2 * moves[i]:
            moves[kept] = moves[i]
            kept += 1
    return kept


@kernel
def play(rules: RuleTable, game: GameRecord, mask: int) -> None:
    """Make a legal move for the seat to move; `mask` 0 passes. Legality is the caller's to check."""
    seat = game.player
    game.history[game.ply % HISTORY] = mask
    game.ply += 1
    game.player = wrap(seat + 1, rules.players)
    if mask == 0:
        if game.table != 0:  # else the lead goes to the next seat
            game.passes += 1
            game.passed |= 1 << seat
        if game.passes == rules.players - 1:
            game.table = game.beat = game.passes = game.passed = 0
        return
    game.table, game.beat, game.passes = mask, strength(rules, mask), 0
    game.hands[seat] &= ~mask
    game.played[seat] |= mask
    game.kinds[seat] |= 1 << kind_of(game.beat)
    if game.hands[seat] == 0 and rules.places != 0:
        game.places[seat] = max(game.places) + 1
        if game.places[seat] == rules.players - 1:
            game.winner = _first_out(game)
    elif game.hands[seat] == 0:
        game.winner = seat
    elif rules.instant_wins != 0 and game.ply == 1 and game.winner == RUNNING:
        game.winner = _winner_by_deal(rules, game, seat)


@kernel
def _first_out(game: GameRecord) -> int:
    seat = 0
    while game.places[seat] != 1:
        seat += 1
    return seat


@kernel
def _winner_by_deal(rules: RuleTable, game: GameRecord, opener: int) -> int:
    """Return the first seat from the opener on that was dealt a hand that wins; RUNNING if there is none."""
    for i in range(rules.players):
        seat = wrap(opener + i, rules.players)
        if wins_by_deal(rules, game.hands[seat] | game.played[seat]):
            return seat
    return RUNNING


@kernel
def wins_by_deal(rules: RuleTable, dealt: int) -> bool:
    """Return whether a hand at the deal is one that wins."""
    is_dragon = rules.instant_wins & DRAGON != 0 and all_ranks(dealt) == ALL_RANKS
    return is_dragon or (rules.instant_wins & TWOS != 0 and dealt >> 4 * TWO == 15)


@kernel
def settle(rules: RuleTable, game: GameRecord, out: Int64Array) -> None:
    """Write each seat's payoff in units of one card, int64 [players]; zeros while the game lasts."""
    out[:] = 0
    if game.winner < 0:
        return
    if rules.places != 0:
        for seat in range(rules.players):
            place = game.places[seat] if game.places[seat] > 0 else rules.players
            out[seat] = rules.players + 1 - 2 * place
        return
    by_deal = game.hands[game.winner] != 0
    doublings = 0 if by_deal else _last_doublings(rules, game)
    for seat in range(rules.players):
        if seat != game.winner:
            out[seat] = -penalty(rules, game.hands[seat] | (game.played[seat] if by_deal else 0), doublings)
    if rules.last_card == PAYS and not by_deal:
        _charge(rules, game, out)
    out[game.winner] = -out.sum()
    if rules.settlement == PAIRS:
        for seat in range(rules.players):
            if seat != game.winner:
                out[seat] = out[game.winner] + rules.players * out[seat]


@kernel
def _last_doublings(rules: RuleTable, game: GameRecord) -> int:
    """Return how often the winner's last play doubles the penalties."""
    kind = kind_of(game.beat)
    bomb, two = kind in (FOUR, FOUR_KICKER, STRAIGHT_FLUSH), game.table >> 4 * TWO != 0
    if rules.final_play < 2:
        return rules.final_play * (bomb or two)
    if kind in (FULL_HOUSE, FOUR_KICKER):
        two = game.beat & 0xFFFF == TWO
    elif kind in (STRAIGHT, STRAIGHT_FLUSH):
        two = two and all_ranks(game.table) != WHEEL
    return bomb + two


@kernel
def _charge(rules: RuleTable, game: GameRecord, out: Int64Array) -> None:
    """Charge all losses to the seat before the winner if it holds a higher single than the last card has beaten."""
    seat, beaten = wrap(game.winner - 1, rules.players), 0
    for age in range(2, min(rules.players, game.ply) + 1):
        if beaten == 0:
            beaten = game.history[(game.ply - age) % HISTORY]
    if popcount(game.table) == 1 and beaten != 0 and game.hands[seat] > beaten:
        lost = out.sum()
        out[:] = 0
        out[seat] = lost


@kernel
def penalty(rules: RuleTable, hand: int, doublings: int) -> int:
    """Return a loser's payment for a hand, given how often the winner's last play doubles it."""
    left = popcount(hand)
    factor = 1
    for i in range(3):
        if left >= rules.thresholds[i]:
            factor = i + 2
    doublings += min(rules.unplayed_twos, popcount(hand >> 4 * TWO))
    if rules.unplayed_bombs != 0:
        doublings += min(rules.unplayed_bombs, count_bombs(rules, hand))
    factor = factor + doublings if rules.added_factors != 0 else factor << doublings
    return (_face_value(hand) if rules.face_values != 0 else left) * factor


@kernel
def _face_value(hand: int) -> int:
    value = 0
    for rank in range(len(FACE_VALUES)):
        value += FACE_VALUES[rank] * popcount(hand >> 4 * rank & 15)
    return value


def new_games(count: int) -> Games:
    """Allocate games that are over before they began: `start` makes them playable."""
    games = np.zeros(count, GAME)
    games['winner'] = 0
    return games
