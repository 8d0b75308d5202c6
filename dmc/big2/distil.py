"""`python -m dmc distil`: teach a small value network to choose as a larger one does.

The larger network plays against itself. At each choice the small one learns its softmax over the legal moves (Hinton
et al., 2015), and by a small weight its values.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import torch
from torch import Tensor, nn
from typing_extensions import override

from dmc.big2.self_play import SelfPlay, new_table, values_of
from rlcard_big2.nets.networks import make_network
from rlcard_big2.nets.spec import ValueSpec
from rlcard_big2.nets.value import ValueNetwork
from rlcard_kit.agents import Positions, ValueFunction, choose_highest
from rlcard_kit.arrays import Float32Array
from rlcard_kit.bounds import Above, AtLeast, AtMost, PositiveFloat
from rlcard_kit.nets.policy import log_softmax

TEMPERATURE = 0.5  # of the softmax that is learned, in cards
VALUES = 0.01  # weight of the squared error of the values
AVERAGED = 2000  # steps


@dataclass(frozen=True)
class Distil(SelfPlay):
    """Teach a small network to choose as an agent does in games against itself, for the rollouts of `search:AGENT`.

    In half of the games every seat plays its best moves, in the other half they explore as in training. The small
    network does not read the last 16 moves. Ctrl-C saves what has been learned and ends.
    """

    command = 'distil'

    positions: Annotated[int, Above(0), AtMost(10**12)] = 5_000_000
    """Choices to learn from."""
    hidden_size: Annotated[int, AtLeast(1), AtMost(4096)] = 64
    """Width of the layers."""
    learning_rate: PositiveFloat = 2e-3
    """Of Adam; it falls linearly to 0."""

    @override
    def student(self) -> tuple[ValueNetwork, int]:
        return make_network(ValueSpec('memoryless-residual', self.hidden_size, 1, 'afterstates')), AVERAGED

    @override
    def batches(self, networks: list[ValueFunction]) -> Iterator[tuple[int, tuple[Any, ...]]]:
        teachers = Kept(networks[0]), Kept(networks[0])
        table = new_table(teachers, self.rules, self.seed, ask_forced=True)
        while True:
            positions = table.turn().positions
            values = np.empty(len(positions.moves), np.float32)
            players = np.repeat(table.seating[:, 0], positions.counts)  # one plays in all seats of a game
            for number, teacher in enumerate(teachers):
                values[players == number] = teacher.latest
            several = positions.counts > 1
            if several.any():
                chosen = positions.select(np.flatnonzero(several))
                yield int(several.sum()), (chosen, values[np.repeat(several, positions.counts)])

    @override
    def loss(self, network: ValueNetwork, positions: Positions, targets: Float32Array) -> tuple[Tensor, float]:
        values = values_of(network, positions.observations, positions.moves, positions.owners)
        owners, count, wanted = torch.from_numpy(positions.owners), len(positions.counts), torch.from_numpy(targets)
        teacher, student = (log_softmax(scores / TEMPERATURE, owners, count) for scores in (wanted, values))
        divergence = (teacher.exp() * (teacher - student)).sum() / count
        chosen = (choose_highest(scores, positions.offsets) for scores in (targets, values.detach().numpy()))
        return divergence + VALUES * nn.functional.mse_loss(values, wanted), float(np.equal(*chosen).mean())

    @override
    def describe(self, recent: float) -> str:
        return f'it chooses as {self.agent} in {recent:.1%} of the latest choices'


class Kept:
    """Values of a network, of which the latest are kept.

    Args:
        network: gives them.
    """

    def __init__(self, network: ValueFunction) -> None:
        self._network = network
        self.latest: Float32Array

    def values(self, positions: Positions) -> Float32Array:
        """Return the value of every legal move of N games, float32 [M]."""
        self.latest = self._network.values(positions)
        return self.latest
