"""A trained value network as an agent.

Networks play in torch if it is installed, otherwise in numpy.
"""

from collections.abc import Mapping
from pathlib import Path

from typing_extensions import override

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.nets.checkpoint import Settings
from rlcard_big2.nets.spec import ValueSpec
from rlcard_big2.nets.value_numpy import load_numpy_network
from rlcard_big2.rules import Rules
from rlcard_kit.agents.base import ValueFunction
from rlcard_kit.nets.agents import DMC, ValueAgent
from rlcard_kit.nets.calibration import Calibration
from rlcard_kit.nets.checkpoint import CheckpointError, has_torch
from rlcard_kit.nets.zoo import nearest
from rlcard_kit.rules import Rulebook


class DMCAgent(ValueAgent, BatchAgent):
    """Plays the move of the highest value; values are in cards.

    Args:
        network: evaluates moves.
        trained_on: the rules that it was trained on, if it was.
        calibration: of the values under those rules, if measured.
    """

    def __init__(
        self, network: ValueFunction, trained_on: Rules | None = None, calibration: Calibration | None = None
    ) -> None:
        super().__init__(network, trained_on)
        self._calibration = calibration

    @classmethod
    def load(cls, folder: str | Path, numpy: bool = False) -> 'DMCAgent':
        """Load the agent of a run's folder.

        Args:
            folder: of the run, or of one of its checkpoints.
            numpy: play in numpy even if torch is installed: in one thread and in float32 that is faster.

        Raises:
            CheckpointError: if the folder holds no such agent, or one that this version cannot read.
        """
        folder = Path(folder)
        settings = Settings.load(folder, DMC)
        if not isinstance(settings.network, ValueSpec):
            raise CheckpointError(
                f'{folder} holds a network of kind {settings.network.kind!r}: expected a value network'
            )
        return cls(_load_network(folder, settings.network, numpy), settings.rules, settings.calibration)

    def calibration(self, rules: Rules) -> Calibration | None:
        """Return the calibration of the values under some rules, or None if not measured."""
        return self._calibration if rules == self.trained_on else None


class DMCByRules(DMCAgent):
    """Plays by the network whose training rules differ least from the rules of the game.

    Args:
        trained_on: the rules of each network, by its folder.
        numpy: see `DMCAgent.load`.
    """

    def __init__(self, trained_on: Mapping[Path, Rulebook], numpy: bool = False) -> None:
        self._trained_on = trained_on
        self._numpy = numpy
        self._agents: dict[Path, DMCAgent] = {}
        agent = self._agent(self.default_rules)
        super().__init__(agent.network, agent.trained_on)

    @override
    def prepare(self, rules: Rules) -> None:
        super().prepare(rules)
        agent = self._agent(rules)
        self.network, self.trained_on = agent.network, agent.trained_on

    @override
    def calibration(self, rules: Rules) -> Calibration | None:
        return self._agent(rules).calibration(rules)

    def _agent(self, rules: Rules) -> DMCAgent:
        folder = nearest(self._trained_on, rules)
        if folder not in self._agents:
            self._agents[folder] = DMCAgent.load(folder, self._numpy)
        return self._agents[folder]


def _load_network(folder: Path, spec: ValueSpec, numpy: bool) -> ValueFunction:
    if numpy or not has_torch():
        return load_numpy_network(folder, spec)
    from rlcard_big2.nets.networks import load_network, make_network  # here, since it imports torch

    return load_network(folder, make_network(spec))
