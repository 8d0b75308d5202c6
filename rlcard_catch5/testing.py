"""Conformance tests for agents of your own."""

from collections.abc import Sequence
from typing import Any

import rlcard_catch5  # noqa: F401  # registers 'catch5'
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.rules import PRESETS, Rules
from rlcard_kit.checks import check_agent_of


def check_agent(agent: Any, rules: Sequence[str | Rules] = tuple(PRESETS), seed: int = 0) -> None:
    """Check that an agent keeps to the protocol; see `rlcard_big2.testing.check_agent`.

    Args:
        agent: a `Catch5Agent`, or anything with RLCard's `step`, `eval_step` and `use_raw`.
        rules: presets' names or `Rules`.
        seed: of the games.

    Raises:
        AssertionError: naming the rules, the move and what is wrong.
    """
    check_agent_of(CATCH5, agent, rules, seed)
