"""The players of a plan: its agents, seated, and the games that they play block by block."""

from collections.abc import Sequence

from eval.plan import Plan
from rlcard_big2.duplicate.block import BLOCK, Block, Outcome, play_block
from rlcard_big2.duplicate.players import MatchPlayer, make_player
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.names import make_agent
from rlcard_big2.threads import limit_threads


def seat(plan: Plan) -> list[MatchPlayer]:
    """Make the players of a plan, each with one thread."""
    players = [make_player(make_agent(name, plan.rules), name, plan.seconds) for name in plan.agents]
    limit_threads()
    return players


def play_one(plan: Plan, players: Sequence[MatchPlayer], number: int) -> Outcome:
    """Play one block."""
    deals = plan.block(number)
    return play_block(Block(BIG2, plan.rules, deals, number * BLOCK, plan.seatings, plan.seed), players)
