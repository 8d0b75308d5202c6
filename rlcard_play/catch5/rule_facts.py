"""Rules for the page: points, example tricks and the length of a match; and reasons why a move is not legal."""

from rlcard_catch5.cards import parse_card
from rlcard_catch5.engine.tricks import strength, suit_of
from rlcard_catch5.rules import Rules
from rlcard_play.catch5.seated import TARGET
from rlcard_play.catch5.views import WORTH
from rlcard_play.study.played import Refusal, refusal_of_cards
from rlcard_play.study.protocols import Json, State

TRUMP = 's'
TRICKS = 'Kh Ah 2s 9h', 'Th Kd 4h 9c', 'Th Kd 4h Qd'


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
