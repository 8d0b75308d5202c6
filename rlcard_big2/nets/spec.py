"""Specifications of Big 2's networks, their kind, sizes and inputs, and the settings of a saved one. Needs no torch."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from typing_extensions import override

from rlcard_big2.engine.observation import OBSERVATION_SIZE
from rlcard_big2.rules import Rules
from rlcard_kit.nets import checkpoint
from rlcard_kit.nets.spec import NetworkSpec, PolicySpec, Size

Inputs = Literal['cards', 'afterstates', 'rules', 'tables']
"""The published inputs alone, or with the derived features of `rlcard_big2.nets.afterstates`: as they are under most
rules, or under those of the game; 'tables' adds the rules themselves, for a network that plays by all."""
TABLES: Inputs = 'tables'
Variant = Literal['plain', 'residual', 'layered-residual', 'memoryless-residual']
"""Name of a value network, see `NETWORKS`."""

STEPS, STEP_SIZE = 4, 208  # of the LSTM: the last 16 moves, four at a time


class Design(NamedTuple):
    """Layers of a value network."""

    residual: bool
    """Whether layers 2 to 5 add their output to their input."""
    history: Literal['lstm', 'layer', 'none']
    """Encoder of the last 16 moves: an LSTM, one plain layer, or nothing."""


NETWORKS: Mapping[Variant, Design] = {
    'plain': Design(residual=False, history='lstm'),
    'residual': Design(residual=True, history='lstm'),
    'layered-residual': Design(residual=True, history='layer'),
    'memoryless-residual': Design(residual=True, history='none'),
}
"""Value networks by the names that settings have; 'plain' is the paper's."""


@dataclass(frozen=True)
class ValueSpec(NetworkSpec):
    """Value network of Deep Monte Carlo: an encoder of the last 16 moves, then five layers."""

    kind: ClassVar[str] = 'value'

    variant: Variant = 'residual'
    """Name of the network."""
    hidden_size: Size = 256
    """Width of the layers."""
    lstm_size: Size = 128
    """Output size of the encoder of the last 16 moves."""
    inputs: Inputs = 'afterstates'
    """Inputs of the network."""

    @property
    @override
    def is_told_rules(self) -> bool:
        return self.inputs == TABLES

    @property
    def design(self) -> Design:
        """Layers of the network."""
        return NETWORKS[self.variant]

    @property
    def history_size(self) -> int:
        """Number of features in which the last 16 moves are encoded."""
        return 0 if self.design.history == 'none' else self.lstm_size


@dataclass(frozen=True)
class ActionSpec(PolicySpec):
    """A policy that scores each legal action by its cards, under all rules."""

    kind: ClassVar[str] = 'actions'

    hidden_size: Size = 512
    """Width of the layers that embed the state."""
    action_size: Size = 256
    """Width of the layers in which state and action meet."""
    inputs: Inputs = 'afterstates'
    """Inputs of the network."""


@dataclass(frozen=True)
class CharlesworthSpec(PolicySpec):
    """The published policy, whose sizes and inputs are fixed."""

    kind: ClassVar[str] = 'charlesworth'


@dataclass(frozen=True)
class BeliefSpec(NetworkSpec):
    """Network that scores hidden hands."""

    kind: ClassVar[str] = 'beliefs'

    hidden_size: Size = 128
    """Width of its three layers."""


SPECS: Mapping[str, type[NetworkSpec]] = {
    spec.kind: spec for spec in (ValueSpec, ActionSpec, CharlesworthSpec, BeliefSpec)
}


class Settings(checkpoint.Settings):
    """Settings of a saved network of Big 2."""

    game = 'big2'
    observation = OBSERVATION_SIZE
    rules_kind = Rules
    specs = SPECS
