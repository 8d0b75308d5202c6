"""The view that a seat has of one game, by name and in words.

A kernel writes it as whole numbers into one array: reading the fields of a record one by one takes longer.
"""

from typing import Any

from rlcard_catch5.cards import NAMES, SUITS, format_cards
from rlcard_catch5.engine.observation import Observations, observe
from rlcard_catch5.engine.state import NOTHING, NUM_PLAYERS, NUM_TRICKS, Games
from rlcard_catch5.rules import MOST_BID
from rlcard_kit.arrays import Int64Array
from rlcard_kit.deck import popcount
from rlcard_kit.jit import kernel

# By number; an event to come has the number -1, and so the last entry.
CARDS_OR_NONE = (*NAMES, '')
SEATS_OR_NONE = (*range(NUM_PLAYERS), None)
BIDS_OR_NONE = (*range(MOST_BID + 1), None)
TRUMPS_OR_NONE = (*SUITS.upper(), None)

NUM_SINGLE = 8  # numbers before the lists
BY_SEAT = [slice(NUM_SINGLE + i * NUM_PLAYERS, NUM_SINGLE + (i + 1) * NUM_PLAYERS) for i in range(5)]
PLAYED, LEFT, BIDS, TRICK, DRAWN = BY_SEAT
POINTS = slice(DRAWN.stop, DRAWN.stop + 2)
VIEW_SIZE = POINTS.stop + NUM_TRICKS


def describe(games: Games, seat: int, packed: Observations, scratch: Int64Array) -> dict[str, Any]:
    """Describe a seat's observation of one game, [1] of GAME, and write it packed into `packed`, [1] of OBSERVATION.

    `scratch` is int64 [VIEW_SIZE].
    """
    write_view(games, seat, packed, scratch)
    numbers: list[int] = scratch.tolist()
    hand, thrown, dead, dealer, bidder, trump, leader, tricks = numbers[:NUM_SINGLE]
    return {
        'current_hand': format_cards(hand),
        'thrown_cards': format_cards(thrown),
        'num_cards_left': numbers[LEFT],
        'played_cards': [format_cards(mask) for mask in numbers[PLAYED]],
        'bids': [BIDS_OR_NONE[bid] for bid in numbers[BIDS]],
        'trick': [CARDS_OR_NONE[card] for card in numbers[TRICK]],
        'dealer': dealer,
        'bidder': SEATS_OR_NONE[bidder],
        'trump': TRUMPS_OR_NONE[trump],
        'leader': SEATS_OR_NONE[leader],
        'points': numbers[POINTS],
        'trick_winners': numbers[POINTS.stop : POINTS.stop + tricks],
        'num_cards_lacked': numbers[DRAWN],
        'dead_cards': format_cards(dead),
    }


@kernel
def write_view(games: Games, seat: int, packed: Observations, out: Int64Array) -> None:
    """Write a seat's observation of one game into `packed`, and into `out`, int64 [VIEW_SIZE], for `describe`."""
    game = games[0]
    observe(game, seat, packed[0])
    out[0] = game.hands[seat]
    out[1] = game.thrown[seat]
    out[2] = game.dead
    out[3] = game.dealer
    out[4] = game.bidder
    out[5] = game.trump
    out[6] = game.leader
    end = NUM_SINGLE
    for i in range(NUM_PLAYERS):
        out[end + i] = game.played[i]
        out[end + NUM_PLAYERS + i] = popcount(game.hands[i])
        out[end + 2 * NUM_PLAYERS + i] = game.bids[i]
        out[end + 3 * NUM_PLAYERS + i] = game.trick[i]
        out[end + 4 * NUM_PLAYERS + i] = game.drawn[i]
    end += 5 * NUM_PLAYERS
    out[end] = game.points[0]
    out[end + 1] = game.points[1]
    out[7] = 0
    for i in range(NUM_TRICKS):
        out[end + 2 + i] = game.winners[i]
        out[7] += game.winners[i] != NOTHING
