"""The requirements of training on a game, beyond a `CardGame`."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from torch import nn

from eval.game import EvaluatedGame
from rlcard_kit.agents import ValueFunction
from rlcard_kit.arrays import BoolArray, Float64Array, Int64Array
from rlcard_kit.nets.agents import PPO
from rlcard_kit.nets.checkpoint import Settings
from rlcard_kit.nets.spec import NetworkSpec
from rlcard_kit.nets.value import MoveValueNetwork
from rlcard_kit.table import Turn

Presets = Mapping[str, Mapping[str, Any]]  # settings by the name of the preset, each by its own name


class LearnedGame(EvaluatedGame):
    """A game to learn: how its agents are measured, its networks, and what is learned."""

    settings: ClassVar[type[Settings]]
    """Settings of its saved networks."""
    training_presets: ClassVar[Mapping[str, Presets]]
    """Presets of each trainer, 'dmc' and 'ppo'; 'default' holds what differs from the defaults of the settings."""
    networks: ClassVar[Mapping[str, tuple[str, ...]]]
    """Names of the networks of each trainer."""
    agents: ClassVar[Mapping[str, type[Any]]]
    """The agents of networks that each trainer has saved: a `ValueAgent` by 'dmc' and a `PolicyAgent` by 'ppo'."""
    play_command: ClassVar[str] = ''
    """The module and arguments, before an agent's name, by which people play against it; empty if there are none."""
    faster_networks: ClassVar[Mapping[str, str]] = {}
    """The network that learns from more decisions a second than one of DMC's, by its name."""
    is_calibrated: ClassVar[bool] = False
    """Whether exported networks are calibrated, see `training.calibration`."""
    statistics: ClassVar[tuple[str, ...]] = ()
    """Names of the statistics of play that are shown during training, see `count`."""

    @abstractmethod
    def spec(self, trainer: str, settings: Mapping[str, Any]) -> NetworkSpec:
        """Return the spec of a run's network.

        Args:
            trainer: 'dmc' for a value network or 'ppo' for a policy.
            settings: of the run by name; 'network' is one of `networks`.

        Raises:
            ConfigError: if the network does not fit the other settings.
        """

    @staticmethod
    @abstractmethod
    def make_network(spec: Any, /) -> Any:
        """Make the network that a spec describes, its weights drawn from torch's generator.

        It is a `MoveValueNetwork` for 'dmc' and a `PolicyNetwork` for 'ppo'.
        """

    def load_agent(self, trainer: str, folder: Path) -> Any:
        """Load the agent of a network that a trainer, 'dmc' or 'ppo', has saved; a policy plays its likeliest moves."""
        return self.agents[trainer].load(folder, **({'greedy': True} if trainer == PPO else {}))

    def widen(self, folder: Path, spec: NetworkSpec, network: nn.Module) -> bool:
        """Set a network to the weights in a folder, of a spec that only has fewer inputs; else return False."""
        return False

    def values_in_numpy(self, network: MoveValueNetwork) -> ValueFunction | None:
        """Return a numpy version of a network with its current weights; None if there is none.

        Args:
            network: in float32, on the CPU.
        """
        return None

    @abstractmethod
    def show(self, title: str, match: Any, width: int) -> Iterator[Any]:
        """Yield the printed report of a match, in a terminal of `width` columns."""

    def draw_rules(self, random: np.random.Generator) -> Any:
        """Draw rules at random, for a network that is told the rules."""
        raise NotImplementedError

    def value_unit(self, spec: NetworkSpec) -> float:
        """Return the payoff that a value of 1 stands for, given the spec of the network."""
        return 1.0

    def returns(self, payoffs: Int64Array) -> Int64Array:
        """Return the learning targets, int64 [N, seats], given payoffs, int64 [N, seats]: the measure of matches."""
        return self.gains(payoffs)

    def count(self, turn: Turn, trained: BoolArray) -> Float64Array:
        """Return sums and numbers for the `statistics`, float64 [statistics, 2], of the games that a turn ended.

        Args:
            turn: at a table.
            trained: bool [N, seats], the seats that are trained.
        """
        return self.no_statistics()

    def no_statistics(self) -> Float64Array:
        """Return what `count` returns if no game has ended."""
        return np.zeros((len(self.statistics), 2))

    def averages(self, counts: Float64Array) -> dict[str, float | None]:
        """Return the `statistics` by name, given what `count` counted; None if that is nothing."""
        sums = zip(self.statistics, counts.tolist(), strict=True)
        return {name: total / number if number else None for name, (total, number) in sums}
