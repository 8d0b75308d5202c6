"""Tricks: legal cards, winner and points."""

from rlcard_catch5.cards import NUM_RANKS
from rlcard_catch5.engine.ruleset import RuleTable
from rlcard_catch5.engine.state import NOTHING, NUM_PLAYERS, GameRecord
from rlcard_kit.jit import kernel

SUIT_CARDS = (1 << NUM_RANKS) - 1  # of clubs; shifted, of the others
TWO, FIVE = 0, 3  # ranks
POINT_RANKS = 1 << TWO | 1 << FIVE | 1 << 8 | 1 << 9 | 1 << 12  # 2 5 T J A
FIVE_POINTS = 5


@kernel
def suit_of(card: int) -> int:
    """Return the suit of a card."""
    return card // NUM_RANKS


@kernel
def suit_cards(suit: int) -> int:
    """Return the mask of a suit."""
    return SUIT_CARDS << NUM_RANKS * suit


@kernel
def point_cards(trump: int) -> int:
    """Return the mask of the cards that score."""
    return POINT_RANKS << NUM_RANKS * trump


@kernel
def points_of(card: int, trump: int) -> int:
    """Return the points that a card is worth."""
    if card // NUM_RANKS != trump:
        return 0
    rank = card % NUM_RANKS
    return FIVE_POINTS if rank == FIVE else POINT_RANKS >> rank & 1


@kernel
def playable(rules: RuleTable, game: GameRecord) -> int:
    """Return the mask of the cards that the seat to move may play."""
    hand: int = game.hands[game.player]
    if game.leader == game.player:
        return hand
    led = suit_cards(suit_of(game.trick[game.leader]))
    if hand & led == 0:
        return hand
    allowed = led | suit_cards(game.trump) if rules.may_trump != 0 else led
    return hand & allowed


@kernel
def strength(card: int, suit: int, trump: int) -> int:
    """Rate a card in a trick that goes to `suit`: trumps beat it, and all other cards are worth nothing."""
    card_suit = card // NUM_RANKS
    if card_suit == trump:
        return NUM_RANKS + 1 + card % NUM_RANKS
    return 1 + card % NUM_RANKS if card_suit == suit else 0


@kernel
def best_card(game: GameRecord, suit: int) -> int:
    """Return the seat whose card wins the trick as it is, if it goes to `suit`; -1 for an empty trick."""
    best, highest = NOTHING, -1
    for i in range(NUM_PLAYERS):
        seat = (game.leader + i) % NUM_PLAYERS
        card = game.trick[seat]
        if card != NOTHING:
            rated = strength(card, suit, game.trump)
            if rated > highest:
                best, highest = seat, rated
    return best


@kernel
def play_card(rules: RuleTable, game: GameRecord, card: int) -> None:
    """Play a card to the trick; the fourth ends it."""
    seat, count = game.player, game.ply - NUM_PLAYERS - 1
    game.hands[seat] &= ~(1 << card)
    game.played[seat] |= 1 << card
    game.trick[seat] = card
    game.order[count] = card
    game.ply += 1
    if count % NUM_PLAYERS < NUM_PLAYERS - 1:
        game.player = (seat + 1) % NUM_PLAYERS
    else:
        _end_trick(rules, game, count // NUM_PLAYERS, card)


@kernel
def _end_trick(rules: RuleTable, game: GameRecord, number: int, last: int) -> None:
    """Give a full trick to its winner, who leads to the next."""
    judged = last if rules.last_judges != 0 else game.trick[game.leader]
    winner = best_card(game, suit_of(judged))
    for seat in range(NUM_PLAYERS):
        card = game.trick[seat]
        is_low = card == NUM_RANKS * game.trump + TWO
        team = seat % 2 if is_low and rules.low_dealt != 0 else winner % 2
        game.points[team] += points_of(card, game.trump)
        game.trick[seat] = NOTHING
    game.winners[number] = winner
    game.leader = winner
    game.player = winner
