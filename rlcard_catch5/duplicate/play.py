"""Play a match of two teams in this process."""

from dataclasses import replace
from typing import Any

from rlcard_catch5.duplicate.match import TeamMatch
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.registry import make_agent
from rlcard_catch5.rules import Rules, find_rules
from rlcard_kit.duplicate.deals import notes_on, play_hands, seat_players


def play_match(agent: Any, other: Any, deals: int = 1000, rules: str | Rules = 'paper', seed: int = 0) -> TeamMatch:
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
    agents = [make_agent(one, rules) if isinstance(one, str) else one for one in (agent, other)]
    players = seat_players((agent, other), agents, ('agent', 'other agent'))
    match = TeamMatch.from_outcome(play_hands(CATCH5, players, deals, rules, seed), rules)
    return replace(match, notes=notes_on(players, rules))
