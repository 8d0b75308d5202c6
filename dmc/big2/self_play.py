"""Games of a value network against itself, from which other networks learn: the options and the table."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
from tyro import MISSING
from tyro.conf import Positional, arg

from common.cli import new_console
from dmc.opponents import ExploringAgent
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.nets.spec import BeliefSpec
from rlcard_big2.registry import make_agent
from rlcard_big2.rules import find_rules
from rlcard_big2.vector import VectorEnv
from rlcard_kit.agents.base import ValueFunction
from rlcard_kit.bounds import Above, AtLeast, AtMost, NaturalInt, PositiveFloat, check_settings
from rlcard_kit.errors import ConfigError
from rlcard_kit.rng import new_streams
from rlcard_kit.table import Table

GAMES = 512  # in lock step; every other one is explored
EPSILON, TEMPERATURE = 0.02, 0.5  # of the exploring seats
REPORT_SECONDS = 20.0  # between two reports


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
    hidden_size: Annotated[int, AtLeast(1), AtMost(4096)] = BeliefSpec.hidden_size
    """Width of the layers."""
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
        flags = (f'--{name.replace("_", "-")} {value}' for name, value in vars(self).items() if name != 'folder')
        return ' '.join((f'python -m dmc {self.command}', *flags))

    def load_agent(self) -> DMCAgent:
        """Return the agent; ConfigError if it has no values, or the folder exists."""
        if self.folder.exists():
            raise ConfigError(f'{self.folder} is there already: choose another folder')
        agent = make_agent(self.agent, self.rules, light=True)
        if not isinstance(agent, DMCAgent):
            raise ConfigError(f'agent={self.agent}: expected big2-dmc or dmc:FOLDER, which have values')
        return agent

    def print_summary(self, count: int, learned: str) -> None:
        """Print what was learned from a number of choices."""
        ended = '' if count >= self.positions else f'interrupted after {count:,} of {self.positions:,} choices; '
        new_console().print(f'{ended}wrote {self.folder}: {learned}', soft_wrap=True, markup=False, highlight=False)


def new_table(networks: Sequence[ValueFunction], rules: str, seed: int, ask_forced: bool) -> Table:
    """Return endless games of networks against themselves: of one that plays its best moves, and one that explores."""
    env = VectorEnv(GAMES, find_rules(rules), seed)
    exploring = zip(networks, ((0.0, 0.0), (EPSILON, TEMPERATURE)), strict=True)
    players = [ExploringAgent(network, *settings) for network, settings in exploring]
    seating = np.repeat(np.arange(GAMES)[:, None] % len(players), BIG2.num_seats, axis=1)
    return Table(env, players, seating, new_streams(seed, GAMES)[:, None], ask_forced=ask_forced)
