"""Duplicate deals: matches that play the same cards in every seat, and their intervals.

Three lines measure an agent of your own:

    from rlcard_big2.duplicate import play_match
    match = play_match(my_agent, 'big2-dmc', deals=1000)
    print(match.wp, match.ev, match.ev_by_position)
"""

from dataclasses import replace
from typing import Any

from rlcard_big2.duplicate.deals import deals_from_seed, load_deals, save_deals
from rlcard_big2.engine.big2 import big2_for
from rlcard_big2.registry import make_agent
from rlcard_big2.rules import RulesLike, find_rules
from rlcard_kit.duplicate.deals import play_hands
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


def play_match(agent: Any, field: Any, deals: int = 1000, rules: RulesLike = 'charlesworth', seed: int = 0) -> Match:
    """Play an agent in each seat against another in all other seats, the same deals in every seat.

    Numpy and torch use one thread from then on.

    Args:
        agent: the agent to measure: a name as `rlcard_big2.make_agent` takes it, a `BatchAgent`, or anything with
            RLCard's `eval_step` and `use_raw`.
        field: the agent that plays the other seats, likewise.
        deals: how many deals, at least two; each is played once for each seat.
        rules: to play by, a `Rules` or a text as `rlcard_big2.rules.find_rules` reads it.
        seed: of the deals and of the agents' draws; a deal of a seed does not depend on how many are played.

    Returns:
        The games; its `wp`, `ev` and `ev_by_position` are means with 95 % intervals. Its `notes` name agents that were
        trained on other rules.

    Raises:
        AgentFailure: if an agent fails, naming the deal and the seat.
    """
    rules = find_rules(rules)
    agents = {'agent': agent, 'field': field}
    game = big2_for(rules)
    outcome, notes = play_hands(game, make_agent, agents, deals, rules, seed)
    return replace(Match.from_outcome(game, outcome), notes=notes)
