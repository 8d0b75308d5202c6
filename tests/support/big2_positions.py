"""Positions of Big 2 by the cards of the seat to move."""

import rlcard

from rlcard_big2.cards import parse_cards
from rlcard_big2.engine.state import HAND_SIZE
from rlcard_big2.records import Before, Record
from rlcard_big2.rules import find_rules


def state_of(hand, left=(5, 5, 5), table='', by=1, rules='charlesworth'):
    """Return the state of seat 0 some way into a game; card texts have the suits of 'charlesworth'.

    Args:
        hand: its cards.
        left: how many cards seats 1, 2 and 3 hold: the highest that are left, dealt in turn.
        table: the combination to beat, none with control.
        by: the seat that played it; those after it passed.
        rules: of the game.
    """
    own, beat = parse_cards(hand), parse_cards(table)
    pool = [1 << card for card in range(52) if not (own | beat) >> card & 1]
    hands = (own, *(sum(pool.pop() for _ in range(count)) for count in left))
    by = by if beat else 0
    played = [beat if seat == by else 0 for seat in range(4)]
    for seat, (kept, shed) in enumerate(zip(hands, played, strict=True)):
        played[seat] |= sum(pool.pop() for _ in range(HAND_SIZE - kept.bit_count() - shed.bit_count()))
    sizes = tuple(kept.bit_count() for kept in hands)
    before = Before(tuple(played), sizes, beat, by, passes=3 - by if beat else 0)
    record = Record(hands, rules=find_rules(rules), before=before)
    return rlcard.make('big2', config={'game_rules': rules}).reset(position=record)[0]
