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
from rlcard_kit.nets.agents import ValueAgent
from rlcard_kit.nets.calibration import Calibration
from rlcard_kit.nets.checkpoint import has_torch
from rlcard_kit.nets.zoo import nearest
from rlcard_kit.rules import Rulebook


class DMCAgent(ValueAgent, BatchAgent):
    """Plays the move of the highest value; values are in cards. See `ValueAgent`."""

    settings_type, spec_type = Settings, ValueSpec

    @staticmethod
    @override
    def load_network(folder: Path, spec: ValueSpec, numpy: bool) -> ValueFunction:
        if numpy or not has_torch():
            return load_numpy_network(folder, spec)
        from rlcard_big2.nets.networks import load_network, make_network  # here, since it imports torch

        return load_network(folder, make_network(spec))


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
