"""Checks for agents of your own."""

from collections.abc import Sequence
from typing import Any

import rlcard_catch5  # noqa: F401  # registers 'catch5'
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.rules import PRESETS, RulesLike
from rlcard_kit.checks import check_agent_of


def check_agent(agent: Any, rules: Sequence[RulesLike] = tuple(PRESETS), seed: int = 0) -> None:
    """Play an agent under each set of rules; AssertionError if it breaks the protocol.

    See `rlcard_kit.checks.check_agent_of`; `agent` is a `Catch5Agent`, or any object with RLCard's `step`, `eval_step`
    and `use_raw`, and `rules` are presets' names or `Rules`.
    """
    check_agent_of(CATCH5, agent, rules, seed)
