"""Big 2 for training: its networks, and the report of a match."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typing_extensions import override

import rlcard_big2.nets.dmc
import rlcard_big2.nets.networks
import rlcard_big2.nets.ppo
import rlcard_big2.nets.saved
from eval.games.big2 import EvaluatedBig2
from eval.tables import rich_table
from rlcard_big2.nets.spec import ValueSpec
from rlcard_big2.nets.value_numpy import NumpyValueNetwork
from rlcard_kit.agents.base import ValueFunction
from rlcard_kit.nets.agents import PolicyAgent
from rlcard_kit.nets.policy import PolicyNetwork
from rlcard_kit.nets.spec import NetworkSpec, PolicySpec
from rlcard_kit.nets.value import MoveValueNetwork
from rlcard_kit.nets.value_agent import ValueAgent
from training.games.base import LearnedGame


class LearnedBig2(EvaluatedBig2, LearnedGame):
    """See `LearnedGame`."""

    settings = rlcard_big2.nets.saved.Settings
    is_calibrated = True

    @override
    def make_policy(self, spec: NetworkSpec) -> PolicyNetwork:
        assert isinstance(spec, PolicySpec)
        return rlcard_big2.nets.networks.make_network(spec)

    @override
    def load_policy(self, folder: Path) -> PolicyAgent:
        return rlcard_big2.nets.ppo.PPOAgent.load(folder, greedy=True)

    @override
    def make_value_network(self, spec: NetworkSpec) -> MoveValueNetwork:
        assert isinstance(spec, ValueSpec)
        return rlcard_big2.nets.networks.make_network(spec)

    @override
    def values_in_numpy(self, network: MoveValueNetwork) -> ValueFunction | None:
        assert isinstance(network.spec, ValueSpec)
        if network.spec.summary == 'convolutions':
            return None
        weights = {name: tensor.numpy() for name, tensor in network.state_dict().items()}
        return NumpyValueNetwork(network.spec, weights)

    @override
    def load_values(self, folder: Path) -> ValueAgent:
        return rlcard_big2.nets.dmc.DMCAgent.load(folder)

    @override
    def show(self, title: str, match: Any) -> Iterator[Any]:
        yield rich_table(self.table(f'{title} in all four seats', ('', ''), match))
        yield self.note(match)
