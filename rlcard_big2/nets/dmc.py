"""A trained value network as an agent.

Networks play with torch if it is installed. Those without convolutions otherwise play in numpy.
"""

from pathlib import Path

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.lockstep.agent import ValueFunction
from rlcard_big2.nets.numpy_value import load_numpy_network
from rlcard_big2.nets.saved import Settings
from rlcard_big2.nets.spec import ValueSpec
from rlcard_big2.neural.backend import has_torch
from rlcard_big2.neural.calibration import Calibration
from rlcard_big2.neural.saved import CheckpointError
from rlcard_big2.neural.value_agent import AGENT, ValueAgent
from rlcard_big2.rules import Rules


class DMCAgent(ValueAgent, BatchAgent):
    """Plays the move of the highest value; values are in cards.

    Args:
        network: what says the values.
        trained_on: the rules that it was trained on, if it was.
        calibration: what the values mean to people under these rules, if that was measured.
    """

    def __init__(
        self, network: ValueFunction, trained_on: Rules | None = None, calibration: Calibration | None = None
    ) -> None:
        super().__init__(network, trained_on)
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


def _load_network(folder: Path, spec: ValueSpec, numpy: bool) -> ValueFunction:
    if numpy or not has_torch():
        return load_numpy_network(folder, spec)
    from rlcard_big2.nets.networks import load_network  # here, since it imports torch

    return load_network(folder, spec)
