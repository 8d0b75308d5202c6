"""Catch Five for training: its networks, its statistics, and the report of a match."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
from typing_extensions import override

from eval.catch5.game import EvaluatedCatch5
from rlcard_catch5.nets.agents import DMCAgent, PPOAgent
from rlcard_catch5.nets.networks import make_network
from rlcard_catch5.nets.spec import Activation, Settings, SuitsSpec, SuitsValueSpec, VonYorkSpec
from rlcard_kit.arrays import BoolArray, Float64Array
from rlcard_kit.nets.agents import DMC, PPO
from rlcard_kit.nets.spec import NetworkSpec
from rlcard_kit.table import Turn
from training.games.base import LearnedGame, Presets

DMC_PRESETS: Presets = {
    'default': {
        'rules': 'paper',
        'network': 'suits',
        'win_bonus': 0.0,
        'averaging': 2000,
        'eval_opponents': ('pass', 'rule'),
    },
}
PPO_PRESETS: Presets = {
    'default': {
        'rules': 'paper',
        'network': 'suits',
        'hidden_size': 256,
        'payoff_unit': 9.0,
        'learning_rate': 1e-3,
        'averaging': 2000,
        'pool_share': 0.25,
        'eval_opponents': ('pass', 'rule'),
    },
    # What `catch5-ppo` was trained by. Self-play meets no opponent that always passes: 'pass' named twice plays in 0.4
    # of the games.
    'strong': {
        'minutes': 88.0,
        'decay': 0.5,
        'pool_agents': ('pass', 'pass'),
        'pool_share': 0.6,
    },
    'paper': {  # Von York (2020); its 32 games end together, and all of them are learned from at once
        'network': 'vonyork',
        'num_games': 32,
        'num_steps': 29,
        'target': 'score',
        'payoff_unit': 18.0,
        'learn_forced': True,
        'minibatch_size': 8,
        'epochs': 5,
        'gamma': 0.99,
        'value_coefficient': 1.0,
        'entropy_coefficient': 0.01,
        'uniform_coefficient': 0.0,
        'z_coefficient': 0.0,
        'learning_rate': 3e-5,
        'decay': 0.0,
        'averaging': 1,
        'total_frames': 20_000 * 32 * 29,
        'pool_share': 0.0,
    },
}
VONYORK: Mapping[str, Activation] = {'vonyork': 'tanh', 'vonyork-leaky': 'leaky'}


class LearnedCatch5(EvaluatedCatch5, LearnedGame):
    """Catch Five as a game to learn."""

    settings = Settings
    training_presets: ClassVar[Mapping[str, Presets]] = {DMC: DMC_PRESETS, PPO: PPO_PRESETS}
    networks: ClassVar[Mapping[str, tuple[str, ...]]] = {DMC: ('suits',), PPO: ('suits', *VONYORK)}
    agents: ClassVar[Mapping[str, type[Any]]] = {DMC: DMCAgent, PPO: PPOAgent}
    statistics = ('passes', 'winning bid', 'bids made', 'won by the dealer', 'won by the first', 'won by the trained')

    make_network = staticmethod(make_network)

    @override
    def spec(self, trainer: str, settings: Mapping[str, Any]) -> NetworkSpec:
        if trainer == DMC:
            return SuitsValueSpec(settings['hidden_size'])
        if settings['network'] in VONYORK:
            return VonYorkSpec(settings['payoff_unit'], VONYORK[settings['network']])
        return SuitsSpec(settings['payoff_unit'], settings['hidden_size'])

    @override
    def show(self, title: str, match: Any, width: int) -> Iterator[Any]:
        yield f'{title}, with the teams swapped\n{match}\n'

    @override
    def count(self, turn: Turn, trained: BoolArray) -> Float64Array:
        """Count the auctions of the games that ended; the last seat to move has seen them."""
        observations, seats = turn.positions.observations[turn.done], turn.seats[turn.done]
        games, bidders = np.arange(len(observations)), observations['bidder'].astype(np.int64)
        bids, team = observations['bids'][games, bidders], (seats + bidders) % 4
        rank = (bidders - observations['dealer']) % 4  # 0 the dealer, 1 the first to bid
        alone = ~trained[turn.done].all(axis=1)  # the games in which earlier selves play too
        shares = (
            (observations['bids'] == 0).mean(axis=1),
            bids,
            turn.payoffs[turn.done][games, team] > 0,
            rank == 0,
            rank == 1,
        )
        rows = [(float(np.sum(share)), float(len(observations))) for share in shares]
        bids_trained = trained[turn.done][games, team] & alone
        return np.array([*rows, (float(bids_trained.sum()), float(alone.sum()))])
