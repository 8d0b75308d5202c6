"""`python -m dmc refine`: improve a value network by rollouts of all its candidate moves.

In self-play a decision is judged by the one game that followed it. Here, at a share of the decisions, each move whose
value is close to the best is made, and its game played to the end, in the hands that the seats hold: a draw from the
exact posterior, the same for all of them. The network learns the differences between their outcomes, and by an equal
weight its own earlier values, which are of far more games.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from typing_extensions import override

from dmc.big2.self_play import EPSILON, GAMES, TEMPERATURE, SelfPlay, hands_seen, load_valued, values_of
from dmc.opponents import ExploringAgent
from eval.common.cli import option
from rlcard_big2.engine.observation import Observations
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.nets.value import ValueNetwork
from rlcard_big2.registry import make_agent
from rlcard_big2.rules import find_rules
from rlcard_big2.search.agent import near_best
from rlcard_big2.search.opponent_model import OpponentModel
from rlcard_big2.search.pruning import PrunedValues
from rlcard_big2.search.rollouts import play_out
from rlcard_big2.search.zoo import load_small_networks
from rlcard_big2.vector import VectorEnv
from rlcard_kit.agents import ValueFunction, choose_highest
from rlcard_kit.arrays import Float32Array, Int64Array
from rlcard_kit.bounds import Above, AtMost, NaturalFloat, PositiveFloat
from rlcard_kit.errors import ConfigError
from rlcard_kit.rng import new_streams
from rlcard_kit.table import Table

COUNT = 4 * GAMES  # games in lockstep; in every fourth against itself, the network explores
GAP = 2.0  # of raw values to the best, up to which a move is rolled out
SHARE, SHARE_ALONE = 0.3, 0.6  # of the decisions, if the network has all seats, and if it has one
OWN_VALUES = 1.0  # weight of the squared distance from the values before
AVERAGED = 4000  # decisions for one step of the average of weights, which is of the last sixth of all steps


class Candidates(NamedTuple):
    """Moves that were rolled out at N decisions, M in all."""

    observations: Observations  # packed, [N]
    owners: Int64Array  # [M], the decision that each belongs to; the highest value first
    moves: Int64Array  # [M]
    values: Float32Array  # [M], the network's


@dataclass(frozen=True)
class Refine(SelfPlay):
    """Improve an agent's network by rollouts of all its candidate moves, in games against itself and others.

    Of two to four moves of the highest values, it learns how their outcomes differ in the same hidden hands. Ctrl-C
    saves what has been learned and ends.
    """

    command, least_rate = 'refine', 0.05

    positions: Annotated[int, Above(0), AtMost(10**12)] = 1_000_000
    """Decisions to learn from; a core rolls out some 500 in a second."""
    others: Annotated[tuple[str, ...], option('AGENT ...')] = ()
    """Agents with values that have the other seats, each in as many games as the network has them all: big2-dmc-2026-11
    or dmc:FOLDER."""
    win_bonus: NaturalFloat = 5.0
    """The winners' bonus in cards, as the network has learned it; see `dmc train`."""
    learning_rate: PositiveFloat = 2e-4
    """Of Adam; it falls linearly to a twentieth."""

    @override
    def networks(self) -> list[ValueFunction]:
        others = [load_valued('others', name, self.rules).network for name in self.others]
        return [*super().networks(), *others]

    @override
    def student(self) -> tuple[ValueNetwork, int]:
        network = getattr(make_agent(self.agent, self.rules), 'network', None)
        if not isinstance(network, ValueNetwork) or network.spec.is_told_rules:
            raise ConfigError(f'agent={self.agent}: expected a network in torch without the rules among its inputs')
        return network.float().train(), self.positions // AVERAGED

    @override
    def batches(self, networks: list[ValueFunction]) -> Iterator[tuple[int, tuple[Any, ...]]]:
        for chosen, outcomes in Rollouts(self, networks).turns():
            yield len(chosen.observations), (chosen, outcomes)

    @override
    def loss(self, network: ValueNetwork, chosen: Candidates, outcomes: Float32Array) -> tuple[Tensor, float]:
        owners, count = torch.from_numpy(chosen.owners), len(chosen.observations)
        values = values_of(network, chosen.observations, chosen.moves, chosen.owners)
        wrong = _centred(values - torch.from_numpy(outcomes), owners)
        moved = values - torch.from_numpy(chosen.values)
        loss = ((wrong**2).sum() + OWN_VALUES * (moved**2).sum()) / count
        offsets = np.searchsorted(chosen.owners, np.arange(count + 1))
        best = choose_highest(values.detach().numpy(), offsets)
        return loss, float(np.mean(best != offsets[:-1]))

    @override
    def describe(self, recent: float) -> str:
        return f'it changes {recent:.1%} of the latest decisions with several candidates'


