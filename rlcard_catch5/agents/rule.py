"""The rule agent: it bids by the length and the honours of its best suit, and weighs each card that it may play.

A suit's worth is an estimate of the points that its team takes with it as trumps. The agent bids what its best suit is
worth, as low as the auction allows. In play, a card is worth the points that it wins or loses with the chance that its
team takes the trick, less what the card would be worth later: high trumps lead as long as they draw others, points go
to tricks that a partner is sure to win, and the five waits for one.
"""

import numpy as np
from typing_extensions import override

from rlcard_catch5.actions import BID_SHIFT, FIRST_CARD, FIRST_TRUMP, PASS
from rlcard_catch5.agents.base import Catch5Agent
from rlcard_catch5.cards import FULL_DECK, NUM_RANKS, NUM_SUITS
from rlcard_catch5.engine.observation import Observation, Observations
from rlcard_catch5.engine.state import NOTHING, NUM_PLAYERS, TRUMP_PLY
from rlcard_catch5.engine.tricks import points_of, strength, suit_cards, suit_of
from rlcard_kit.agents import Decision, Positions
from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.deck import popcount
from rlcard_kit.jit import kernel
from rlcard_kit.rng import Streams

# Worth of a suit in points: a constant, then for each trump, and more for each rank, the 2 first.
BASE = 0.5
LENGTH = 0.6
HONOURS = np.array([0.3, 0, 0, 0.7, 0, 0, 0, 0, 0.2, 0.3, 0.5, 0.9, 1.5])  # [13]
MARGIN = 0.0  # by which a suit must be worth more than its bid
PARTNER_MARGIN = 1.5  # more, to bid over a partner

# In points: what a trump is worth later, the 2 first, and a card of another suit by its rank.
LATER = np.array([0.5, 0.1, 0.1, 1.5, 0.15, 0.2, 0.25, 0.3, 0.6, 0.7, 0.5, 0.7, 1.0])  # [13]
SIDE_LATER = 0.02  # for each rank above the 2
DRAWN = 0.15  # the share of the points still out that each seat gives to a trick that trumps lead
SIDE_DRAWN = 0.05  # the same, of another suit
RUFF = 0.3  # the chance of an opponent to trump a trick of another suit


class RuleAgent(Catch5Agent):
    """Plays by rules of thumb, see the module."""

    @override
    def choose(self, positions: Positions, random: Streams) -> Decision:
        out = np.empty(len(positions.offsets) - 1, np.int64)
        choose_by_rules(positions.observations, positions.moves, positions.offsets, out)
        return Decision(out)


@kernel
def choose_by_rules(observations: Observations, moves: Int64Array, offsets: Int64Array, out: Int64Array) -> None:
    """Write the index of each game's best action into `out`, int64 [N]."""
    worths = np.empty(64)
    for i in range(out.size):
        first, count = offsets[i], offsets[i + 1] - offsets[i]
        legal = moves[first : first + count]
        if observations[i].ply < TRUMP_PLY:
            _weigh_bids(observations[i], legal, worths)
        elif observations[i].ply == TRUMP_PLY:
            for j in range(count):
                worths[j] = worth_of_suit(observations[i].hand, legal[j] - FIRST_TRUMP)
        else:
            for j in range(count):
                worths[j] = worth_of_card(observations[i], legal[j] - FIRST_CARD)
        out[i] = first + np.argmax(worths[:count])


@kernel
def worth_of_suit(hand: int, suit: int) -> float:
    """Estimate the points of a team with this suit as trumps, by the nine cards of one of its hands."""
    ranks = hand >> NUM_RANKS * suit & (1 << NUM_RANKS) - 1
    worth = BASE + LENGTH * popcount(ranks)
    for rank in range(NUM_RANKS):
        if ranks >> rank & 1:
            worth += HONOURS[rank]
    return worth


@kernel
def _weigh_bids(seen: Observation, bids: Int64Array, out: Float64Array) -> None:
    """Prefer the lowest bid if the best suit is worth it, else a pass; of bids only, the lowest."""
    best = 0.0
    for suit in range(NUM_SUITS):
        best = max(best, worth_of_suit(seen.hand, suit))
    highest = seen.bids[seen.bidder] if seen.bidder != NOTHING else 0
    best -= MARGIN + (PARTNER_MARGIN if seen.bidder == 2 else 0.0)
    for j in range(len(bids)):
        bid = bids[j] + BID_SHIFT
        if bids[j] == PASS:
            out[j] = 0.0
        elif bid < highest or (bid == highest and seen.dealer != 0):
            out[j] = -99.0  # under free bidding, as good as a pass
        else:
            out[j] = 99.0 - bid if bid <= best else -bid


