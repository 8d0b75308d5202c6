"""Observations of a seat: a packed record, and its features, the 504 of the published program and then its own.

A packed observation is a record of OBSERVATION. `unpack` writes the features; LAYOUT lists them in order, each with its
size. Seats are relative to the viewer: 0 itself, then next, partner and previous in the order of play.

The published features lack much that is public: who deals, who won a tied auction, the points taken, who won which
trick, and when a card was played. OWN_LAYOUT adds it, and the viewer's own thrown cards. With the cards of each trick
and its winner, the order of play is known to the last card.
"""

from typing import Annotated, Protocol

import numpy as np
from numpy.typing import NDArray

from rlcard_catch5.actions import BID_SHIFT, FIRST_TRUMP
from rlcard_catch5.cards import NUM_CARDS, NUM_SUITS
from rlcard_catch5.engine.state import HAND_SIZE, NOTHING, NUM_PLAYERS, NUM_TEAMS, NUM_TRICKS, GameRecord
from rlcard_catch5.rules import MOST_BID
from rlcard_kit.arrays import Feature, Int8Array, Int64Array, record_dtype
from rlcard_kit.deck import popcount
from rlcard_kit.jit import kernel

OPPONENTS = ('next', 'partner', 'previous')
SEATS = ('itself', *OPPONENTS)
PAST_TRICKS = NUM_TRICKS - 1  # those over at a decision


class Observation(Protocol):
    """Observation of one seat, a record of OBSERVATION; masks are of cards, seats relative to it."""

    hand: Annotated[int, np.int64]
    """Its own cards."""
    thrown: Annotated[int, np.int64]
    """The cards that it discarded at the refill."""
    dead: Annotated[int, np.int64]
    """Trumps that are out of play for everyone to see."""
    played: Annotated[Int64Array, np.int64, NUM_PLAYERS]
    """The cards that each seat has played."""
    tricks: Annotated[Int64Array, np.int64, PAST_TRICKS]
    """The cards of each trick that is over; 0 for the others."""
    winners: Annotated[Int8Array, np.int8, PAST_TRICKS]
    """The seat that won each of them; -1 for the others."""
    bids: Annotated[Int8Array, np.int8, NUM_PLAYERS]
    """Of each seat: 0 for a pass, -1 before it."""
    trick: Annotated[Int8Array, np.int8, NUM_PLAYERS]
    """Of each seat: the card in this trick, -1 for none."""
    drawn: Annotated[Int8Array, np.int8, NUM_PLAYERS]
    """Of each seat: how many cards it lacked after throwing."""
    points: Annotated[Int8Array, np.int8, NUM_TEAMS]
    """Points taken by its own team and by the other."""
    dealer: Annotated[int, np.int8]
    """Seat."""
    bidder: Annotated[int, np.int8]
    """The seat that won the auction so far; -1: nobody has bid."""
    trump: Annotated[int, np.int8]
    """Suit; -1 before it is named."""
    leader: Annotated[int, np.int8]
    """The seat that leads to this trick; -1 before the first."""
    mover: Annotated[int, np.int8]
    """The seat to move."""
    ply: Annotated[int, np.int64]
    """Moves made."""


OBSERVATION = record_dtype(Observation)
Observations = NDArray[np.void]  # [N] of OBSERVATION


PUBLISHED_LAYOUT = (
    *(Feature(f'{who}: bid, one-hot: pass, 3 to 9', FIRST_TRUMP) for who in SEATS),
    Feature('trumps, one-hot: clubs, diamonds, hearts, spades', NUM_SUITS),
    *(Feature(f'{who}: card in this trick', NUM_CARDS) for who in SEATS),
    Feature('own hand', NUM_CARDS),
    *(Feature(f"{who}: cards played, this trick's included", NUM_CARDS) for who in SEATS),
)
OWN_LAYOUT = (
    Feature('dealer, one-hot by seat', NUM_PLAYERS),
    Feature('winner of the auction so far, one-hot by seat', NUM_PLAYERS),
    Feature('leader of this trick, one-hot by seat', NUM_PLAYERS),
    Feature('own thrown cards', NUM_CARDS),
    Feature('dead trumps', NUM_CARDS),
    *(Feature(f'{who}: cards lacked after throwing, one-hot from 0', HAND_SIZE + 1) for who in SEATS),
    *(Feature(f'points taken by {whose} team, one-hot from 0', MOST_BID + 1) for whose in ('its own', 'the other')),
    *(Feature(f'trick {i + 1}: its cards, once it is over', NUM_CARDS) for i in range(PAST_TRICKS)),
    *(Feature(f'trick {i + 1}: its winner, one-hot by seat', NUM_PLAYERS) for i in range(PAST_TRICKS)),
)
LAYOUT = PUBLISHED_LAYOUT + OWN_LAYOUT