class Rollouts:
    """Games of a network against itself and others, in which its candidate moves are rolled out.

    Args:
        options: of the command.
        networks: that play: the one to improve, then the others.
    """

    def __init__(self, options: Refine, networks: list[ValueFunction]) -> None:
        self._rules, self._bonus = find_rules(options.rules), options.win_bonus
        self._network = networks[0]
        small = load_small_networks().get(self._rules)
        pruned = networks if small is None else [PrunedValues(small, network) for network in networks]
        self._models = [OpponentModel(network, 0.0) for network in pruned]
        env = VectorEnv(COUNT, self._rules, options.seed)
        games, seats = np.arange(COUNT), env.game.num_seats
        self._field = games % len(networks)  # index of the network in the other seats of each game
        turns = games // len(networks)
        seating = np.repeat(self._field[:, None], seats, axis=1)
        seating[games, turns % seats] = 0
        seating[(self._field == 0) & (turns % 4 == 3)] = len(networks)
        players = [ExploringAgent(network, 0.0, 0.0) for network in networks]
        players.append(ExploringAgent(self._network, EPSILON, TEMPERATURE))
        self._table = Table(env, players, seating, new_streams(options.seed, COUNT)[:, None])
        self._random = np.random.default_rng(options.seed)

    def turns(self) -> Iterator[tuple[Candidates, Float32Array]]:
        """Yield the candidates of one turn of all games, and their outcomes, float32 [M], without end."""
        table = self._table
        learners = 0, len(table.agents) - 1  # the network, playing its best moves and exploring
        shares = np.where(self._field == 0, SHARE, SHARE_ALONE)
        while True:
            hands, seating = table.env.games['hands'].copy(), table.seating.copy()
            turn = table.turn()
            asked = np.isin(seating[np.arange(COUNT), turn.seats], learners) & (turn.positions.counts > 1)
            games = np.flatnonzero(asked & (self._random.random(COUNT) < shares))
            positions = turn.positions.select(games)
            values = self._network.values(positions)
            indices = candidates(values, positions.offsets)
            kept, owners = np.unique(positions.owners[indices], return_inverse=True)
            if kept.size:
                games, observations = games[kept], positions.observations.take(kept)
                held = hands_seen(hands[games], turn.seats[games], self._rules.players)
                chosen = Candidates(observations, owners, positions.moves[indices], values[indices])
                yield chosen, self._outcomes(chosen, held[owners], self._field[games][owners])

    def _outcomes(self, chosen: Candidates, hands: Int64Array, field: Int64Array) -> Float32Array:
        """Return the outcome of each candidate, float32 [M], with the winners' bonus, given hands and opponents."""
        kinds = np.repeat(field[:, None], NUM_PLAYERS, axis=1)
        payoffs = play_out(
            tabulate(self._rules), chosen.observations, chosen.owners, hands, chosen.moves, self._models[0].network,
            self._models, kinds,
        )  # fmt: skip
        bonus = self._bonus * ((payoffs >= self._rules.least_win) - 1 / self._rules.players)
        return (payoffs + bonus).astype(np.float32)


def candidates(values: Float32Array, offsets: Int64Array) -> Int64Array:
    """Return the indices of the moves to roll out, by decision and the highest value first.

    Decisions with a single one are left out.

    Args:
        values: of all legal moves, float32 [M].
        offsets: int64 [N + 1], see `Positions`.
    """
    near = [start + near_best(values[start:end], GAP) for start, end in itertools.pairwise(offsets)]
    return np.concatenate([np.empty(0, np.int64), *(indices for indices in near if len(indices) > 1)])


def _centred(values: Tensor, owners: Tensor) -> Tensor:
    """Return values, [M], minus their mean at each decision."""
    counts = torch.bincount(owners)
    means = values.new_zeros(len(counts)).index_add(0, owners, values) / counts
    return values - means[owners]
