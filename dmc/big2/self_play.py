"""Games of a value network against itself, from which other networks learn: the options, the table and the learner."""

import statistics
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from tyro import MISSING
from tyro.conf import Positional, arg

from common.cli import new_console
from dmc.opponents import ExploringAgent
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.observation import Observations
from rlcard_big2.nets.agents import DMCAgent
from rlcard_big2.nets.checkpoint import Settings
from rlcard_big2.nets.features import action_inputs
from rlcard_big2.nets.value import ValueNetwork
from rlcard_big2.registry import make_agent
from rlcard_big2.rules import find_rules
from rlcard_big2.vector import VectorEnv
from rlcard_kit.agents.base import ValueFunction
from rlcard_kit.arrays import Int64Array
from rlcard_kit.bounds import Above, AtMost, NaturalInt, PositiveFloat, check_settings
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.agents import DMC
from rlcard_kit.rng import new_streams
from rlcard_kit.table import Table
from training.checkpoint import shortened, write_network
from training.learner import GradientLearner

GAMES = 512  # in lock step; every other one is explored
EPSILON, TEMPERATURE = 0.02, 0.5  # of the exploring seats
REPORT_SECONDS = 20.0  # between two reports
RECENT = 200  # steps that are reported
MAX_NORM = 5.0  # of the gradient

N = TypeVar('N', bound=nn.Module)


@dataclass(frozen=True)
class SelfPlay:
    """Options of a command that learns from games of an agent against itself."""

    command: ClassVar[str]

    folder: Annotated[Positional[Path], arg(metavar='FOLDER')] = MISSING
    """Folder to write to; it must not exist."""
    agent: str = 'big2-dmc'
    """Agent with a value network that plays: big2-dmc or dmc:FOLDER."""
    rules: str = 'charlesworth'
    """To play by."""
    positions: Annotated[int, Above(0), AtMost(10**12)] = 2_000_000
    """Choices to learn from."""
    learning_rate: PositiveFloat = 1e-3
    """Of Adam; it falls linearly to 0."""
    seed: NaturalInt = 0
    """Of weights, deals and moves."""

    def __post_init__(self) -> None:
        if isinstance(self.folder, Path):  # tyro makes one whose fields are missing
            check_settings(self)

    @property
    def command_line(self) -> str:
        """The command that repeats these options, without the folder."""
        words = [f'python -m dmc {self.command}']
        for name, value in vars(self).items():
            if name != 'folder' and value != ():
                words += [f'--{name.replace("_", "-")}', *map(str, value if isinstance(value, tuple) else (value,))]
        return ' '.join(words)

    def load_agent(self) -> DMCAgent:
        """Return the agent; ConfigError if it has no values, or the folder exists."""
        if self.folder.exists():
            raise ConfigError(f'{self.folder} is there already: choose another folder')
        return load_valued('agent', self.agent, self.rules)

    def print_summary(self, count: int, learned: str) -> None:
        """Print what was learned from a number of choices."""
        ended = '' if count >= self.positions else f'interrupted after {count:,} of {self.positions:,} choices; '
        new_console().print(f'{ended}wrote {self.folder}: {learned}', soft_wrap=True, markup=False, highlight=False)


def load_valued(option: str, name: str, rules: str) -> DMCAgent:
    """Return the agent that an option names; ConfigError if it has no values."""
    agent = make_agent(name, rules, light=True)
    if not isinstance(agent, DMCAgent):
        raise ConfigError(f'{option}={name}: expected big2-dmc or dmc:FOLDER, which have values')
    return agent


def hands_seen(hands: Int64Array, seats: Int64Array, players: int) -> Int64Array:
    """Return the hands of each game, int64 [N, 4], from a seat of it, int64 [N]: its own first, then in turn."""
    offsets = np.arange(hands.shape[1])
    order = np.where(offsets < players, (seats[:, None] + offsets) % players, offsets)  # absent seats are the last
    return np.take_along_axis(hands, order, axis=1)


def new_table(networks: Sequence[ValueFunction], rules: str, seed: int, ask_forced: bool) -> Table:
    """Return endless games of networks against themselves: of one that plays its best moves, and one that explores."""
    env = VectorEnv(GAMES, find_rules(rules), seed)
    exploring = zip(networks, ((0.0, 0.0), (EPSILON, TEMPERATURE)), strict=True)
    players = [ExploringAgent(network, *settings) for network, settings in exploring]
    seating = np.repeat(np.arange(GAMES)[:, None] % len(players), BIG2.num_seats, axis=1)
    return Table(env, players, seating, new_streams(seed, GAMES)[:, None], ask_forced=ask_forced)


class StudentLearner(GradientLearner[N]):
    """Learns by Adam from games of others, and keeps recent results.

    Args:
        network: to train.
        rate: the learning rate at first.
        averaging: steps that the average of weights spans.
        dtype: precision of the matrix products.
    """

    def __init__(self, network: N, rate: float, averaging: int, dtype: torch.dtype = torch.float32) -> None:
        optimizer = torch.optim.Adam(network.parameters(), lr=rate, fused=True)
        super().__init__(network, optimizer, dtype, max(1, averaging), MAX_NORM)
        self._first_rate = rate
        self._results: deque[float] = deque(maxlen=RECENT)

    def learn(self, loss: Tensor, factor: float, result: float) -> None:
        """Take a step at a factor of the learning rate, and note a result."""
        self.rate = self._first_rate * factor
        self.descend(loss)
        self._results.append(result)

    @property
    def recent(self) -> float:
        """The mean of recent results."""
        return statistics.fmean(self._results)

    def weights(self) -> dict[str, Tensor]:
        """Return the average, `shortened`, by name."""
        return {name: shortened(tensor).contiguous() for name, tensor in self.average.state_dict().items()}


class ValueLearner(StudentLearner[ValueNetwork]):
    """Learns the values of moves, see `StudentLearner`."""

    def values(self, observations: Observations, moves: Int64Array, owners: Int64Array) -> Tensor:
        """Return the values of moves, [M], each of the observation that it belongs to, int64 [M]."""
        actions = action_inputs(observations, moves, owners, self.network.spec.inputs)
        states = self.network.unpack(observations)
        values: Tensor = self.network(states, torch.from_numpy(actions).float(), torch.from_numpy(owners))
        return values

    def save(self, options: SelfPlay, count: int, **results: float) -> None:
        """Write the averaged weights, after `count` choices, to a new folder, and what is to be kept of the results."""
        provenance = {'frames': count, 'command': options.command_line, **results}
        settings = Settings(DMC, find_rules(options.rules), self.network.spec, provenance)
        options.folder.mkdir(parents=True)
        write_network(options.folder, self.weights(), settings)
