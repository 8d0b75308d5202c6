"""Reasons why a move of Catch Five is not legal; see `rlcard_play.study.refusals`."""

from typing import Any

from rlcard_catch5.cards import parse_card
from rlcard_play.study.refusals import Refusal, refusal_of_cards


def refusal(state: dict[str, Any], text: str) -> Refusal:
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
