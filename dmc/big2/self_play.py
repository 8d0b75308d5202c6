"""Games of a value network against itself, from which other networks learn: the loop, the table and the learner."""

import shlex
import statistics
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar

import numpy as np
import torch
from torch import Tensor
from tyro import MISSING
from tyro.conf import Positional, arg

from dmc.opponents import ExploringAgent
from eval.common.cli import new_console
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.observation import Observations
from rlcard_big2.nets.agents import DMCAgent
from rlcard_big2.nets.features import action_inputs
from rlcard_big2.nets.spec import Settings
from rlcard_big2.nets.value import ValueNetwork
from rlcard_big2.registry import make_agent
from rlcard_big2.rules import find_rules
from rlcard_big2.vector import VectorEnv
from rlcard_kit.agents import ValueFunction
from rlcard_kit.arrays import Int64Array
from rlcard_kit.bounds import Above, AtMost, NaturalInt, PositiveFloat, check_settings
from rlcard_kit.errors import ConfigError
from rlcard_kit.files import locked, pinned_once_read
from rlcard_kit.nets.agents import DMC
from rlcard_kit.nets.checkpoint import CheckpointError, check_same
from rlcard_kit.rng import new_streams
from rlcard_kit.table import Table
from training.checkpoint import Counters, load_state, save_state, shortened, state_settings, write_network
from training.learner import GradientLearner
from training.optimizers import Adam
from training.progress import Progress
from training.run import interrupts_noted, saving
from training.run_settings import ensure_unused

GAMES = 512  # in lockstep; every other one is explored
EPSILON, TEMPERATURE = 0.02, 0.5  # of the exploring seats
SAVE_SECONDS = 20.0  # between two savings
RECENT = 200  # steps that are reported
CHANGEABLE = ('positions', 'learning_rate')  # options, when a run is resumed
MAX_NORM = 5.0  # of the gradient

S = TypeVar('S', bound='SelfPlay')


