"""Policies with a value: both networks take packed observations and legal moves, and score each move."""

from collections.abc import Mapping
from math import sqrt

import numpy as np
import torch
from torch import Tensor, nn

from rlcard_big2 import charlesworth
from rlcard_big2.agents.published import PAPER_RULES, index_known
from rlcard_big2.cards import NUM_CARDS
from rlcard_big2.engine.bitboard import Int64Array
from rlcard_big2.engine.observation import OBSERVATION_SIZE
from training.features import action_features, observation_features, owners_of, padded

STATE_LAYERS = 3  # of the same width, after the first
LEAST_LOGIT = -1e9  # of a move that the published network does not know


class PolicyNetwork(nn.Module):
    """Scores legal moves, and says what the position is worth."""

    def forward(self, observations: Int64Array, masks: Int64Array, offsets: Int64Array) -> tuple[Tensor, Tensor]:
        """Return logits of all legal moves and values of all games.

        Args:
            observations: packed, int64 [N, 27].
            masks: legal moves, int64 [M].
            offsets: where each game's moves begin, int64 [N + 1].

        Returns logits, float32 [M], and values in units of `payoff_unit` cards, float32 [N].
        """
        raise NotImplementedError

    @property
    def dtype(self) -> torch.dtype:
        """The precision of its matrix products, and so of its inputs."""
        kind = self.device.type
        return torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else torch.float32

    @property
    def device(self) -> torch.device:
        """Where the network is."""
        return next(self.parameters()).device


class ActionNetwork(PolicyNetwork):
    """Embeds the state by residual layers, lets each legal action join, and scores it.

    A state costs the same however many actions are legal, for an action adds two small layers; and actions are
    their cards, so that it needs no list of all actions and plays all rules.

    Args:
        hidden_size: width of the state's layers.
        action_size: width of the layer in which state and action meet.
    """

    def __init__(self, hidden_size: int, action_size: int) -> None:
        super().__init__()
        self.state = nn.Linear(OBSERVATION_SIZE, hidden_size)
        self.layers = nn.ModuleList(nn.Linear(hidden_size, hidden_size) for _ in range(STATE_LAYERS))
        self.value = nn.Linear(hidden_size, 1)
        self.join = nn.Linear(hidden_size, action_size)
        self.action = nn.Linear(NUM_CARDS, action_size, bias=False)
        self.logit = nn.Linear(action_size, 1)
        _initialise(self, {self.logit: 0.01})

    def forward(self, observations: Int64Array, masks: Int64Array, offsets: Int64Array) -> tuple[Tensor, Tensor]:
        """Score moves and positions; see `PolicyNetwork`."""
        x = torch.relu(self.state(observation_features(padded(observations), self.dtype, self.device)))
        for layer in self.layers:
            x = torch.relu(x + layer(x))
        actions = self.action(action_features(padded(masks), self.dtype, self.device))
        owners = torch.from_numpy(padded(owners_of(offsets))).to(self.device)
        logits = _exactly(self.logit, torch.relu(self.join(x)[owners] + actions)[: len(masks)])
        return logits.squeeze(1), _exactly(self.value, x[: len(observations)]).squeeze(1)


class CharlesworthNetwork(PolicyNetwork):
    """The published network: 412 inputs, a shared layer of 512, 256 to 1695 logits, 256 to a value."""

    def __init__(self) -> None:
        super().__init__()
        self.shared = nn.Linear(charlesworth.OBSERVATION_SIZE, 512)
        self.policy = nn.Linear(512, 256)
        self.logits = nn.Linear(256, charlesworth.NUM_INDICES)
        self.critic = nn.Linear(512, 256)
        self.value = nn.Linear(256, 1)
        _initialise(self, {self.logits: 0.01, self.value: 1.0})

    def forward(self, observations: Int64Array, masks: Int64Array, offsets: Int64Array) -> tuple[Tensor, Tensor]:
        """Score moves and positions; see `PolicyNetwork`."""
        rows = padded(observations)
        inputs = np.empty((len(rows), charlesworth.OBSERVATION_SIZE), np.int8)
        charlesworth.write_inputs(rows, inputs)
        shared = torch.relu(self.shared(torch.from_numpy(inputs).to(self.device).to(self.dtype)))
        logits = _exactly(self.logits, torch.relu(self.policy(shared)))
        values = _exactly(self.value, torch.relu(self.critic(shared))[: len(observations)]).squeeze(1)
        indices = np.empty(len(masks), np.int64)
        index_known(PAPER_RULES, observations, masks, offsets, indices)
        places = torch.from_numpy(indices).to(self.device)
        owners = torch.from_numpy(owners_of(offsets)).to(self.device)
        scores = logits[owners, places.clamp(min=0)]
        return scores.masked_fill(places < 0, LEAST_LOGIT), values


def _exactly(layer: nn.Linear, x: Tensor) -> Tensor:
    """Apply a last layer in float32: rounded logits would make a policy look unlike itself, its ratios far from 1."""
    with torch.autocast(x.device.type, enabled=False):
        return layer(x.float())


def _initialise(network: nn.Module, gains: Mapping[nn.Module, float]) -> None:
    """Draw orthogonal weights, of gain sqrt 2 where no other is given; biases are 0."""
    for layer in network.modules():
        if isinstance(layer, nn.Linear):
            nn.init.orthogonal_(layer.weight, gains.get(layer, sqrt(2)))
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)


def make_network(name: str, hidden_size: int, action_size: int) -> PolicyNetwork:
    """Make a network by its name, its weights drawn from torch's generator; the sizes are those of 'actions'."""
    return CharlesworthNetwork() if name == 'charlesworth' else ActionNetwork(hidden_size, action_size)
