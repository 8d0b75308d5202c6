"""Specifications of Catch Five's networks, their kind and sizes, and the settings of a saved one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from rlcard_catch5.engine.observation import OBSERVATION_SIZE
from rlcard_catch5.rules import Rules
from rlcard_kit.nets import checkpoint
from rlcard_kit.nets.spec import NetworkSpec, PolicySpec, Size, Unit

SLOPE = 0.01  # of the leaky variant of the published network, as the paper has it

Activation = Literal['tanh', 'leaky']
"""Of the published network, or of its variant."""


@dataclass(frozen=True)
class SuitsSpec(PolicySpec):
    """A policy to which suits are alike: they are sorted, trumps first, before it sees them."""

    kind: ClassVar[str] = 'suits'

    payoff_unit: Unit = 9.0
    """Points in one unit of its values: payoffs were divided by it in training."""
    hidden_size: Size = 256
    """Width of the layers."""
    num_layers: Size = 3
    """Residual layers after the first."""


@dataclass(frozen=True)
class VonYorkSpec(PolicySpec):
    """The published policy, whose sizes and inputs are fixed, with a separate critic."""

    kind: ClassVar[str] = 'vonyork'

    payoff_unit: Unit = 18.0
    """Points in one unit of its values, which lie between -1 and 1."""
    activation: Activation = 'tanh'
    """Activation between the layers."""


@dataclass(frozen=True)
class SuitsValueSpec(NetworkSpec):
    """The values of all actions, in points, to which suits are alike as they are to `SuitsSpec`."""

    kind: ClassVar[str] = 'suits-value'

    hidden_size: Size = 256
    """Width of the layers."""
    num_layers: Size = 3
    """Residual layers after the first."""


SPECS: Mapping[str, type[NetworkSpec]] = {spec.kind: spec for spec in (SuitsSpec, VonYorkSpec, SuitsValueSpec)}


class Settings(checkpoint.Settings):
    """Settings of a saved network of Catch Five."""

    game = 'catch5'
    observation = OBSERVATION_SIZE
    rules_kind = Rules
    specs = SPECS
