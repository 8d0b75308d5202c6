"""Determinizations of the hidden cards: games that a seat cannot tell from its own, in which it is seat 0.

Everyone holds at least as many trumps as it is known to have kept, and no card of a suit that it failed to follow.
"""

import numpy as np

from rlcard_catch5.cards import FULL_DECK
from rlcard_catch5.engine.observation import PAST_TRICKS, Observation, Observations
from rlcard_catch5.engine.ruleset import RuleTables
from rlcard_catch5.engine.state import DEALT, HAND_SIZE, NOTHING, NUM_PLAYERS, STOCK_SIZE, GameRecord, Games
from rlcard_catch5.engine.tricks import suit_cards, suit_of
from rlcard_kit.arrays import Int64Array
from rlcard_kit.deck import lowest, popcount
from rlcard_kit.jit import kernel
from rlcard_kit.rng import Stream, Streams, below, next_random


@kernel
def sample_worlds(
    rules: RuleTables, observations: Observations, random: Streams, games: Games, dealt: Int64Array
) -> None:
    """Sample W determinizations of each of N observations.

    Args:
        rules: [1] from `tabulate`.
        observations: packed, [N], of seats to move.
        random: uint64 [N], each observation's own stream.
        games: [N * W] of GAME, receives them, those of an observation together.
        dealt: int64 [N * W, 4], receives the nine cards that each other seat was dealt in them.
    """
    barred, count = np.empty(NUM_PLAYERS, np.int64), len(games) // len(observations)
    for i in range(len(observations)):
        for j in range(i * count, (i + 1) * count):
            _write_public(observations[i], games[j])
            if observations[i].trump == NOTHING:
                _deal_before_refill(games[j], random[i : i + 1], dealt[j])
            else:
                _find_barred(rules[0].may_trump, games[j], barred)
                _deal_hands(observations[i], barred, random[i : i + 1], games[j])
                _deal_thrown(games[j], random[i : i + 1], dealt[j])


@kernel
def _write_public(seen: Observation, game: GameRecord) -> None:
    """Write all that the seat sees; other hands are empty."""
    for seat in range(NUM_PLAYERS):
        game.hands[seat] = game.thrown[seat] = 0
        game.played[seat] = seen.played[seat]
        game.bids[seat] = seen.bids[seat]
        game.trick[seat] = seen.trick[seat]
        game.drawn[seat] = seen.drawn[seat]
    game.hands[0], game.thrown[0], game.stock, game.dead = seen.hand, seen.thrown, 0, seen.dead
    game.redeal[:] = game.leftover[:] = game.order[:] = game.winners[:] = NOTHING
    game.points[:] = seen.points
    game.dealer, game.bidder, game.trump, game.leader = seen.dealer, seen.bidder, seen.trump, seen.leader
    game.player, game.ply = 0, seen.ply
    leader, count = seen.bidder, 0
    for i in range(PAST_TRICKS):
        if seen.winners[i] == NOTHING:
            break
        game.winners[i] = seen.winners[i]
        for j in range(NUM_PLAYERS):
            game.order[count] = lowest(seen.tricks[i] & seen.played[(leader + j) % NUM_PLAYERS])
            count += 1
        leader = seen.winners[i]
    for j in range(NUM_PLAYERS):
        card = seen.trick[(leader + j) % NUM_PLAYERS]
        if card != NOTHING:
            game.order[count] = card
            count += 1


@kernel
def draw_cards(cards: int, count: int, random: Stream) -> int:
    """Return that many cards of a mask, or all if it has fewer."""
    left = cards
    for _ in range(min(count, popcount(cards))):
        card = left
        for _ in range(below(random, popcount(left))):
            card &= card - 1
        left ^= card & -card
    return cards ^ left


@kernel
def _deal_before_refill(game: GameRecord, random: Stream, dealt: Int64Array) -> None:
    rest = FULL_DECK & ~game.hands[0]
    for seat in range(1, NUM_PLAYERS):
        game.hands[seat] = dealt[seat] = draw_cards(rest, DEALT, random)
        rest ^= game.hands[seat]
    game.stock = rest
    game.word[0] = np.uint64(next_random(random)) << np.uint64(32) | np.uint64(next_random(random))