PUBLISHED_SIZE = sum(feature.size for feature in PUBLISHED_LAYOUT)  # 504
OBSERVATION_SIZE = sum(feature.size for feature in LAYOUT)


def new_observations(count: int) -> Observations:
    """Allocate packed observations, [count] of OBSERVATION."""
    return np.ndarray(count, OBSERVATION, bytearray(count * OBSERVATION.itemsize))  # three times as fast as np.empty


@kernel
def observe(game: GameRecord, seat: int, out: Observation) -> None:
    """Write the observation of `seat` into `out`, whether or not it is to move."""
    out.hand = game.hands[seat]
    out.thrown = game.thrown[seat]
    out.dead = game.dead
    for i in range(NUM_PLAYERS):
        other = (seat + i) % NUM_PLAYERS
        out.played[i] = game.played[other]
        out.bids[i] = game.bids[other]
        out.trick[i] = game.trick[other]
        out.drawn[i] = game.drawn[other]
    for i in range(PAST_TRICKS):
        out.winners[i] = _relative(game.winners[i], seat)
        out.tricks[i] = 0
        if game.winners[i] != NOTHING:
            for card in game.order[i * NUM_PLAYERS : (i + 1) * NUM_PLAYERS]:
                out.tricks[i] |= 1 << card
    for i in range(NUM_TEAMS):
        out.points[i] = game.points[(seat + i) % NUM_TEAMS]
    out.dealer = _relative(game.dealer, seat)
    out.bidder = _relative(game.bidder, seat)
    out.leader = _relative(game.leader, seat)
    out.mover = _relative(game.player, seat)
    out.trump = game.trump
    out.ply = game.ply


@kernel
def _relative(other: int, seat: int) -> int:
    return (other - seat) % NUM_PLAYERS if other != NOTHING else NOTHING


@kernel
def unpack(observation: Observation, out: Int8Array) -> None:
    """Write a packed observation as zeros and ones into `out`, int8 [948], in the order of LAYOUT."""
    out[:] = 0
    unpack_own(observation, out, unpack_published(observation, out))


@kernel
def unpack_published(observation: Observation, out: Int8Array) -> int:
    """Set the ones of the 504 published features in `out`, zeros [504] or more; return their number, 504."""
    end = 0
    for bid in observation.bids:
        end = _append_one(out, end, 0 if bid == 0 else bid - BID_SHIFT, FIRST_TRUMP)
    end = _append_one(out, end, observation.trump, NUM_SUITS)
    for card in observation.trick:
        end = _append_one(out, end, card, NUM_CARDS)
    end = append_cards(out, end, observation.hand)
    for mask in observation.played:
        end = append_cards(out, end, mask)
    return end


@kernel
def unpack_own(observation: Observation, out: Int8Array, end: int) -> int:
    """Set the ones of OWN_LAYOUT in `out`, from index `end`; return the index after them."""
    for seat in (observation.dealer, observation.bidder, observation.leader):
        end = _append_one(out, end, seat, NUM_PLAYERS)
    end = append_cards(out, end, observation.thrown)
    end = append_cards(out, end, observation.dead)
    for count in observation.drawn:
        end = _append_one(out, end, count if observation.leader != NOTHING else NOTHING, HAND_SIZE + 1)
    for points in observation.points:
        end = _append_one(out, end, points, MOST_BID + 1)
    for mask in observation.tricks:
        end = append_cards(out, end, mask)
    for winner in observation.winners:
        end = _append_one(out, end, winner, NUM_PLAYERS)
    return end


@kernel
def _append_one(out: Int8Array, start: int, index: int, size: int) -> int:
    """Set the feature at an index of a block of that size; none if the index is negative."""
    if index >= 0:
        out[start + index] = 1
    return start + size


@kernel
def append_cards(out: Int8Array, start: int, mask: int) -> int:
    """Set the features of the cards of a mask, a block of 52."""
    while mask != 0:
        out[start + popcount((mask & -mask) - 1)] = 1
        mask &= mask - 1
    return start + NUM_CARDS
