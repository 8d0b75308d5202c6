"""`python -m dmc beliefs`: learn from self-play which hidden hands are likely.

At each choice the network scores the true hidden hands among others dealt at random, and learns to identify them
(InfoNCE; van den Oord et al., 2018). Its scores converge to log-likelihood ratios against chance.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from typing_extensions import override

from dmc.big2.self_play import GAMES, SelfPlay, hands_seen, new_table
from rlcard_big2.engine.observation import OBSERVATION_SIZE, STATE_SIZE, Observations
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.nets.belief_features import HANDS_SIZE, hands_inputs
from rlcard_big2.nets.beliefs import AGENT, MOVES_SIZE, NUM_LAYERS, STATE_INPUTS
from rlcard_big2.nets.features import observation_inputs
from rlcard_big2.nets.spec import BeliefSpec
from rlcard_big2.rules import Rules, find_rules
from rlcard_big2.search.beliefs import Uniform
from rlcard_kit.agents import ValueFunction
from rlcard_kit.arrays import Int64Array
from rlcard_kit.bounds import AtLeast, AtMost
from rlcard_kit.rng import new_streams
from training.machine import autocast

SHARE = 0.6  # of the choices that are learned from, so that few are of the same deal
AVERAGED = 5000  # choices for one step of the average of weights, which is of the last twentieth of all steps


@dataclass(frozen=True)
class Beliefs(SelfPlay):
    """Learn from an agent's games against itself which hidden hands are likely, for `search:AGENT`.

    In half of the games every seat plays its best moves, in the other half they explore as in training. Ctrl-C saves
    what has been learned and ends.
    """

    command, kind = 'beliefs', AGENT

    hidden_size: Annotated[int, AtLeast(1), AtMost(4096)] = BeliefSpec.hidden_size
    """Width of the layers."""
    worlds: Annotated[int, AtLeast(2), AtMost(10_000)] = 32
    """Among which the true hands are found, themselves included."""
    precision: Literal['float32', 'bfloat16'] = 'float32'
    """Of products in training; bfloat16 is faster on processors that have it."""

    @override
    def student(self) -> tuple['BeliefModule', int]:
        network = BeliefModule(BeliefSpec(self.hidden_size), find_rules(self.rules)).float()
        return network, self.positions // AVERAGED

    @override
    def batches(self, networks: list[ValueFunction]) -> Iterator[tuple[int, tuple[Any, ...]]]:
        uniform, first, count = Uniform(find_rules(self.rules)), int(new_streams([self.seed, 1], 1)[0]), 0
        for observations, hands in choices(networks[0], self.rules, self.seed):
            random = new_streams(first + count, len(hands))
            worlds = uniform.draw(observations, random, self.worlds)
            worlds[:, 0] = hands
            yield len(hands), (observations, worlds)
            count += len(hands)

    @override
    def loss(self, network: 'BeliefModule', observations: Observations, worlds: Int64Array) -> tuple[Tensor, float]:
        with autocast('cpu', getattr(torch, self.precision)):
            scores = network(observations, worlds)
        loss = nn.functional.cross_entropy(scores.float(), torch.zeros(len(scores), dtype=torch.int64))
        return loss, math.log(worlds.shape[1]) - loss.item()

    @override
    def describe(self, recent: float) -> str:
        return f'the true hands are {recent:.2f} nats likelier than by chance, among {self.worlds}'


class Seen(NamedTuple):
    """Observations of N seats at a choice, and the true hands."""

    observations: Observations  # packed, [N]
    hands: Int64Array  # [N, 4], the viewer's first, then in the order of play


class BeliefModule(nn.Module):
    """`rlcard_big2.nets.beliefs.BeliefNetwork` to be trained. Its weights are drawn from torch's generator."""

    def __init__(self, spec: BeliefSpec, rules: Rules) -> None:
        super().__init__()
        self.spec = spec
        self._rules_arrays = tabulate(rules)
        size = spec.hidden_size
        self.moves = nn.Linear(OBSERVATION_SIZE - STATE_SIZE, MOVES_SIZE)
        self.state = nn.Linear(STATE_INPUTS + MOVES_SIZE, size)
        self.hands = nn.Linear(HANDS_SIZE, size, bias=False)
        self.layers = nn.ModuleList(nn.Linear(size, size) for _ in range(NUM_LAYERS))
        self.score = nn.Linear(size, 1, bias=False)

    def forward(self, observations: Observations, worlds: Int64Array) -> Tensor:
        """Return the scores of worlds, [N, W, 4], float32 [N, W]; see `BeliefNetwork.scores`."""
        inputs = torch.from_numpy(observation_inputs(observations, 'afterstates')).float()
        state, moves, more = inputs.tensor_split((STATE_SIZE, OBSERVATION_SIZE), dim=1)
        states = self.state(torch.cat((state, more, torch.relu(self.moves(moves))), dim=1))
        count, width, seats = worlds.shape
        owners = np.repeat(np.arange(count), width)
        held = hands_inputs(self._rules_arrays, observations, owners, worlds.reshape(-1, seats))
        hands = self.hands(torch.from_numpy(held).float())
        x = torch.relu(states[:, None] + hands.view(count, width, -1))
        for layer in self.layers:
            x = torch.relu(x + layer(x))
        scores: Tensor = self.score(x).squeeze(2)
        return scores


def choices(network: ValueFunction, rules: str, seed: int) -> Iterator[Seen]:
    """Yield choices of a network's games against itself, without end, some hundreds at a time."""
    random, table = np.random.default_rng(seed), new_table([network] * 2, rules, seed, ask_forced=False)
    while True:
        hands = table.env.games['hands'].copy()
        turn = table.turn()
        chosen = np.flatnonzero((turn.positions.counts > 1) & (random.random(GAMES) < SHARE))
        if chosen.size:
            hands = hands_seen(hands[chosen], turn.seats[chosen], NUM_PLAYERS)
            yield Seen(turn.positions.observations.take(chosen), hands)
