"""Legal moves, their effects, and the score. The auction is one bid from each seat, the dealer's last."""

from rlcard_catch5.actions import BID_SHIFT, FIRST_CARD, FIRST_TRUMP, PASS
from rlcard_catch5.cards import NUM_SUITS
from rlcard_catch5.engine.refill import refill
from rlcard_catch5.engine.ruleset import FREE, MATCH, OUTBID, RuleTable
from rlcard_catch5.engine.state import FIRST_CARD_PLY, NOTHING, NUM_PLAYERS, NUM_PLIES, TRUMP_PLY, GameRecord
from rlcard_catch5.engine.tricks import play_card, playable
from rlcard_catch5.rules import MOST_BID
from rlcard_kit.arrays import Int64Array
from rlcard_kit.deck import lowest
from rlcard_kit.jit import kernel

MAX_LEGAL = MOST_BID - 1  # a pass and seven bids; later at most six cards


@kernel
def highest_bid(game: GameRecord) -> int:
    """Return the highest bid so far; 0 if nobody has bid."""
    return int(game.bids[game.bidder]) if game.bidder != NOTHING else 0


@kernel
def legal_bids(rules: RuleTable, game: GameRecord, out: Int64Array) -> int:
    """Write the action ids of the bids that the seat to move may make, the pass first; return their number."""
    highest = highest_bid(game)
    is_dealer = game.player == game.dealer
    n = 0
    if highest > 0 or not is_dealer:
        out[n] = PASS
        n += 1
    first, last = max(rules.least_bid, highest + 1), MOST_BID
    if rules.bidding == FREE:
        first = rules.least_bid
    elif is_dealer and highest > 0 and rules.bidding != OUTBID:
        first = highest
        if rules.bidding == MATCH:
            last = highest
    for bid in range(first, last + 1):
        out[n] = bid - BID_SHIFT
        n += 1
    return n


@kernel
def make_bid(game: GameRecord, action: int) -> None:
    """Note a bid or a pass. After the last, the highest bidder names trumps: of equals, the dealer or the first."""
    bid = action + BID_SHIFT if action != PASS else 0
    highest = highest_bid(game)
    game.bids[game.player] = bid
    if bid > highest or (bid == highest and bid > 0 and game.player == game.dealer):
        game.bidder = game.player
    game.ply += 1
    game.player = game.bidder if game.ply == TRUMP_PLY else (game.player + 1) % 4


@kernel
def legal_moves(rules: RuleTable, game: GameRecord, out: Int64Array) -> int:
    """Write the legal action ids of the seat to move, ascending, into `out`, int64 [MAX_LEGAL]; return their number.

    It is 0 after the end.
    """
    if game.ply >= NUM_PLIES:
        return 0
    if game.ply < TRUMP_PLY:
        return legal_bids(rules, game, out)
    n = 0
    if game.ply == TRUMP_PLY:
        for suit in range(NUM_SUITS):
            out[n] = FIRST_TRUMP + suit
            n += 1
        return n
    cards = playable(rules, game)
    while cards != 0:
        out[n] = FIRST_CARD + lowest(cards)
        cards &= cards - 1
        n += 1
    return n


@kernel
def is_legal(rules: RuleTable, game: GameRecord, action: int, scratch: Int64Array) -> bool:
    """Return whether the seat to move may do this; `scratch` is int64 [MAX_LEGAL]."""
    return action in scratch[: legal_moves(rules, game, scratch)]


@kernel
def play(rules: RuleTable, game: GameRecord, action: int) -> None:
    """Make a legal move for the seat to move. Legality is the caller's to check."""
    if game.ply < TRUMP_PLY:
        make_bid(game, action)
    elif game.ply == TRUMP_PLY:
        game.trump = action - FIRST_TRUMP
        refill(rules, game)
        game.leader = game.bidder
        game.ply = FIRST_CARD_PLY
    else:
        play_card(rules, game, action - FIRST_CARD)


@kernel
def settle(rules: RuleTable, game: GameRecord, out: Int64Array) -> None:
    """Write each seat's score, int64 [4], the same for partners; zeros while the game lasts."""
    out[:] = 0
    if game.ply < NUM_PLIES:
        return
    bid: int = game.bids[game.bidder]
    for seat in range(NUM_PLAYERS):
        points: int = game.points[seat % 2]
        if seat % 2 != game.bidder % 2:
            out[seat] = points
        elif points < bid:
            out[seat] = -bid
        elif bid == MOST_BID and rules.nine_doubled != 0:
            out[seat] = 2 * points
        else:
            out[seat] = points
