"""Duplicate deals: matches of two teams on the same deals with the teams swapped, and their intervals.

Three lines measure an agent of your own:

    from rlcard_catch5.duplicate import play_match
    match = play_match(my_agent, 'rule', deals=1000)
    print(match.difference, match.hands_won)
"""

from rlcard_catch5.duplicate.match import TeamMatch
from rlcard_catch5.duplicate.play import play_match

__all__ = ['TeamMatch', 'play_match']
