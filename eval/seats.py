"""The players of a plan: its agents, seated, and the games that they play block by block."""

from collections.abc import Sequence

from eval.plan import Plan
from rlcard_big2.duplicate.block import BLOCK, Outcome, make_player, play_deals
from rlcard_big2.duplicate.players import Player
from rlcard_big2.names import make_agent
from rlcard_big2.threads import limit_threads


def seat(plan: Plan) -> list[Player]:
    """Make the players of a plan, each with one thread."""
    players = [make_player(make_agent(name), plan.seconds) for name in plan.agents]
    limit_threads()
    return players


def play_one(plan: Plan, players: Sequence[Player], number: int) -> Outcome:
    """Play one block."""
    deals = plan.block(number)
    return play_deals(players, plan.agents, plan.seatings, plan.rules, deals, number * BLOCK, plan.seed)
