"""A trained value network as an agent.

Networks play with torch if it is installed. Those with an LSTM, which is the default, otherwise play in numpy.
"""

from pathlib import Path
from typing import Any

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.lockstep.agent import ValueFunction, choose_highest
from rlcard_big2.lockstep.arrays import Float32Array
from rlcard_big2.lockstep.positions import Choice, Positions
from rlcard_big2.lockstep.random import Streams
from rlcard_big2.nets.numpy_value import load_numpy_network
from rlcard_big2.nets.saved import Settings
from rlcard_big2.nets.spec import ValueSpec
from rlcard_big2.neural.backend import has_torch
from rlcard_big2.neural.calibration import Calibration
from rlcard_big2.neural.saved import CheckpointError
from rlcard_big2.rules import Rules

AGENT = 'dmc'


class DMCAgent(BatchAgent):
    """Plays the move of the highest value.

    Args:
        network: what says the values.
        trained_on: the rules that it was trained on, if it was.
        calibration: what the values mean to people under these rules, if that was measured.
    """

    def __init__(
        self, network: ValueFunction, trained_on: Rules | None = None, calibration: Calibration | None = None
    ) -> None:
        super().__init__(seed=0)
        self.network = network
        self.trained_on = trained_on
        self.calibration = calibration

    @classmethod
    def load(cls, folder: str | Path, numpy: bool = False) -> 'DMCAgent':
        """Load the agent of a run's folder.

        Args:
            folder: of the run, or of one of its checkpoints.
            numpy: play in numpy even if torch is installed: in one thread and in float32 that is faster.

        Raises:
            CheckpointError: if the folder holds no such agent, or one that this version cannot read.
            MissingTorchError: if its network needs torch, which is not installed.
        """
        folder = Path(folder)
        settings = Settings.load(folder, AGENT)
        if not isinstance(settings.network, ValueSpec):
            raise CheckpointError(
                f'{folder} holds a network of kind {settings.network.kind!r}: expected a value network'
            )
        return cls(_load_network(folder, settings.network, numpy), settings.rules, settings.calibration)

    def choose(self, positions: Positions, random: Streams) -> Choice:
        """Choose the moves of the highest values; see `Chooser.choose`."""
        return self.evaluate(positions)[1]

    def evaluate(self, positions: Positions) -> tuple[Float32Array, Choice]:
        """Return the values of all legal moves, float32 [M], and the choice of each game's highest."""
        values = self.network.values(positions)
        indices = choose_highest(values, positions.offsets)
        return values, Choice(indices, values[indices])

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the action id for a state, and the values by raw action in info['values'].

        A value is the expected payoff in cards, with the `win_bonus` of the training.
        """
        values, choice = self.evaluate(self.positions_of(state))
        named = dict(zip(state['raw_legal_actions'], values.tolist(), strict=True))
        return list(state['legal_actions'])[choice.indices[0]], {'values': named}


def _load_network(folder: Path, spec: ValueSpec, numpy: bool) -> ValueFunction:
    if numpy or not has_torch():
        return load_numpy_network(folder, spec)
    from rlcard_big2.nets.networks import load_network  # here, since it imports torch

    return load_network(folder, spec)