@kernel
def _find_barred(may_trump: int, game: GameRecord, out: Int64Array) -> None:
    """Write the mask of the suits that each seat was unable to follow."""
    out[:] = 0
    for number, card in enumerate(game.order):
        trick, turn = divmod(number, NUM_PLAYERS)
        if card == NOTHING:
            break
        if turn == 0:
            leader, led = game.bidder if trick == 0 else game.winners[trick - 1], suit_of(card)
        elif suit_of(card) != led and not (may_trump != 0 and suit_of(card) == game.trump):
            out[(leader + turn) % NUM_PLAYERS] |= suit_cards(led)


@kernel
def _deal_hands(seen: Observation, barred: Int64Array, random: Stream, game: GameRecord) -> None:
    """Deal each other seat the trumps that it kept, the trumps drawn, and then other cards."""
    trumps, rest = suit_cards(seen.trump), FULL_DECK & ~(seen.hand | seen.dead)
    if seen.drawn.sum() <= STOCK_SIZE:  # otherwise its discards may have been dealt again
        rest &= ~seen.thrown
    for mask in seen.played:
        rest &= ~mask
    room = np.empty(NUM_PLAYERS, np.int64)
    for seat in range(NUM_PLAYERS):
        room[seat] = HAND_SIZE - popcount(seen.played[seat]) if seat else 0
    order = _by_choice(rest, barred)
    for seat in order:
        kept = HAND_SIZE - seen.drawn[seat] - popcount(seen.played[seat] & trumps)
        rest = _give(game, seat, rest, rest & trumps & ~barred[seat], min(kept, room[seat]), room, random)
    others = draw_cards(rest & trumps, HAND_SIZE * NUM_PLAYERS, random)
    while others != 0:  # all trumps are in play, but for those that exceeded a hand
        card = draw_cards(others, 1, random)
        others ^= card
        able = 0
        for seat in order:
            able += room[seat] if not barred[seat] & card else 0
        chosen = below(random, able) if able else -1
        for seat in order:
            size = room[seat] if not barred[seat] & card else 0
            if 0 <= chosen < size:
                rest = _give(game, seat, rest, card, 1, room, random)
            chosen -= size
    for seat in order:
        rest = _give(game, seat, rest, rest & ~trumps & ~barred[seat], room[seat], room, random)
    for seat in order:  # another seat may have got the only cards that were left for this one
        rest = _give(game, seat, rest, rest, room[seat], room, random)


@kernel
def _by_choice(rest: int, barred: Int64Array) -> Int64Array:
    """Return the other seats, ascending by how many of some cards they may hold."""
    order = np.arange(1, NUM_PLAYERS)
    for i in range(1, order.size):
        for j in range(i, 0, -1):
            if popcount(rest & ~barred[order[j]]) < popcount(rest & ~barred[order[j - 1]]):
                order[j], order[j - 1] = order[j - 1], order[j]
    return order


@kernel
def _give(game: GameRecord, seat: int, rest: int, able: int, count: int, room: Int64Array, random: Stream) -> int:
    """Deal some cards to a seat; return the rest."""
    cards = draw_cards(able, count, random)
    game.hands[seat] |= cards
    room[seat] -= popcount(cards)
    return rest & ~cards


@kernel
def _deal_thrown(game: GameRecord, random: Stream, dealt: Int64Array) -> None:
    """Deal the discards of the other seats, and write the cards that they were dealt at first."""
    trumps = suit_cards(game.trump)
    rest = FULL_DECK & ~trumps & ~game.thrown[0]
    for seat in range(NUM_PLAYERS):
        rest &= ~(game.hands[seat] | game.played[seat])
    for seat in range(1, NUM_PLAYERS):
        game.thrown[seat] = draw_cards(rest, DEALT - HAND_SIZE + game.drawn[seat], random)
        rest ^= game.thrown[seat]
        kept = draw_cards((game.hands[seat] | game.played[seat]) & trumps, HAND_SIZE - game.drawn[seat], random)
        dealt[seat] = kept | game.thrown[seat]
