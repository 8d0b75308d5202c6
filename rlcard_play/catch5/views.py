"""JSON of the page: views of a hand for one seat, for spectators or of a recorded position, rules and refusals."""

from rlcard_catch5.cards import RANKS, format_cards, mask_of, parse_card, parse_cards
from rlcard_catch5.engine.state import FIRST_CARD_PLY, HAND_SIZE, NUM_PLAYERS, NUM_PLIES, NUM_TEAMS, NUM_TRICKS
from rlcard_catch5.engine.tricks import FIVE, FIVE_POINTS, POINT_RANKS, strength, suit_of
from rlcard_catch5.notation import Trace, suit_mask
from rlcard_catch5.records import Record
from rlcard_catch5.rules import Rules
from rlcard_kit.records import show_seats
from rlcard_play.catch5.seated import TARGET, SeatedGame, match_of
from rlcard_play.study.played import Refusal, refusal_of_cards
from rlcard_play.study.protocols import Json, State
from rlcard_play.study.review import new_env

TRUMP = 's'
TRICKS = 'Kh Ah 2s 9h', 'Th Kd 4h 9c', 'Th Kd 4h Qd'
# Points of each trump, without a kernel, which would be compiled in the middle of a hand.
WORTH = {rank: FIVE_POINTS if i == FIVE else POINT_RANKS >> i & 1 for i, rank in enumerate(RANKS)}

Seen = Json  # the 'raw_obs' of a state


def split_tricks(trace: Trace) -> list[Trace]:
    """Return the cards of each trick, as (seat, text)."""
    return [trace[ply : ply + NUM_PLAYERS] for ply in range(FIRST_CARD_PLY, len(trace), NUM_PLAYERS)]


def trick_points(trick: Trace, seen: Seen) -> int:
    """Return the points in a trick."""
    low_counts = seen['rules'].low == 'taken'
    trumps = [text[0] for _, text in trick if text[1].upper() == seen['trump'] and (low_counts or text[0] != '2')]
    return sum(map(WORTH.__getitem__, trumps))


def own_refill(seen: Seen, dealt: str) -> tuple[str, str]:
    """Return the discards and draws of a seat at the refill; `dealt` are its nine cards."""
    before, after = parse_cards(dealt), parse_cards(f'{seen["current_hand"]} {seen["played_cards"][seen["self"]]}')
    kept = before & after & suit_mask(seen['trump'])
    return format_cards(before & ~kept), format_cards(after & ~kept)


def seat_view(game: SeatedGame, seat: int | None) -> Json:
    """Return the view of a seat, or of a spectator if it is None.

    Of the cards it uses the seat's own, and those that everybody has seen.
    """
    match = {'hand': game.number, 'totals': list(game.totals), 'target': game.target}
    seen = game.env.game.get_state(seat or 0)
    view = {**public_view(seen), 'match': match}
    if seat is None:
        return {**view, 'hand': None, 'legal': None, 'refill': None}
    dealt = format_cards(int(game.env.game.dealt['hands'][0, seat]))
    return {**view, 'hand': seen['current_hand'], 'legal': seen['actions'], 'refill': _refill(seen, dealt)}


def public_view(seen: Seen) -> Json:
    """Return the public part of a view: bids, trumps, points, tricks and moves."""
    trace, winners, rules = seen['trace'], seen['trick_winners'], seen['rules']
    tricks, is_auction = split_tricks(trace), seen['trump'] is None
    bids = [None if bid is None else f'bid {bid}' if bid else 'pass' for bid in seen['bids']]
    return {
        'rules': rules.to_json(),
        'title': rules.title,
        'ply': len(trace),
        'to_move': seen['current_player'] if len(trace) < NUM_PLIES else None,
        'left': seen['num_cards_left'],
        'last': bids if is_auction else [card or None for card in seen['trick']],
        'trick': min(len(winners) + 1, NUM_TRICKS),
        'tricks': [0, *(FIRST_CARD_PLY + NUM_PLAYERS * i for i in range(len(tricks)))],  # the plies they began at
        'log': [list(move) for move in trace],
        'dealer': seen['dealer'],
        'bids': seen['bids'],
        'bidder': seen['bidder'],
        'trump': None if is_auction else seen['trump'].lower(),
        'points': seen['points'],
        'winners': winners,
        'trick_points': [trick_points(trick, seen) for trick in tricks[: len(winners)]],
        'kept': None if is_auction else [HAND_SIZE - lacked for lacked in seen['num_cards_lacked']],
        'dead': seen['dead_cards'],
    }


def _refill(seen: Seen, dealt: str) -> dict[str, str] | None:
    if seen['trump'] is None:
        return None
    discarded, drawn = own_refill(seen, dealt)
    return {'discarded': discarded, 'drawn': drawn}


def end_view(game: SeatedGame) -> Json:
    """Return the result of a finished hand, and of the match."""
    seen = game.env.game.get_state(0)
    bidder = seen['bidder']
    bid, taken = seen['bids'][bidder], seen['points'][bidder % NUM_TEAMS]
    return {
        'bid': bid,
        'made': taken >= bid,
        'scores': list(game.scores),
        'match_totals': list(game.totals_after),
        'match_winner': game.winner,
    }


def position_view(record: Record, seat: int | None = None) -> Json:
    """Return the position after the last move of a record, with all hands, or that of one seat.

    Legal moves are None if the hand of the seat to move is not shown.
    """
    env = new_env('catch5', record.rules)
    env.reset(position=record)
    mover = env.game.get_player_id()
    seen = env.game.get_state(mover if seat is None else seat)
    refill = None if seat is None else _refill(seen, format_cards(mask_of(record.deal['hands'][seat])))
    return {
        **public_view(seen),
        'match': match_of(record),
        'hands': [player.current_hand if seat in (None, i) else None for i, player in enumerate(env.game.players)],
        'legal': seen['actions'] if seat in (None, mover) else None,
        'refill': refill,
        'seats': show_seats(record.seats, NUM_PLAYERS),
    }


def rule_facts(rules: Rules) -> Json:
    """Return the points of each trump, example tricks with the number of the card that wins, and the target."""
    tricks, trump = [], suit_of(parse_card(f'2{TRUMP}'))
    for text in TRICKS:
        cards = [parse_card(word) for word in text.split()]
        suit = suit_of(cards[-1 if rules.judging == 'last' else 0])
        rated = [int(strength(card, suit, trump)) for card in cards]
        tricks.append([text, rated.index(max(rated))])
    return {'worth': WORTH, 'trump': TRUMP, 'tricks': tricks, 'target': rules.target or TARGET}


def refusal(state: State, text: str) -> Refusal:
    """Return why the seat to move may not make a move that is not legal, from what it sees."""
    seen, legal = state['raw_obs'], state['raw_legal_actions']
    bids = [int(move.removeprefix('bid ')) for move in legal if move.startswith('bid')]
    may_pass = 'pass' in legal
    if bids:
        return Refusal('bid' if may_pass else 'must bid', {'low': bids[0], 'high': bids[-1]})
    if seen['trump'] is None:
        return Refusal('only pass' if may_pass else 'name trumps')
    wrong = refusal_of_cards(text, seen['current_hand'], parse_card)
    return wrong or Refusal(f'follow {seen["rules"].following}', {'suit': seen['trick'][seen['leader']][1]})
