"""Trained networks as agents.

Value networks play in torch if it is installed, otherwise in numpy; policies need torch.
"""

from collections.abc import Mapping
from pathlib import Path

from typing_extensions import override

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.engine.ruleset import number_of_rules
from rlcard_big2.nets.rule_features import rule_inputs, stake, stakes_of
from rlcard_big2.nets.spec import TABLES, Settings, ValueSpec
from rlcard_big2.nets.value_numpy import NumpyValueNetwork, value_shapes
from rlcard_big2.rules import Rules
from rlcard_kit.agents import Positions, ValueFunction
from rlcard_kit.arrays import Float32Array, Int8Array
from rlcard_kit.nets.agents import Policy, PolicyAgent, ValueAgent
from rlcard_kit.nets.calibration import Calibration
from rlcard_kit.nets.checkpoint import has_torch, read_weights, require_torch
from rlcard_kit.nets.spec import PolicySpec
from rlcard_kit.nets.zoo import nearest
from rlcard_kit.rules import Rulebook


class InCards:
    """Values in cards of a network that is told the rules, whose own are in stakes; see `stake`.

    Args:
        network: of inputs TABLES.
    """

    def __init__(self, network: ValueFunction) -> None:
        self._network = network

    def values(self, positions: Positions) -> Float32Array:
        """Return the value of every legal move of N games, float32 [M]."""
        return self._network.values(positions) * stakes_of(positions.observations['rules'])[positions.owners]


class DMCAgent(ValueAgent, BatchAgent):
    """Plays the move of the highest value; values are in cards. See `ValueAgent`."""

    settings_type, spec_type, package = Settings, ValueSpec, __package__

    @staticmethod
    @override
    def load_network(folder: Path, spec: ValueSpec, numpy: bool) -> ValueFunction:
        network: ValueFunction
        if numpy or not has_torch():
            network = NumpyValueNetwork(spec, read_weights(folder, value_shapes(spec)))
        else:
            from rlcard_big2.nets.networks import load_network, make_network  # here, since it imports torch

            network = load_network(folder, make_network(spec))
        return InCards(network) if spec.inputs == TABLES else network

    @staticmethod
    @override
    def told(rules: Rules) -> tuple[Int8Array, float]:
        return rule_inputs(number_of_rules(rules)), stake(rules)


class DMCByRules(DMCAgent):
    """Plays by the network for the rules of the game, see `nearest`.

    Args:
        trained_on: the rules of each network by its folder; None if it is told them.
        numpy: see `DMCAgent.load`.
    """

    def __init__(self, trained_on: Mapping[Path, Rulebook | None], numpy: bool = False) -> None:
        self._trained_on = trained_on
        self._numpy = numpy
        self._agents: dict[Path, DMCAgent] = {}
        agent = self._agent(self.default_rules)
        super().__init__(agent.network, agent.trained_on)

    @override
    def prepare(self, rules: Rules) -> None:
        super().prepare(rules)
        agent = self._agent(rules)
        self.network, self.trained_on, self.folder = agent.network, agent.trained_on, agent.folder

    @override
    def calibration(self, rules: Rules) -> Calibration | None:
        return self._agent(rules).calibration(rules)

    def _agent(self, rules: Rules) -> DMCAgent:
        folder = nearest(self._trained_on, rules)
        if folder not in self._agents:
            self._agents[folder] = DMCAgent.load(folder, self._numpy)
        return self._agents[folder]


class PPOAgent(PolicyAgent, BatchAgent):
    """Plays by a policy network; info['value'] of `eval_step` is in cards. See `PolicyAgent`."""

    settings_type, package = Settings, __package__

    @staticmethod
    @override
    def load_network(folder: Path, spec: PolicySpec) -> Policy:
        require_torch('a PPO network')
        from rlcard_big2.nets.networks import load_network, make_network  # here, since it imports torch

        return load_network(folder, make_network(spec))
