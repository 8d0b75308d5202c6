"""Duplicate deals: matches of two teams on the same deals with the teams swapped, and their intervals.

Three lines measure an agent of your own:

    from rlcard_catch5.duplicate import play_match
    match = play_match(my_agent, 'rule', deals=1000)
    print(match.difference, match.hands_won)
"""

from dataclasses import replace
from typing import Any

from rlcard_catch5.duplicate.match import TeamMatch
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.registry import make_agent
from rlcard_catch5.rules import RulesLike, find_rules
from rlcard_kit.duplicate.deals import play_hands

__all__ = ['TeamMatch', 'play_match']


def play_match(agent: Any, other: Any, deals: int = 1000, rules: RulesLike = 'paper', seed: int = 0) -> TeamMatch:
    """Play two of an agent against two of another, the same deals in both pairs of seats; the deal fixes who deals.

    Numpy and torch use one thread from then on.

    Args:
        agent: the agent to measure: a name as `rlcard_catch5.make_agent` takes it, a `Catch5Agent`, or anything with
            RLCard's `eval_step` and `use_raw`.
        other: the agent of the other team, likewise.
        deals: how many deals, at least two; each is played twice.
        rules: to play by, a `Rules` or a text as `rlcard_catch5.rules.find_rules` reads it.
        seed: of the deals and of the agents' draws; a deal of a seed does not depend on how many are played.

    Returns:
        The hands; its figures are means with 95 % intervals. Its `notes` name agents that were trained on other rules.

    Raises:
        AgentFailure: if an agent fails, naming the deal and the seat.
    """
    rules = find_rules(rules)
    agents = {'agent': agent, 'other agent': other}
    outcome, notes = play_hands(CATCH5, make_agent, agents, deals, rules, seed)
    return replace(TeamMatch.from_outcome(outcome, rules), notes=notes)
