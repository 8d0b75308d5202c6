"""Agents that play by values of moves, whatever the game and the library that computes them."""

from typing import Any

from rlcard_kit.agents.base import ValueFunction, choose_highest
from rlcard_kit.agents.stepping import SteppingAgent
from rlcard_kit.arrays import Float32Array
from rlcard_kit.positions import Choice, Positions
from rlcard_kit.rng import Streams

AGENT = 'dmc'


class ValueChooser:
    """Chooses the moves of the highest values.

    Args:
        network: what says the values.
    """

    def __init__(self, network: ValueFunction) -> None:
        self.network = network

    def choose(self, positions: Positions, random: Streams) -> Choice:
        """Choose the moves of the highest values; see `Chooser.choose`."""
        return self.evaluate(positions)[1]

    def evaluate(self, positions: Positions) -> tuple[Float32Array, Choice]:
        """Return the values of all legal moves, float32 [M], and the choice of each game's highest."""
        values = self.network.values(positions)
        indices = choose_highest(values, positions.offsets)
        return values, Choice(indices, values[indices])


class ValueAgent(ValueChooser, SteppingAgent):
    """Plays the move of the highest value.

    Args:
        network: what says the values.
        trained_on: the rules that it was trained on, if it was.
    """

    def __init__(self, network: ValueFunction, trained_on: Any = None) -> None:
        ValueChooser.__init__(self, network)
        SteppingAgent.__init__(self, seed=0)
        self.trained_on = trained_on

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the action id for a state, and the values by raw action in info['values'].

        A value is the expected payoff, with the `win_bonus` of the training.
        """
        values, choice = self.evaluate(self.positions_of(state))
        named = dict(zip(state['raw_legal_actions'], values.tolist(), strict=True))
        return list(state['legal_actions'])[choice.indices[0]], {'values': named}
