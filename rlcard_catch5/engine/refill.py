"""The refill: everyone keeps its trumps, throws the rest, and is filled up to six cards.

In the published program the seats are served dealer first. (a) Of more than six trumps a seat returns its lowest ones
without points to the stock. (b) The stock is shuffled, and each seat in turn takes all that it lacks. (c) If the stock
runs out, seats that are still short get thrown cards, the highest id first. (d) If trumps are left in the stock, the
seat served last takes all of them: with more than six it drops the lowest without points, with fewer it keeps some of
its other cards. So all cards with points are in play.
"""

import numpy as np

from rlcard_catch5.cards import NUM_CARDS
from rlcard_catch5.engine.ruleset import RuleTable
from rlcard_catch5.engine.state import HAND_SIZE, NOTHING, NUM_PLAYERS, GameRecord
from rlcard_catch5.engine.tricks import point_cards, suit_cards
from rlcard_kit.arrays import Int8Array, Int64Array
from rlcard_kit.deck import highest, lowest, popcount
from rlcard_kit.jit import kernel
from rlcard_kit.rng import Stream, below


@kernel
def refill(rules: RuleTable, game: GameRecord) -> None:
    """Throw all cards but trumps and fill every seat up, once trumps are named."""
    trumps = suit_cards(game.trump)
    for seat in range(NUM_PLAYERS):
        game.thrown[seat] = game.hands[seat] & ~trumps
        game.hands[seat] &= trumps
        excess = _excess(game.hands[seat], game.trump)
        game.hands[seat] &= ~excess
        game.thrown[seat] |= excess
        if rules.excess_dead != 0:
            game.dead |= excess
        else:
            game.stock |= excess
    first = game.dealer + rules.dealer_last
    _serve(game, first)
    _serve_thrown(game, first)
    last = (first + NUM_PLAYERS - 1) % NUM_PLAYERS
    if game.stock & trumps != 0:
        _take_left(rules, game, last, trumps)


@kernel
def _excess(held: int, trump: int) -> int:
    """Return the lowest trumps without points that a seat with this number of trumps must give up, a mask."""
    given = 0
    spare = held & ~point_cards(trump)
    for _ in range(popcount(held) - HAND_SIZE):
        given |= spare & -spare
        spare &= spare - 1
    return given


@kernel
def _serve(game: GameRecord, first: int) -> None:
    """Shuffle the stock and fill up one seat after the other while it lasts."""
    cards = np.empty(NUM_CARDS, np.int64)
    left = _write_order(game.stock, game.redeal, game.word, cards)
    _note_order(cards, left, game.redeal)
    for i in range(NUM_PLAYERS):
        seat = (first + i) % NUM_PLAYERS
        game.drawn[seat] = HAND_SIZE - popcount(game.hands[seat])
        while left > 0 and popcount(game.hands[seat]) < HAND_SIZE:
            left -= 1
            game.hands[seat] |= 1 << cards[left]
            game.stock &= ~(1 << cards[left])


@kernel
def _write_order(mask: int, given: Int8Array, random: Stream, out: np.ndarray) -> int:  # type: ignore[type-arg]
    """Write the cards of a mask in a given order; cards that are not in it come first, at random.

    Returns their number.
    """
    known = 0
    for card in given:
        if card != NOTHING:
            known |= 1 << card
    rest, n = mask & ~known, 0
    while rest != 0:
        out[n] = lowest(rest)
        rest &= rest - 1
        n += 1
    for i in range(n - 1, 0, -1):
        j = below(random, i + 1)
        out[i], out[j] = out[j], out[i]
    for card in given:
        if card != NOTHING and mask >> card & 1:
            out[n] = card
            n += 1
    return n


@kernel
def _note_order(cards: Int64Array, count: int, out: Int8Array) -> None:
    """Write the order that was used into `out`, for records: the first cards, and nothing after."""
    out[:] = NOTHING
    for i in range(count):
        out[i] = cards[i]


@kernel
def _serve_thrown(game: GameRecord, first: int) -> None:
    """Fill up the seats that the stock did not reach with thrown cards, the highest first."""
    for i in range(NUM_PLAYERS):
        seat = (first + i) % NUM_PLAYERS
        for _ in range(HAND_SIZE - popcount(game.hands[seat])):
            game.hands[seat] |= 1 << highest(_pile(game))


@kernel
def _pile(game: GameRecord) -> int:
    """Return the mask of the thrown cards that nobody has got again."""
    pile = 0
    for seat in range(NUM_PLAYERS):
        pile |= game.thrown[seat]
    for seat in range(NUM_PLAYERS):
        pile &= ~game.hands[seat]
    return pile & ~game.dead


@kernel
def _take_left(rules: RuleTable, game: GameRecord, seat: int, trumps: int) -> None:
    """Give the trumps left in the stock to a seat, which discards those that exceed its hand."""
    others = game.hands[seat] & ~trumps
    held = game.hands[seat] & trumps | game.stock & trumps
    game.stock &= ~trumps
    excess = _excess(held, game.trump)
    held &= ~excess
    cards = np.empty(NUM_CARDS, np.int64)
    count = _write_order(others, game.leftover, game.word, cards)
    _note_order(cards, count, game.leftover)
    kept = 0
    for i in range(count):
        if i < HAND_SIZE - popcount(held):
            kept |= 1 << cards[i]
    game.thrown[seat] |= others & ~kept | excess
    if rules.excess_dead != 0:
        game.dead |= excess
    game.hands[seat] = held | kept
