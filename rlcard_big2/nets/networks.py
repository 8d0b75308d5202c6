"""Policies with a value in torch, which score each legal move, and networks made from their specs or loaded."""

from math import sqrt
from pathlib import Path
from typing import TypeVar, overload

import torch
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

import rlcard_big2.engine.charlesworth as charlesworth  # one module: a kernel depends on all that its file imports
from rlcard_big2.agents.published import published_inputs, published_slots
from rlcard_big2.nets.features import WIDTHS, action_inputs, observation_inputs
from rlcard_big2.nets.spec import ActionSpec, CharlesworthSpec, Inputs, ValueSpec
from rlcard_big2.nets.value import ValueNetwork
from rlcard_kit.agents import Positions
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.policy import UNIFORM_GAIN, PolicyNetwork, exactly, padded, start_orthogonal
from rlcard_kit.nets.spec import NetworkSpec, PolicySpec
from rlcard_kit.nets.weights import load_weights_from

Network = TypeVar('Network', bound=nn.Module)

STATE_LAYERS = 3  # of the same width, after the first
LEAST_LOGIT = -1e9  # of a move that the published network does not know


class ActionNetwork(PolicyNetwork):
    """Embeds the state by residual layers, lets each legal action join, and scores it.

    The state is embedded once; each legal action then adds three small layers. Actions are described by their cards,
    so the network needs no list of all actions and plays by all rules. Weights start small, as torch draws them. With
    orthogonal weights of gain sqrt 2 the state drowns out an action's few cards, and the layer in which they meet
    learns little (`docs/results/ppo`).

    Args:
        spec: its sizes and inputs.
    """

    def __init__(self, spec: ActionSpec) -> None:
        super().__init__(spec)
        self.inputs: Inputs = spec.inputs
        widths, hidden_size, action_size = WIDTHS[spec.inputs], spec.hidden_size, spec.action_size
        self.state = nn.Linear(widths.observation, hidden_size)
        self.layers = nn.ModuleList(nn.Linear(hidden_size, hidden_size) for _ in range(STATE_LAYERS))
        self.value = nn.Linear(hidden_size, 1)
        self.join = nn.Linear(hidden_size, action_size)
        self.action = nn.Linear(widths.action, action_size, bias=False)
        self.joined = nn.Linear(action_size, action_size)
        self.logit = nn.Linear(action_size, 1)
        start_orthogonal(self.logit, UNIFORM_GAIN)

    @override
    def forward(self, positions: Positions) -> tuple[Tensor, Tensor]:
        observations, moves, _ = positions
        owners = padded(positions.owners)
        seen = self.as_input(observation_inputs(padded(observations), self.inputs))
        actions = self.as_input(action_inputs(observations, padded(moves), owners, self.inputs))
        return self.evaluate(seen, actions, torch.from_numpy(owners).to(self.device), len(observations), len(moves))

    @override
    def evaluate(
        self,
        observations: Tensor,
        actions: Tensor,
        owners: Tensor,
        count: int | None = None,
        num_moves: int | None = None,
    ) -> tuple[Tensor, Tensor]:
        """See `PolicyNetwork`; of padded inputs, the first `count` games and `num_moves` moves are no padding."""
        x = torch.relu(self.state(observations))
        for layer in self.layers:
            x = torch.relu(x + layer(x))
        y = torch.relu(functional.embedding(owners, self.join(x)) + self.action(actions))
        y = torch.relu(y + self.joined(y))
        return exactly(self.logit, y[:num_moves]).squeeze(1), exactly(self.value, x[:count]).squeeze(1)


class CharlesworthNetwork(PolicyNetwork):
    """The published network: 412 inputs, a shared layer of 512, 256 to 1695 logits, 256 to a value.

    Args:
        spec: the unit of its values; sizes and inputs are fixed.
    """

    def __init__(self, spec: CharlesworthSpec) -> None:
        super().__init__(spec)
        self.shared = nn.Linear(charlesworth.OBSERVATION_SIZE, 512)
        self.policy = nn.Linear(512, 256)
        self.logits = nn.Linear(256, charlesworth.NUM_INDICES)
        self.critic = nn.Linear(512, 256)
        self.value = nn.Linear(256, 1)
        for layer in (self.shared, self.policy, self.critic):
            start_orthogonal(layer, sqrt(2))
        start_orthogonal(self.value, 1.0)
        start_orthogonal(self.logits, UNIFORM_GAIN)

    @override
    def forward(self, positions: Positions) -> tuple[Tensor, Tensor]:
        observations = positions.observations
        seen = self.as_input(published_inputs(padded(observations)))
        slots = torch.from_numpy(published_slots(positions)).to(self.device)
        return self.evaluate(seen, slots, torch.from_numpy(positions.owners).to(self.device), len(observations))

    @override
    def evaluate(
        self, observations: Tensor, actions: Tensor, owners: Tensor, count: int | None = None
    ) -> tuple[Tensor, Tensor]:
        """See `PolicyNetwork`; of padded inputs, the first `count` games are no padding."""
        shared = torch.relu(self.shared(observations))
        policy = torch.relu(self.policy(shared)).float()
        values = exactly(self.value, torch.relu(self.critic(shared))[:count]).squeeze(1)
        known = actions.clamp(min=0)
        weights = functional.embedding(known, self.logits.weight)  # of legal actions alone: few of 1695 are
        scores = (functional.embedding(owners, policy) * weights).sum(dim=1) + self.logits.bias[known]
        return scores.masked_fill(actions < 0, LEAST_LOGIT), values


@overload
def make_network(spec: ValueSpec) -> ValueNetwork: ...
@overload
def make_network(spec: PolicySpec) -> PolicyNetwork: ...
def make_network(spec: NetworkSpec) -> ValueNetwork | PolicyNetwork:
    """Make the network that a spec describes, in float32, its weights drawn from torch's generator.

    Raises:
        ConfigError: if there is no such network.
    """
    match spec:
        case ValueSpec():
            return ValueNetwork(spec).float()
        case ActionSpec():
            return ActionNetwork(spec).float()
        case CharlesworthSpec():
            return CharlesworthNetwork(spec).float()
    raise ConfigError(f'{spec!r} is not the spec of a network')


def load_network(folder: Path, network: Network) -> Network:
    """Return a network with the weights in a folder, to play with.

    Raises:
        CheckpointError: if the weights cannot be read or do not fit.
    """
    load_weights_from(folder, network)
    return network.eval()
