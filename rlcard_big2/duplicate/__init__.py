"""Duplicate deals: matches that play the same cards in every seat, and their intervals.

Three lines measure an agent of your own:

    from rlcard_big2.duplicate import play_match
    match = play_match(my_agent, 'big2-dmc', deals=1000)
    print(match.wp, match.ev, match.ev_by_position)
"""

from rlcard_big2.duplicate.deals import deals_from_seed, load_deals, save_deals
from rlcard_big2.duplicate.play import play_match
from rlcard_kit.duplicate.match import Match, Result, difference
from rlcard_kit.duplicate.players import AgentFailure
from rlcard_kit.statistics import Estimate

__all__ = [
    'AgentFailure',
    'Estimate',
    'Match',
    'Result',
    'deals_from_seed',
    'difference',
    'load_deals',
    'play_match',
    'save_deals',
]
