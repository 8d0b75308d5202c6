"""The networks of Catch Five in torch, to be trained; agents play by them in numpy, see `agents`."""

from itertools import pairwise
from typing import overload

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from rlcard_catch5.actions import NUM_ACTIONS
from rlcard_catch5.agents.published import HIDDEN, published_inputs
from rlcard_catch5.engine.observation import OBSERVATION_SIZE, PUBLISHED_SIZE, Observations
from rlcard_catch5.nets.spec import SLOPE, SuitsSpec, SuitsValueSpec, VonYorkSpec
from rlcard_catch5.nets.suits import rename_moves, sorted_inputs
from rlcard_kit.agents import Positions
from rlcard_kit.arrays import Float32Array, Int64Array
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.layers import HiddenLayers
from rlcard_kit.nets.policy import UNIFORM_GAIN, PolicyNetwork, exactly, padded, start_orthogonal
from rlcard_kit.nets.spec import NetworkSpec, PolicySpec
from rlcard_kit.nets.value import MoveValueNetwork


class SuitsNetwork(PolicyNetwork):
    """Residual layers over the mover's observation, its suits sorted; a logit for each action, and a value.

    Args:
        spec: its sizes.
    """

    def __init__(self, spec: SuitsSpec) -> None:
        super().__init__(spec)
        size = spec.hidden_size
        self.state = nn.Linear(OBSERVATION_SIZE, size)
        self.layers = HiddenLayers(size, spec.num_layers)
        self.logits = nn.Linear(size, NUM_ACTIONS)
        self.value = nn.Linear(size, 1)
        start_orthogonal(self.logits, UNIFORM_GAIN)

    @override
    def forward(self, positions: Positions) -> tuple[Tensor, Tensor]:
        observations, moves, _ = positions
        owners = positions.owners
        inputs, new_suits = sorted_inputs(padded(observations))
        actions = _flat_actions(rename_moves(moves, owners, new_suits), owners, self.device)
        return self._score(self.as_input(inputs), actions, len(observations))

    @override
    def evaluate(self, observations: Tensor, actions: Tensor, owners: Tensor) -> tuple[Tensor, Tensor]:
        return self._score(observations, owners * NUM_ACTIONS + actions)

    def _score(self, inputs: Tensor, actions: Tensor, count: int | None = None) -> tuple[Tensor, Tensor]:
        """Return logits of flat actions, [M], and the values of the first `count` games."""
        x = self.layers(torch.relu(self.state(inputs)))[:count]
        return exactly(self.logits, x).flatten()[actions], exactly(self.value, x).squeeze(1)


class SuitsValueNetwork(MoveValueNetwork):
    """Residual layers over the mover's observation, its suits sorted; the value of each action, in points.

    Args:
        spec: its sizes.
    """

    spec: SuitsValueSpec

    def __init__(self, spec: SuitsValueSpec) -> None:
        super().__init__()
        self.spec = spec
        size = spec.hidden_size
        self.state = nn.Linear(OBSERVATION_SIZE, size)
        self.layers = HiddenLayers(size, spec.num_layers)
        self.actions = nn.Linear(size, NUM_ACTIONS)

    def values(self, positions: Positions) -> Float32Array:
        """Return the value of every legal move of N games, float32 [M]."""
        with torch.inference_mode():
            values = self(*self._inputs(padded(positions.observations), positions.moves, positions.owners))
        result: Float32Array = values.cpu().numpy()
        return result

    @override
    def inputs(self, observations: Observations, moves: Int64Array) -> tuple[Tensor, ...]:
        return self._inputs(observations, moves, np.arange(len(moves)))

    @override
    def unpack(self, observations: Observations) -> Tensor:
        return self.as_input(sorted_inputs(observations)[0])

    @override
    def forward(self, inputs: Tensor, actions: Tensor) -> Tensor:
        """Return the value of some actions, float32 [M], given `sorted_inputs`, [N, ...], and N * 64 + 0..63, [M]."""
        x = self.layers(torch.relu(self.state(inputs)))
        return self.actions(x).float().flatten()[actions]

    @override
    def evaluate(self, observations: Tensor, actions: Tensor, owners: Tensor) -> Tensor:
        return self(observations, owners * NUM_ACTIONS + actions)

    def _inputs(self, observations: Observations, moves: Int64Array, owners: Int64Array) -> tuple[Tensor, ...]:
        """Return what `forward` takes to value each move in its owner's position."""
        inputs, new_suits = sorted_inputs(observations)
        x = self.as_input(inputs)
        return x, _flat_actions(rename_moves(moves, owners, new_suits), owners, x.device)


