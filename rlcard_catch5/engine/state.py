"""The state of games, one record each, and the deals that they start from.

N games are an array [N] of dtype GAME; kernels take one record, `games[i]`.
"""

from typing import Annotated, Protocol

import numpy as np
from numpy.typing import NDArray

from rlcard_catch5.cards import NUM_CARDS
from rlcard_kit.arrays import Int8Array, Int64Array, record_dtype
from rlcard_kit.jit import kernel
from rlcard_kit.rng import Stream, below, next_random

NUM_PLAYERS, NUM_TEAMS = 4, 2
DEALT = 9  # cards to a seat
HAND_SIZE = 6  # after the refill
STOCK_SIZE = NUM_CARDS - NUM_PLAYERS * DEALT  # 16
MOST_STOCK = 28  # size of a given stock: the undealt cards, and trumps that went back
NUM_TRICKS = HAND_SIZE
CARDS_PLAYED = NUM_PLAYERS * HAND_SIZE
TRUMP_PLY = NUM_PLAYERS  # after the bids
FIRST_CARD_PLY = TRUMP_PLY + 1
NUM_PLIES = FIRST_CARD_PLY + CARDS_PLAYED  # 29, always
NOTHING = -1  # not bid, not named, not played; of a deal: to be drawn


class DealRecord(Protocol):
    """Chance events of a game, a record of DEAL: the cards, and a random word for the refill."""

    hands: Annotated[Int64Array, np.int64, NUM_PLAYERS]
    """Mask of the nine cards of each seat; the others are the stock."""
    word: Annotated[NDArray[np.uint64], np.uint64, (1,)]
    """The stream that the refill draws from."""
    dealer: Annotated[int, np.int8]
    """Seat."""
    redeal: Annotated[Int8Array, np.int8, MOST_STOCK]
    """The stock as shuffled for the refill, dealt from its end, -1 after it; all -1 if the refill shuffles."""
    leftover: Annotated[Int8Array, np.int8, HAND_SIZE]
    """In which order a seat that takes the trumps left keeps its other cards, likewise."""


class GameRecord(Protocol):
    """The state of one game, a record of GAME."""

    hands: Annotated[Int64Array, np.int64, NUM_PLAYERS]
    """Mask of each seat's cards."""
    played: Annotated[Int64Array, np.int64, NUM_PLAYERS]
    """Mask of the cards that each seat has played."""
    thrown: Annotated[Int64Array, np.int64, NUM_PLAYERS]
    """Mask of the cards that each seat discarded at the refill; some may have been dealt again."""
    stock: Annotated[int, np.int64]
    """Mask of the cards that nobody holds or has thrown; those dead are not among them."""
    dead: Annotated[int, np.int64]
    """Mask of the trumps beyond six that are out of play, for everyone to see."""
    word: Annotated[NDArray[np.uint64], np.uint64, (1,)]
    """The stream that the refill draws from."""
    redeal: Annotated[Int8Array, np.int8, MOST_STOCK]
    """As in `DealRecord`; after the refill, the order that was used."""
    leftover: Annotated[Int8Array, np.int8, HAND_SIZE]
    """As in `DealRecord`; likewise, if trumps were left."""
    order: Annotated[Int8Array, np.int8, CARDS_PLAYED]
    """The cards in the order in which they were played, -1 after the last."""
    winners: Annotated[Int8Array, np.int8, NUM_TRICKS]
    """The seat that won each trick; -1: not yet."""
    bids: Annotated[Int8Array, np.int8, NUM_PLAYERS]
    """Of each seat: 0 for a pass, -1 before it."""
    trick: Annotated[Int8Array, np.int8, NUM_PLAYERS]
    """Of each seat: the card in this trick, -1 for none."""
    drawn: Annotated[Int8Array, np.int8, NUM_PLAYERS]
    """Of each seat: how many cards it lacked after throwing, which everyone sees."""
    points: Annotated[Int8Array, np.int8, NUM_TEAMS]
    """Points taken by each team: seats 0 and 2, seats 1 and 3."""
    dealer: Annotated[int, np.int8]
    """Seat."""
    bidder: Annotated[int, np.int8]
    """The seat that won the auction so far; -1: nobody has bid."""
    trump: Annotated[int, np.int8]
    """Suit; -1 before it is named."""
    leader: Annotated[int, np.int8]
    """The seat that leads to this trick; -1 before the first."""
    player: Annotated[int, np.int8]
    """Seat to move."""
    ply: Annotated[int, np.int8]
    """Moves made; the game ends with the 29th."""


DEAL, GAME = record_dtype(DealRecord), record_dtype(GameRecord)
Deals = NDArray[np.void]  # [D] of DEAL
Games = NDArray[np.void]  # [N] of GAME


@kernel
def shuffle_deal(random: Stream, deal: DealRecord) -> None:
    """Deal at random: a dealer, nine cards to each seat, and a word for the refill."""
    deck = np.arange(NUM_CARDS)
    for seat in range(NUM_PLAYERS):
        deal.hands[seat] = 0
        for i in range(seat * DEALT, (seat + 1) * DEALT):
            j = i + below(random, NUM_CARDS - i)
            deck[i], deck[j] = deck[j], deck[i]
            deal.hands[seat] |= 1 << deck[i]
    deal.dealer = below(random, NUM_PLAYERS)
    deal.word[0] = np.uint64(next_random(random)) << np.uint64(32) | np.uint64(next_random(random))
    deal.redeal[:] = NOTHING
    deal.leftover[:] = NOTHING


@kernel
def start(game: GameRecord, deal: DealRecord) -> None:
    """Begin a game with a deal; the seat after the dealer is to bid."""
    stock = (1 << NUM_CARDS) - 1
    for seat in range(NUM_PLAYERS):
        game.hands[seat] = deal.hands[seat]
        stock &= ~deal.hands[seat]
        game.played[seat] = 0
        game.thrown[seat] = 0
    game.stock = stock
    game.dead = 0
    game.word[0] = deal.word[0]
    game.redeal[:] = deal.redeal
    game.leftover[:] = deal.leftover
    game.order[:] = NOTHING
    game.winners[:] = NOTHING
    game.bids[:] = NOTHING
    game.trick[:] = NOTHING
    game.drawn[:] = 0
    game.points[:] = 0
    game.dealer = deal.dealer
    game.bidder = NOTHING
    game.trump = NOTHING
    game.leader = NOTHING
    game.player = (deal.dealer + 1) % NUM_PLAYERS
    game.ply = 0


def new_games(count: int) -> Games:
    """Allocate games that are over before they began: `start` makes them playable."""
    games = np.zeros(count, GAME)
    games['ply'] = NUM_PLIES
    return games
