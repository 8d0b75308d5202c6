"""The games that can be learned, and what training asks of each beyond a `CardGame`."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import rlcard_big2.nets.dmc
import rlcard_big2.nets.networks
import rlcard_big2.nets.ppo
import rlcard_big2.nets.saved
import rlcard_catch5.agents.trained
import rlcard_catch5.nets.networks
import rlcard_catch5.nets.saved
from eval.games import GameName, name_in, name_told
from eval.games.base import EvaluatedGame
from eval.games.big2 import EvaluatedBig2
from eval.games.catch5 import EvaluatedCatch5
from eval.tables import rich_table
from rlcard_big2.lockstep.agent import ValueFunction
from rlcard_big2.lockstep.arrays import BoolArray, Float64Array, Int64Array
from rlcard_big2.lockstep.positions import Positions
from rlcard_big2.lockstep.table import Turn
from rlcard_big2.nets.numpy_value import NumpyValueNetwork
from rlcard_big2.nets.spec import ValueSpec
from rlcard_big2.neural.agent import PolicyAgent
from rlcard_big2.neural.policy import PolicyNetwork
from rlcard_big2.neural.saved import Settings
from rlcard_big2.neural.spec import NetworkSpec, PolicySpec
from rlcard_big2.neural.value import MoveValueNetwork
from rlcard_big2.neural.value_agent import ValueAgent
from rlcard_catch5.nets.spec import SuitsValueSpec
from rlcard_catch5.nets.suits import shuffled

__all__ = ['GAMES', 'GameName', 'LearnedGame', 'described_by', 'game_in', 'game_of']


class LearnedGame(EvaluatedGame):
    """A game to learn: how its agents are measured, its networks, and what is learned."""

    settings: ClassVar[type[Settings]]
    """What its saved networks are described by."""
    is_calibrated: ClassVar[bool] = False
    """Whether values of exported networks are given a meaning for people, see `training.calibration`."""
    statistics: ClassVar[tuple[str, ...]] = ()
    """What is shown of play while training, see `count`."""

    @abstractmethod
    def make_policy(self, spec: NetworkSpec) -> PolicyNetwork:
        """Make the policy that a spec describes, its weights drawn from torch's generator."""

    @abstractmethod
    def load_policy(self, folder: Path) -> PolicyAgent:
        """Load the agent of a saved policy, playing its likeliest moves."""

    @abstractmethod
    def make_value_network(self, spec: NetworkSpec) -> MoveValueNetwork:
        """Make the network of values that a spec describes, its weights drawn from torch's generator."""

    def values_in_numpy(self, network: MoveValueNetwork) -> ValueFunction | None:
        """Return what says a network's values in numpy, up to rounding, by its weights now; None if that is not known.

        Args:
            network: in float32, on the CPU.
        """
        return None

    @abstractmethod
    def load_values(self, folder: Path) -> ValueAgent:
        """Load the agent of a saved network of values."""

    @abstractmethod
    def show(self, title: str, match: Any) -> Iterator[Any]:
        """Return what is printed of a match."""

    def returns(self, payoffs: Int64Array) -> Int64Array:
        """Return what is to be learned, int64 [N, seats], given payoffs, int64 [N, seats]: what matches are won by."""
        return self.gains(payoffs)

    def count(self, turn: Turn, trained: BoolArray) -> Float64Array:
        """Return sums and numbers for the `statistics`, float64 [statistics, 2], of the games that a turn ended.

        Args:
            turn: at a table.
            trained: bool [N, seats], the seats that are trained.
        """
        return self.no_statistics()

    def no_statistics(self) -> Float64Array:
        """Return what `count` returns if no game has ended."""
        return np.zeros((len(self.statistics), 2))

    def averages(self, counts: Float64Array) -> dict[str, float | None]:
        """Return the `statistics` by name, given what `count` counted; None if that is nothing."""
        sums = zip(self.statistics, counts.tolist(), strict=True)
        return {name: total / number if number else None for name, (total, number) in sums}

    def exchange_suits(self, positions: Positions, generator: np.random.Generator) -> Positions | None:
        """Return positions that are the same but for the names of suits; None if suits are not alike."""
        return None