@dataclass(frozen=True)
class SelfPlay(ABC):
    """Options of a command that learns from games of an agent against itself."""

    command: ClassVar[str]
    kind: ClassVar[str] = DMC
    """Of agent, in the network's settings."""
    least_rate: ClassVar[float] = 0.0
    """Part of the learning rate at the end."""

    folder: Annotated[Positional[Path], arg(metavar='FOLDER')] = MISSING
    """Folder to write to, three times a minute, at the end, and after an error."""
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
    resume: bool = False
    """Resume the run in that folder, with its options; of these, --positions and --learning-rate can change."""

    def __post_init__(self) -> None:
        if isinstance(self.folder, Path):  # tyro makes one whose fields are missing
            check_settings(self)
            object.__setattr__(self, 'rules', find_rules(self.rules).text)  # by value, since a file may change

    def networks(self) -> list[ValueFunction]:
        """Return the networks that play, the agent's first; ConfigError if an agent has no values."""
        return [load_valued('agent', self.agent, self.rules).network]

    @abstractmethod
    def student(self) -> tuple[Any, int]:
        """Return the network that learns, and over how many steps its weights are averaged.

        Weights are drawn from torch's generator. ConfigError if the agent's network cannot be learned.
        """

    @abstractmethod
    def batches(self, networks: list[ValueFunction]) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """Yield numbers of choices and what `loss` takes of them, from games of networks without end."""

    @abstractmethod
    def loss(self, network: Any, *batch: Any) -> tuple[Tensor, float]:
        """Return the loss of a network on a batch, and a figure that `describe` explains."""

    @abstractmethod
    def describe(self, recent: float) -> str:
        """Return in words what has been learned, given the mean of recent figures of `loss`."""

    def run(self) -> None:
        """Learn in the folder, until an interruption at most, and print a summary.

        Raises:
            ConfigError: if the options cannot be used.
            CheckpointError: if the folder holds a run that is not to be resumed, or that cannot be.
            FloatingPointError: if the run diverges; its last sound state is kept.
        """
        own = self._resumed() if self.resume else self
        networks, learner = own.networks(), StudentLearner(own)
        with locked(own.folder), interrupts_noted() as interrupts:
            if not own.resume:
                ensure_unused(own.folder)
            own._learn(networks, learner, interrupts)

    def _learn(self, networks: list[ValueFunction], learner: 'StudentLearner', interrupts: Sequence[int]) -> None:
        """Learn and save."""
        counters = load_state(self.folder, self.kind, {}, learner) if self.resume else Counters()
        progress = Progress(counters, np.empty((0, 2)), total_frames=self.positions)
        say, saved = partial(new_console().print, soft_wrap=True, markup=False, highlight=False), 0.0
        if progress.done == 1:
            raise ConfigError(f'positions={self.positions}: {self.folder} has learned from {counters.frames} already')
        part = counters.actors  # of a run that was interrupted; each plays other games
        seed = int(new_streams([self.seed, part], 1)[0]) >> 1 if part else self.seed
        try:
            for count, batch in replace(self, seed=seed).batches(networks):
                learner.step(batch, max(self.least_rate, 1 - progress.done))
                progress.frames += count
                if progress.done == 1 or interrupts:
                    break
                if progress.seconds_now - saved > SAVE_SECONDS:
                    saved = progress.seconds_now
                    say(f'after {progress.frames:,} choices: {self.describe(learner.recent)}')
                    try:
                        self._save(learner, progress.counters(part + 1))
                    except CheckpointError as error:
                        say(f'{error}; training continues')
        finally:
            if progress.frames > counters.frames:
                self._save(learner, progress.counters(part + 1))
        left = '' if progress.done == 1 else f'interrupted at {progress.frames:,} of {self.positions:,} choices; '
        say(f'{left}wrote {self.folder}: {self.describe(learner.recent)}')

    def _save(self, learner: 'StudentLearner', counters: Counters) -> None:
        """Write the state to resume from, and the averaged weights, `shortened`, with the options."""
        provenance = {'frames': counters.frames, 'command': self.command_line, 'result': learner.recent}
        settings = Settings(self.kind, find_rules(self.rules), learner.network.spec, provenance)
        training = {'game': Settings.game, 'command': self.command, **self._named()}
        weights = {name: shortened(tensor) for name, tensor in learner.average.state_dict().items()}
        with saving(learner, learner):
            save_state(self.folder, learner, counters, {**settings.to_json(), 'training': training})
            write_network(self.folder, weights, settings)

    def _named(self) -> dict[str, Any]:
        """Return the options of the run by name."""
        return {name: value for name, value in vars(self).items() if name not in ('folder', 'resume')}

    @property
    def command_line(self) -> str:
        """The command that repeats these options, without the folder."""
        words = ['python', '-m', 'dmc', self.command]
        for name, value in self._named().items():
            if value != ():
                words += [f'--{name.replace("_", "-")}', *map(str, value if isinstance(value, tuple) else (value,))]
        return shlex.join(words)

    def _resumed(self: S) -> S:
        """Return the options of the run in the folder, changed by those here that are not defaults."""
        stored = state_settings(self.folder, self.kind)
        own: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in stored.items()}
        defaults = {option.name: option.default for option in fields(self)}
        given = {name: value for name, value in self._named().items() if value != defaults[name]}
        kept = {name: value for name, value in given.items() if name not in CHANGEABLE}
        check_same(f'the run in {self.folder}', own, {'command': self.command, **kept})
        return replace(self, **{name: own[name] for name in self._named().keys() & own.keys() - given.keys()})


def load_valued(option: str, name: str, rules: str) -> DMCAgent:
    """Return the agent that an option names; ConfigError if it has no values."""
    with pinned_once_read():
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


class StudentLearner(GradientLearner[Any]):
    """Learns by Adam from games of others, and keeps recent figures of the loss.

    Args:
        options: of the command. Weights are drawn by its seed.
    """

    def __init__(self, options: SelfPlay) -> None:
        torch.manual_seed(options.seed)
        network, averaging = options.student()
        optimizer = Adam(network.parameters(), lr=options.learning_rate, fused=True)
        super().__init__(network, optimizer, torch.float32, max(1, averaging), MAX_NORM)
        self._options = options
        self._figures: deque[float] = deque(maxlen=RECENT)

    def step(self, batch: tuple[Any, ...], factor: float) -> None:
        """Take a step at a factor of the learning rate; FloatingPointError as in `descend`."""
        self.rate = self._options.learning_rate * factor
        loss, figure = self._options.loss(self.network, *batch)
        self.descend(loss)
        self._last = lambda: self._options.loss(self.network, *batch)[0]
        self._figures.append(figure)

    @property
    def recent(self) -> float:
        """The mean of recent figures."""
        return statistics.fmean(self._figures)


def values_of(network: ValueNetwork, observations: Observations, moves: Int64Array, owners: Int64Array) -> Tensor:
    """Return the values of moves, [M], each of the observation that it belongs to, int64 [M]."""
    actions = action_inputs(observations, moves, owners, network.spec.inputs)
    values: Tensor = network(network.unpack(observations), torch.from_numpy(actions).float(), torch.from_numpy(owners))
    return values
