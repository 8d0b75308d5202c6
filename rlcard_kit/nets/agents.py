"""Agents that play by a policy or a value network."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

import numpy as np
from typing_extensions import override

from rlcard_kit.agents import Agent, Decision, Positions, ValueFunction, choose_highest, pick
from rlcard_kit.arrays import Float32Array, Float64Array, Int8Array, Int64Array
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.calibration import Calibration, CalibrationByRules, Calibrations
from rlcard_kit.nets.checkpoint import CheckpointError, Settings, require_torch
from rlcard_kit.nets.spec import NetworkSpec, PolicySpec
from rlcard_kit.rng import Streams

if TYPE_CHECKING:
    from rlcard_kit.nets.module import NetworkModule

P = TypeVar('P', bound='PolicyAgent')
V = TypeVar('V', bound='ValueAgent')

DMC, PPO = 'dmc', 'ppo'  # the kinds of agents: the words before the colon in their names


class Policy(Protocol):
    """A policy with a value."""

    def probabilities(self, positions: Positions) -> tuple[Float64Array, Float64Array]:
        """Return the probability of each legal move, [M], and the value of each game in payoff, [N], both float64."""
        ...


class NetworkAgent(Agent):
    """Plays by a saved network."""

    kind: ClassVar[str]
    settings_type: ClassVar[type[Settings]]
    package: ClassVar[str]
    """Of the game's networks, with the modules `networks`, which imports torch, and `inputs`."""
    folder: Path | None = None
    """Of the network for its rules, if it was loaded from one."""

    def torch_module(self) -> 'NetworkModule':
        """Return the network for its rules as a torch module of tensors, whatever it plays by; one of its own.

        Raises:
            ConfigError: if it was not loaded from a folder.
            MissingTorchError: if torch is not installed.
        """
        if self.folder is None:
            raise ConfigError(f'{type(self).__name__} was made from a network: it has no folder to load one from')
        require_torch('a torch module')
        from rlcard_kit.nets.module import NetworkModule  # here, since it imports torch
        from rlcard_kit.nets.weights import load_weights_from

        networks, inputs = (import_module(f'{self.package}.{name}') for name in ('networks', 'inputs'))
        network = networks.make_network(self.settings_type.load(self.folder, self.kind).network)
        load_weights_from(self.folder, network)
        return NetworkModule(network, inputs.network_inputs, inputs.input_columns)


class PolicyAgent(NetworkAgent):
    """Plays by a policy.

    Moves that count as one, see `fold`, are chosen as one.

    Args:
        network: the policy.
        greedy: play the likeliest move; otherwise moves are sampled.
        trained_on: the rules that it was trained on, if it was.
    """

    kind = PPO

    def __init__(self, network: Policy, greedy: bool = False, trained_on: Any = None) -> None:
        super().__init__(seed=0)
        self.network = network
        self.trained_on = trained_on
        self.greedy = greedy

    @classmethod
    def load(cls: type[P], folder: str | Path, greedy: bool = False) -> P:
        """Load the agent of a run.

        Args:
            folder: of the run, or of one of its checkpoints.
            greedy: play the likeliest move; otherwise moves are sampled.

        Raises:
            CheckpointError: if the folder holds no such agent, or one that this version cannot read.
            MissingTorchError: if it needs torch, which is not installed.
        """
        folder = Path(folder)
        settings = _load_settings(cls.settings_type, folder, PPO, PolicySpec, 'policy')
        agent = cls(cls.load_network(folder, settings.network), greedy, settings.rules)
        agent.folder = folder
        return agent

    @staticmethod
    def load_network(folder: Path, spec: Any) -> Policy:
        """Return the network of a spec, with the weights in a folder."""
        raise NotImplementedError

    def probabilities(self, positions: Positions) -> Float64Array:
        """Return the probability of each legal move, float64 [M]."""
        return self.network.probabilities(positions)[0]

    def fold(self, positions: Positions, probabilities: Float64Array) -> tuple[Float64Array, Int64Array]:
        """Add up the probabilities of moves that count as one.

        Returns:
            The probabilities that it chooses by, float64 [M], and the index of the move that stands for each, int64
            [M]. By default every move counts for itself.
        """
        return probabilities, np.arange(len(probabilities))

    @override
    def choose(self, positions: Positions, random: Streams) -> Decision:
        probabilities, values = self.network.probabilities(positions)
        folded = self.fold(positions, probabilities)[0]
        return Decision(pick(folded, positions.offsets, random, self.greedy), values.astype(np.float32))

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the action id for a state, with the network's probabilities.

        info['probs'] holds the probability of each raw legal action; info['value'] is the expected payoff.
        """
        positions = self.positions_of(state)
        probabilities, values = self.network.probabilities(positions)
        folded = self.fold(positions, probabilities)[0]
        index = int(pick(folded, positions.offsets, self._stream, self.greedy)[0])
        named = dict(zip(state['raw_legal_actions'], probabilities.tolist(), strict=True))
        return list(state['legal_actions'])[index], {'probs': named, 'value': float(values[0])}


class GreedyValueAgent(Agent):
    """Chooses the moves of the highest values.

    Args:
        network: evaluates moves.
    """

    def __init__(self, network: ValueFunction) -> None:
        self.network = network

    @override
    def choose(self, positions: Positions, random: Streams) -> Decision:
        return self.evaluate(positions)[1]

    def evaluate(self, positions: Positions) -> tuple[Float32Array, Decision]:
        """Return the values of all legal moves, float32 [M], and the choice of each game's highest."""
        values = self.network.values(positions)
        indices = choose_highest(values, positions.offsets)
        return values, Decision(indices, values[indices])


