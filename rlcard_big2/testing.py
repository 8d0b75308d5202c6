"""Checks for agents of your own."""

from collections.abc import Sequence
from typing import Any

import rlcard_big2  # noqa: F401  # registers 'big2'
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.rules import FOUR_PLAYERS, RulesLike
from rlcard_kit.checks import check_agent_of


def check_agent(agent: Any, rules: Sequence[RulesLike] = tuple(FOUR_PLAYERS), seed: int = 0) -> None:
    """Play an agent under each set of rules, and check that it keeps to the protocol.

    Any agent must choose legal actions in `eval_step` and `step`. A `BatchAgent` must also choose legal moves for many
    games at once, leave what it is given as it is, repeat its choice with the same stream, and choose
    independently of the other games in the batch.

    Args:
        agent: a `BatchAgent`, or anything with RLCard's `step`, `eval_step` and `use_raw`.
        rules: presets' names or `Rules`.
        seed: of the games.

    Raises:
        AssertionError: naming the rules, the move and what is wrong.
    """
    check_agent_of(BIG2, agent, rules, seed)