@kernel
def worth_of_card(seen: Observation, card: int) -> float:
    """Return the value of playing a card, in points."""
    trump = seen.trump
    led = suit_of(seen.trick[seen.leader]) if seen.leader != 0 else suit_of(card)
    best, best_seat, at_stake = strength(card, led, trump), 0, points_of(card, trump)
    later_seats = 0
    for seat in range(1, NUM_PLAYERS):
        other = seen.trick[seat]
        if other == NOTHING:
            later_seats += 1
            continue
        at_stake += points_of(other, trump)
        rated = strength(other, led, trump)
        if rated > best:
            best, best_seat = rated, seat
    unseen = _unseen(seen)
    chance = _chance(seen, unseen, led, best, best_seat % 2 == 0, later_seats)
    share = DRAWN if led == trump else SIDE_DRAWN
    at_stake_later = share * later_seats * _points_out(unseen, trump)
    return (2.0 * chance - 1.0) * (at_stake + at_stake_later) - _later(card, trump)


@kernel
def _unseen(seen: Observation) -> int:
    """Return the mask of the cards that others may hold."""
    known = seen.hand | seen.thrown | seen.dead
    for mask in seen.played:
        known |= mask
    return FULL_DECK & ~known


@kernel
def _points_out(unseen: int, trump: int) -> int:
    """Return the points in trumps that others hold."""
    total = 0
    cards = unseen & suit_cards(trump)
    while cards != 0:
        total += points_of(popcount((cards & -cards) - 1), trump)
        cards &= cards - 1
    return total


@kernel
def _chance(seen: Observation, unseen: int, led: int, best: int, is_ours: bool, later_seats: int) -> float:
    """Estimate the chance that our team takes the trick, given the best card in it so far and who has yet to play."""
    opponents = (later_seats + 1) // 2  # the next seat is one, the one after it the partner
    partners = later_seats // 2
    higher_trumps = _higher(unseen, seen.trump, best - NUM_RANKS - 1)
    beaten_by_them = (
        _holds(higher_trumps, opponents) if led == seen.trump else _beats(unseen, seen, led, best, opponents)
    )
    beaten_by_us = _holds(higher_trumps, partners) if led == seen.trump else _beats(unseen, seen, led, best, partners)
    if is_ours:
        return 1.0 - beaten_by_them * (1.0 - 0.5 * beaten_by_us)
    return beaten_by_us * (1.0 - 0.5 * beaten_by_them)


@kernel
def _higher(unseen: int, suit: int, rank: int) -> int:
    """Count the unseen cards of a suit above a rank; all of them if that is negative."""
    ranks = unseen >> NUM_RANKS * suit & (1 << NUM_RANKS) - 1
    return popcount(ranks >> rank + 1) if rank >= 0 else popcount(ranks)


@kernel
def _holds(count: int, seats: int) -> float:
    """Return the chance that some of a number of the other three seats holds one of `count` cards that they hold."""
    return 1.0 - ((NUM_PLAYERS - 1 - seats) / (NUM_PLAYERS - 1)) ** count


@kernel
def _beats(unseen: int, seen: Observation, led: int, best: int, seats: int) -> float:
    """Return the chance that some of a number of seats beats the best card of a trick that another suit has led."""
    if seats == 0:
        return 0.0
    if best > NUM_RANKS:
        return RUFF * _holds(_higher(unseen, seen.trump, best - NUM_RANKS - 1), seats)
    by_suit = 0.3 * _holds(_higher(unseen, led, best - 1), seats)  # most of the suit is in nobody's hand
    by_trump = RUFF * _holds(_higher(unseen, seen.trump, NOTHING), seats)
    return 1.0 - (1.0 - by_suit) * (1.0 - by_trump)


@kernel
def _later(card: int, trump: int) -> float:
    """Return the value of a card later in the game."""
    rank = card % NUM_RANKS
    return LATER[rank] if card // NUM_RANKS == trump else SIDE_LATER * rank
