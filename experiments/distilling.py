"""Teach a small value network to choose as a large one does, for playouts: python -m experiments.distilling.

The teacher plays against itself, exploring as in training. At each choice the student learns the teacher's softmax over
the legal moves, which is what playouts and beliefs need, and by a small weight its values.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import tyro
from torch import Tensor, nn

from common.bounds import Above, NaturalInt, PositiveFloat, check_settings
from common.cli import new_console, reported
from dmc.opponents import ExploringAgent
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.errors import ConfigError
from rlcard_big2.lockstep.agent import choose_highest
from rlcard_big2.lockstep.arrays import Float32Array
from rlcard_big2.lockstep.positions import Choice, Positions
from rlcard_big2.lockstep.random import new_streams
from rlcard_big2.lockstep.table import Player, Table
from rlcard_big2.names import make_agent
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.nets.features import InputSpec, action_features
from rlcard_big2.nets.saved import Settings
from rlcard_big2.nets.spec import ValueSpec
from rlcard_big2.nets.value import ValueNetwork
from rlcard_big2.neural.distribution import log_softmax
from rlcard_big2.rules import find_rules
from rlcard_big2.vector import VectorEnv
from training.checkpoint import write_network

GAMES = 512  # in lock step
TEMPERATURE = 0.5  # of the softmax that is learned and of the moves that are explored, in units of values
EPSILON = 0.02  # of the moves, drawn among all legal ones
VALUES = 0.01  # weight of the squared error of the values
AVERAGING = 2000  # steps


@dataclass(frozen=True)
class Options:
    """Trains a student in a folder that `dmc:FOLDER` names."""

    savedir: Path = Path('runs/quick')
    """Folder of the student; it must not exist."""
    teacher: str = 'big2-dmc'
    """Agent with a value network: big2-dmc or dmc:FOLDER."""
    rules: str = 'charlesworth'
    """To play by."""
    hidden_size: Annotated[int, Above(0)] = 64
    """Width of the student's layers; it does not see the last 16 moves, but what each seat has played."""
    minutes: PositiveFloat = 10.0
    """Of processor time."""
    learning_rate: PositiveFloat = 2e-3
    """Of Adam; it falls linearly to 0."""
    seed: NaturalInt = 0
    """Of weights, deals and moves."""


class Teacher(ExploringAgent):
    """Plays, and keeps its values of all legal moves."""

    def evaluate(self, positions: Positions) -> tuple[Float32Array, Choice]:
        """Return the values of all legal moves, which are kept too, and the choice; see `DMCAgent.evaluate`."""
        self.values, choice = super().evaluate(positions)
        return self.values, choice


@dataclass
class Lesson:
    """Positions with what the teacher says of their moves."""

    positions: Positions
    values: Float32Array


class Lessons:
    """Games of the teacher against itself, without end."""

    def __init__(self, teacher: Teacher, options: Options) -> None:
        env = VectorEnv(GAMES, find_rules(options.rules), options.seed)
        seating, streams = np.zeros((GAMES, BIG2.num_seats), np.int64), new_streams(options.seed, GAMES)[:, None]
        self._table = Table(env, [Player(teacher, ask_forced=True)], seating, streams)
        self._teacher = teacher

    def more(self) -> Lesson:
        """Play a move in each game; return the choices."""
        positions = self._table.turn().positions
        chosen = np.flatnonzero(positions.counts > 1)
        kept = np.repeat(positions.counts > 1, positions.counts)
        return Lesson(positions.select(chosen), self._teacher.values[kept])


class Student:
    """The network that learns, and its average."""

    def __init__(self, options: Options, spec: ValueSpec) -> None:
        torch.manual_seed(options.seed)
        self.network = ValueNetwork(spec)
        self._optimizer = torch.optim.Adam(self.network.parameters(), lr=options.learning_rate, fused=True)
        self.average = torch.optim.swa_utils.AveragedModel(
            self.network,
            multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(1 - 1 / AVERAGING),  # type: ignore[no-untyped-call]
        )
        self._rate = options.learning_rate

    def learn(self, lesson: Lesson, left: float) -> tuple[float, float]:
        """Take a step on a lesson; return the divergence in nats, and how often the best moves agree."""
        self._optimizer.param_groups[0]['lr'] = self._rate * left
        values, targets = self._values(lesson.positions), torch.from_numpy(lesson.values)
        divergence = _divergence(targets, values, lesson.positions)
        loss = divergence + VALUES * nn.functional.mse_loss(values, targets)
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self._optimizer.step()
        self.average.update_parameters(self.network)
        return divergence.item(), _agreement(lesson, values.detach().numpy())

    def _values(self, positions: Positions) -> Tensor:
        inputs, owners = InputSpec(self.network.spec.inputs), positions.owners
        actions = action_features(positions.observations, positions.moves, owners, inputs)
        values: Tensor = self.network(self.network.unpack(positions.observations), actions, torch.from_numpy(owners))
        return values


def _divergence(targets: Tensor, values: Tensor, positions: Positions) -> Tensor:
    """Return the mean divergence of the student's softmax from the teacher's, over the moves of N choices."""
    owners, count = torch.from_numpy(positions.owners), len(positions.counts)
    wanted, found = (log_softmax(scores / TEMPERATURE, owners, count) for scores in (targets, values))
    return (wanted.exp() * (wanted - found)).sum() / count


def _agreement(lesson: Lesson, values: Float32Array) -> float:
    offsets = lesson.positions.offsets
    return float(np.mean(choose_highest(lesson.values, offsets) == choose_highest(values, offsets)))


def distil(options: Options) -> None:
    """Train a student and save it."""
    check_settings(options)
    if options.savedir.exists():
        raise ConfigError(f'{options.savedir} is there already: choose another --savedir')
    agent = make_agent(options.teacher, options.rules)
    if not isinstance(agent, DMCAgent) or not isinstance(agent.network, ValueNetwork):
        raise ConfigError(f'teacher={options.teacher}: expected big2-dmc or dmc:FOLDER, which have values')
    spec = ValueSpec('memoryless-residual', options.hidden_size, 1, agent.network.spec.inputs)
    student, lessons = Student(options, spec), Lessons(Teacher(agent.network, EPSILON, TEMPERATURE), options)
    console, frames, shown, start = new_console(), 0, 0.0, time.process_time()
    figures: list[tuple[float, float]] = []
    while (done := (time.process_time() - start) / 60 / options.minutes) < 1:
        lesson = lessons.more()
        if len(lesson.positions.counts):
            figures.append(student.learn(lesson, 1 - done))
            frames += len(lesson.positions.counts)
        if figures and time.process_time() - shown > 20:
            shown = time.process_time()
            divergence, agreement = np.mean(figures[-200:], axis=0)
            console.print(
                f'{100 * done:.0f} %  choices {frames:,}  divergence {divergence:.4f}  agreement {agreement:.3f}'
            )
    command = f'python -m experiments.distilling --teacher {options.teacher} --minutes {options.minutes:g}'
    settings = Settings('dmc', find_rules(options.rules), spec, {'frames': frames, 'command': command})
    tensors = {name: tensor.contiguous() for name, tensor in student.average.module.state_dict().items()}
    options.savedir.mkdir(parents=True)
    write_network(options.savedir, tensors, settings)


def main() -> None:
    """Read the options and train."""
    with reported('python -m experiments.distilling', 'interrupted; nothing is saved'):
        distil(tyro.cli(Options, description=__doc__))


if __name__ == '__main__':
    main()
