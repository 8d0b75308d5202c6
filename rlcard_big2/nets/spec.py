"""What a network is: its kind, sizes and inputs, in Big 2. Nothing here needs torch."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from rlcard_kit.nets.spec import NetworkSpec, PolicySpec

Inputs = Literal['cards', 'afterstates', 'rules']
"""The published inputs alone, or with the derived features of `rlcard_big2.nets.afterstates`: as they
are under most rules, or under those of the game."""
Variant = Literal[
    'plain', 'residual', 'convolutional', 'convolutional-residual', 'layered-residual', 'memoryless-residual'
]
"""The paper's value network, and what its layers 2 to 5 and its summary of the last moves may be instead."""
Summary = Literal['lstm', 'convolutions', 'layer', 'none']
"""What sums up the last 16 moves: an LSTM, convolutions over time, one plain layer, or nothing."""


SUMMARIES: Mapping[str, Summary] = {'convolutional': 'convolutions', 'layered': 'layer', 'memoryless': 'none'}


@dataclass(frozen=True)
class ValueSpec(NetworkSpec):
    """The value network of Deep Monte Carlo: a summary of the last 16 moves, then five layers."""

    kind: ClassVar[str] = 'value'

    variant: Variant = 'layered-residual'
    """The paper's network, or one of its variants."""
    hidden_size: int = 256
    """Width of the layers."""
    lstm_size: int = 128
    """Width of the summary of the last 16 moves, whatever makes it."""
    inputs: Inputs = 'afterstates'
    """What the network is given."""

    @property
    def residual(self) -> bool:
        """Whether layers 2 to 5 add what they compute to their input."""
        return self.variant.endswith('residual')

    @property
    def summary(self) -> Summary:
        """What sums up the last moves."""
        return SUMMARIES.get(self.variant.removesuffix('residual').removesuffix('-'), 'lstm')

    @property
    def summary_size(self) -> int:
        """How many numbers the summary of the last moves is."""
        return 0 if self.summary == 'none' else self.lstm_size


@dataclass(frozen=True)
class ActionSpec(PolicySpec):
    """A policy that scores each legal action by its cards, under all rules."""

    kind: ClassVar[str] = 'actions'

    hidden_size: int = 512
    """Width of the layers that embed the state."""
    action_size: int = 256
    """Width of the layers in which state and action meet."""
    inputs: Inputs = 'afterstates'
    """What the network is given."""


@dataclass(frozen=True)
class CharlesworthSpec(PolicySpec):
    """The published policy, whose sizes and inputs are fixed."""

    kind: ClassVar[str] = 'charlesworth'


@dataclass(frozen=True)
class BeliefSpec(NetworkSpec):
    """A network that says how likely hidden hands are."""

    kind: ClassVar[str] = 'beliefs'

    hidden_size: int = 128
    """Width of its three layers."""


SPECS: Mapping[str, type[NetworkSpec]] = {
    spec.kind: spec for spec in (ValueSpec, ActionSpec, CharlesworthSpec, BeliefSpec)
}