class _Big2(EvaluatedBig2, LearnedGame):
    settings = rlcard_big2.nets.saved.Settings
    is_calibrated = True

    def make_policy(self, spec: NetworkSpec) -> PolicyNetwork:
        assert isinstance(spec, PolicySpec)
        return rlcard_big2.nets.networks.make_network(spec)

    def load_policy(self, folder: Path) -> PolicyAgent:
        return rlcard_big2.nets.ppo.PPOAgent.load(folder, greedy=True)

    def make_value_network(self, spec: NetworkSpec) -> MoveValueNetwork:
        assert isinstance(spec, ValueSpec)
        return rlcard_big2.nets.networks.make_network(spec)

    def values_in_numpy(self, network: MoveValueNetwork) -> ValueFunction | None:
        assert isinstance(network.spec, ValueSpec)
        if network.spec.summary == 'convolutions':
            return None
        weights = {name: tensor.numpy() for name, tensor in network.state_dict().items()}
        return NumpyValueNetwork(network.spec, weights)

    def load_values(self, folder: Path) -> ValueAgent:
        return rlcard_big2.nets.dmc.DMCAgent.load(folder)

    def show(self, title: str, match: Any) -> Iterator[Any]:
        yield rich_table(self.table(f'{title} in all four seats', ('', ''), match))
        yield self.note(match)


class _Catch5(EvaluatedCatch5, LearnedGame):
    settings = rlcard_catch5.nets.saved.Settings
    statistics = ('passes', 'winning bid', 'bids made', 'won by the dealer', 'won by the first', 'won by the trained')

    def make_policy(self, spec: NetworkSpec) -> PolicyNetwork:
        assert isinstance(spec, PolicySpec)
        return rlcard_catch5.nets.networks.make_network(spec)

    def load_policy(self, folder: Path) -> PolicyAgent:
        return rlcard_catch5.agents.trained.PPOAgent.load(folder, greedy=True)

    def make_value_network(self, spec: NetworkSpec) -> MoveValueNetwork:
        assert isinstance(spec, SuitsValueSpec)
        return rlcard_catch5.nets.networks.make_network(spec)

    def load_values(self, folder: Path) -> ValueAgent:
        return rlcard_catch5.agents.trained.DMCAgent.load(folder)

    def show(self, title: str, match: Any) -> Iterator[Any]:
        yield f'{title}, with the teams swapped\n{match}\n'

    def count(self, turn: Turn, trained: BoolArray) -> Float64Array:
        """Count the auctions of the games that ended; the last seat to move has seen them."""
        seen, seats = turn.positions.observations[turn.done], turn.seats[turn.done]
        games, bidders = np.arange(len(seen)), seen['bidder'].astype(np.int64)
        bids, team = seen['bids'][games, bidders], (seats + bidders) % 4
        rank = (bidders - seen['dealer']) % 4  # 0 the dealer, 1 the first to bid
        alone = ~trained[turn.done].all(axis=1)  # the games in which earlier selves play too
        won = (
            (seen['bids'] == 0).mean(axis=1),
            bids,
            turn.payoffs[turn.done][games, team] > 0,
            rank == 0,
            rank == 1,
        )
        rows = [(float(np.sum(one)), float(len(seen))) for one in won]
        own = trained[turn.done][games, team] & alone
        return np.array([*rows, (float(own.sum()), float(alone.sum()))])

    def exchange_suits(self, positions: Positions, generator: np.random.Generator) -> Positions | None:
        return shuffled(positions, generator)


GAMES: Mapping[GameName, LearnedGame] = {'big2': _Big2(), 'catch5': _Catch5()}


def game_of(name: GameName) -> LearnedGame:
    """Return a game by its name."""
    return GAMES[name]


def game_in(folder: Path) -> LearnedGame:
    """Return the game whose network a folder holds; Big 2 if that cannot be read, whose loader says what is wrong."""
    return GAMES[name_in(folder) or 'big2']


def described_by(stored: object) -> LearnedGame:
    """Return the game that JSON names; Big 2 if it names none."""
    return GAMES[name_told(stored) or 'big2']
