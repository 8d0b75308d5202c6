"""Trained networks as agents. They play in numpy: nothing needs torch."""

from pathlib import Path

from typing_extensions import override

from rlcard_catch5.agents.base import Catch5Agent
from rlcard_catch5.nets.networks_numpy import NumpySuitsValues, load_numpy_policy
from rlcard_catch5.nets.spec import Settings, SuitsValueSpec
from rlcard_kit.nets.agents import PolicyAgent, ValueAgent


class PPOAgent(PolicyAgent, Catch5Agent):
    """Plays by a policy network; info['value'] of `eval_step` is in points. See `PolicyAgent`."""

    settings_type = Settings
    load_network = staticmethod(load_numpy_policy)


class DMCAgent(ValueAgent, Catch5Agent):
    """Plays the action of the highest value; values are in points. See `ValueAgent`."""

    settings_type, spec_type = Settings, SuitsValueSpec

    @staticmethod
    @override
    def load_network(folder: Path, spec: SuitsValueSpec, numpy: bool) -> NumpySuitsValues:
        return NumpySuitsValues(folder, spec)