class ValueAgent(GreedyValueAgent, NetworkAgent):
    """Plays the move of the highest value.

    Args:
        network: evaluates moves.
        trained_on: the rules that it was trained on, if it was.
        calibration: of the values under those rules, or by rules if the network is told them; None if not measured.
    """

    kind = DMC
    spec_type: ClassVar[type[NetworkSpec]]
    """Of its networks."""

    def __init__(self, network: ValueFunction, trained_on: Any = None, calibration: Calibrations = None) -> None:
        GreedyValueAgent.__init__(self, network)
        Agent.__init__(self, seed=0)
        self.trained_on = trained_on
        self._calibration = calibration

    @classmethod
    def load(cls: type[V], folder: str | Path, numpy: bool = False) -> V:
        """Load the agent of a run.

        Args:
            folder: of the run, or of one of its checkpoints.
            numpy: play in numpy even if torch is installed: in one thread and in float32 that is faster.

        Raises:
            CheckpointError: if the folder holds no such agent, or one that this version cannot read.
        """
        folder = Path(folder)
        settings = _load_settings(cls.settings_type, folder, DMC, cls.spec_type, 'value network')
        agent = cls(cls.load_network(folder, settings.network, numpy), settings.rules, settings.calibration)
        agent.folder = folder
        return agent

    @staticmethod
    def load_network(folder: Path, spec: Any, numpy: bool) -> ValueFunction:
        """Return the network of a spec, with the weights in a folder; without torch if `numpy`."""
        raise NotImplementedError

    def calibration(self, rules: Any) -> Calibration | None:
        """Return the calibration of the values under some rules, or None if not measured."""
        if isinstance(self._calibration, CalibrationByRules):
            return self._calibration.under(*self.told(rules))
        return self._calibration if rules == self.trained_on else None

    @staticmethod
    def told(rules: Any) -> tuple[Int8Array, float]:
        """Return rules as a network that is told them reads them, int8 [inputs], and a value of 1 in payoff."""
        raise NotImplementedError

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the action id for a state, and the values by raw action in info['values'].

        A value is the expected payoff, with the `win_bonus` of the training.
        """
        values, choice = self.evaluate(self.positions_of(state))
        named = dict(zip(state['raw_legal_actions'], values.tolist(), strict=True))
        return list(state['legal_actions'])[choice.indices[0]], {'values': named}


def _load_settings(settings_type: type[Settings], folder: Path, agent: str, spec: type, what: str) -> Settings:
    """Return the settings of a saved network, of that kind of agent and spec."""
    settings = settings_type.load(folder, agent)
    if not isinstance(settings.network, spec):
        raise CheckpointError(f'{folder} holds a network of kind {settings.network.kind!r}: expected a {what}')
    return settings
