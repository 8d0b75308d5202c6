"""The auction: one bid from each seat, the dealer's last."""

from rlcard_catch5.actions import BID_SHIFT, PASS
from rlcard_catch5.engine.ruleset import FREE, MATCH, OUTBID, RuleTable
from rlcard_catch5.engine.state import NOTHING, TRUMP_PLY, GameRecord
from rlcard_catch5.rules import MOST_BID
from rlcard_kit.arrays import Int64Array
from rlcard_kit.jit import kernel


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
