"""Catch Five for training: its networks, its statistics, and the report of a match."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from typing_extensions import override

import rlcard_catch5.agents.trained
import rlcard_catch5.nets.networks
import rlcard_catch5.nets.saved
from eval.games.catch5 import EvaluatedCatch5
from rlcard_catch5.nets.spec import SuitsValueSpec
from rlcard_catch5.nets.suits import shuffled
from rlcard_kit.arrays import BoolArray, Float64Array
from rlcard_kit.nets.agents import PolicyAgent
from rlcard_kit.nets.policy import PolicyNetwork
from rlcard_kit.nets.spec import NetworkSpec, PolicySpec
from rlcard_kit.nets.value import MoveValueNetwork
from rlcard_kit.nets.value_agent import ValueAgent
from rlcard_kit.positions import Positions
from rlcard_kit.table import Turn
from training.games.base import LearnedGame


class LearnedCatch5(EvaluatedCatch5, LearnedGame):
    """See `LearnedGame`."""

    settings = rlcard_catch5.nets.saved.Settings
    statistics = ('passes', 'winning bid', 'bids made', 'won by the dealer', 'won by the first', 'won by the trained')

    @override
    def make_policy(self, spec: NetworkSpec) -> PolicyNetwork:
        assert isinstance(spec, PolicySpec)
        return rlcard_catch5.nets.networks.make_network(spec)

    @override
    def load_policy(self, folder: Path) -> PolicyAgent:
        return rlcard_catch5.agents.trained.PPOAgent.load(folder, greedy=True)

    @override
    def make_value_network(self, spec: NetworkSpec) -> MoveValueNetwork:
        assert isinstance(spec, SuitsValueSpec)
        return rlcard_catch5.nets.networks.make_network(spec)

    @override
    def load_values(self, folder: Path) -> ValueAgent:
        return rlcard_catch5.agents.trained.DMCAgent.load(folder)

    @override
    def show(self, title: str, match: Any) -> Iterator[Any]:
        yield f'{title}, with the teams swapped\n{match}\n'

    @override
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

    @override
    def exchange_suits(self, positions: Positions, generator: np.random.Generator) -> Positions | None:
        return shuffled(positions, generator)