class VonYorkNetwork(PolicyNetwork):
    """The published actor and critic: 504 inputs, layers of 512, 256 and 256, then 64 logits or a value within 1.

    Args:
        spec: the activation between the layers; sizes and inputs are fixed.
    """

    def __init__(self, spec: VonYorkSpec) -> None:
        super().__init__(spec)
        self.actor, self.critic = (_dense((PUBLISHED_SIZE, *HIDDEN, size), spec) for size in (NUM_ACTIONS, 1))
        self._is_leaky = spec.activation == 'leaky'

    @override
    def forward(self, positions: Positions) -> tuple[Tensor, Tensor]:
        observations, moves, _ = positions
        actions = _flat_actions(moves, positions.owners, self.device)
        return self._score(self.as_input(published_inputs(padded(observations))), actions, len(observations))

    @override
    def evaluate(self, observations: Tensor, actions: Tensor, owners: Tensor) -> tuple[Tensor, Tensor]:
        return self._score(observations, owners * NUM_ACTIONS + actions)

    def _score(self, inputs: Tensor, actions: Tensor, count: int | None = None) -> tuple[Tensor, Tensor]:
        """Return logits of flat actions, [M], and the values of the first `count` games."""
        logits, values = (self._pass(inputs, layers)[:count] for layers in (self.actor, self.critic))
        return logits.flatten()[actions], torch.tanh(values).squeeze(1)

    def _pass(self, x: Tensor, layers: nn.ModuleList) -> Tensor:
        *hidden, last = layers
        for layer in hidden:
            x = functional.leaky_relu(layer(x), SLOPE) if self._is_leaky else torch.tanh(layer(x))
        assert isinstance(last, nn.Linear)
        return exactly(last, x)


@overload
def make_network(spec: SuitsValueSpec) -> SuitsValueNetwork: ...
@overload
def make_network(spec: PolicySpec) -> PolicyNetwork: ...
def make_network(spec: NetworkSpec) -> nn.Module:
    """Make the network that a spec describes, in float32, its weights drawn from torch's generator.

    Raises:
        ConfigError: if there is no such network.
    """
    match spec:
        case SuitsSpec():
            return SuitsNetwork(spec).float()
        case SuitsValueSpec():
            return SuitsValueNetwork(spec).float()
        case VonYorkSpec():
            return VonYorkNetwork(spec).float()
    raise ConfigError(f'{spec!r} is not the spec of a network')


def _flat_actions(moves: Int64Array, owners: Int64Array, device: torch.device) -> Tensor:
    """Return the places of moves, int64 [M], among all actions of all games, in one row."""
    return torch.from_numpy(owners * NUM_ACTIONS + moves).to(device)


def _dense(sizes: tuple[int, ...], spec: VonYorkSpec) -> nn.ModuleList:
    """Make layers that start as the published ones: Glorot's normal weights, or He's uniform ones if leaky."""
    layers = nn.ModuleList(nn.Linear(inputs, outputs) for inputs, outputs in pairwise(sizes))
    for layer in layers:
        assert isinstance(layer, nn.Linear)
        if spec.activation == 'leaky':
            nn.init.kaiming_uniform_(layer.weight, nonlinearity='relu')
            nn.init.constant_(layer.bias, SLOPE)
        else:
            nn.init.xavier_normal_(layer.weight)
            nn.init.zeros_(layer.bias)
    return layers
