"""What agents share: decisions for a batch of games, and RLCard's protocol on top of them."""

from typing import Any

import numpy as np

from rlcard_big2.engine.actions import ACTION_MASKS
from rlcard_big2.errors import IllegalActionError
from rlcard_big2.lockstep.agent import Agent
from rlcard_big2.lockstep.positions import Positions
from rlcard_big2.lockstep.random import new_streams
from rlcard_big2.rules import Rules


class BatchAgent(Agent):
    """Decides for many games at once, and so for one state of RLCard.

    It plays by the rules that `prepare` was last given, 'charlesworth' until then; `step` and `eval_step` take those of
    the state.

    Args:
        seed: of the stream from which `step` and `eval_step` draw; None takes one from the operating system.
    """

    use_raw = False
    rules: Rules
    trained_on: Rules | None = None

    def __init__(self, seed: int | None = None) -> None:
        self._stream = new_streams(seed, 1)
        self.prepare(Rules())

    def prepare(self, rules: Rules) -> None:
        """Take the rules to play by from now on."""
        self.rules = rules

    def step(self, state: dict[str, Any]) -> int:
        """Return the action id for a state of `rlcard.make('big2')`, to collect training data."""
        return self.eval_step(state)[0]

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the action id for a state, and information on the decision."""
        choice = self.choose(self.positions_of(state), self._stream)
        return list(state['legal_actions'])[choice.indices[0]], {}

    def positions_of(self, state: dict[str, Any]) -> Positions:
        """Return a state as a batch of one, and take its rules; IllegalActionError if no action is legal in it."""
        legal, seen = state['legal_actions'], state['raw_obs']
        if not legal:
            raise IllegalActionError('no action is legal in this state: the game is over, or another seat is to move')
        if seen['rules'] is not self.rules:
            self.prepare(seen['rules'])
        moves = ACTION_MASKS[np.fromiter(legal, np.int64, len(legal))]
        return Positions(seen['packed'], moves, np.array([0, len(moves)]))
