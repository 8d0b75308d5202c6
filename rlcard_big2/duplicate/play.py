"""Play a match in this process."""

from dataclasses import replace
from typing import Any

from rlcard_big2.duplicate.block import BLOCK, Block, Outcome, play_block
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.duplicate.match import Match
from rlcard_big2.duplicate.players import make_player
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.errors import check_whole
from rlcard_big2.names import make_agent
from rlcard_big2.rulebook import rules_note
from rlcard_big2.rules import Rules
from rlcard_big2.threads import limit_threads

MOST_DEALS = 10_000_000  # which take a day


def play_match(agent: Any, field: Any, deals: int = 1000, rules: str | Rules = 'charlesworth', seed: int = 0) -> Match:
    """Play an agent in each of the four seats against three of another, the same deals in every seat.

    Numpy and torch use one thread from then on.

    Args:
        agent: the agent to measure: a name as `rlcard_big2.make_agent` takes it, a `BatchAgent`, or anything with
            RLCard's `eval_step` and `use_raw`.
        field: the agent that plays the other three seats, likewise.
        deals: how many deals, at least two; each is played four times.
        rules: to play by, a `Rules` or a text as `rlcard_big2.rules.find_rules` reads it.
        seed: of the deals and of the agents' draws; a deal of a seed does not depend on how many are played.

    Returns:
        The games; its `wp`, `ev` and `ev_by_position` are means with 95 % intervals. Its `notes` name agents that were
        trained on other rules.

    Raises:
        AgentFailure: if an agent fails, naming the deal and the seat.
    """
    check_whole('deals', deals, 2, MOST_DEALS)  # an interval needs two
    check_whole('seed', seed, 0)
    rules = BIG2.rules(rules)
    agents = [make_agent(one, rules) if isinstance(one, str) else one for one in (agent, field)]
    names = [one if isinstance(one, str) else f'the {role}' for one, role in ((agent, 'agent'), (field, 'field'))]
    players = [make_player(one, name) for one, name in zip(agents, names, strict=True)]
    limit_threads()
    cards, seatings = deals_from_seed(seed, deals), BIG2.seatings(0, 1)
    blocks = [
        Block(BIG2, rules, cards[first : first + BLOCK], first, seatings, seed) for first in range(0, deals, BLOCK)
    ]
    match = Match.from_outcome(BIG2, Outcome.join([play_block(block, players) for block in blocks]))
    notes = [rules_note(player.name, getattr(player.agent, 'trained_on', None), rules) for player in players]
    return replace(match, notes=tuple(note for note in notes if note))
