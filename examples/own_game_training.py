"""Networks, names and reports of the toy game: all that `python -m dmc`, `ppo` and `eval` need of a third game."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import nn
from typing_extensions import override

from eval.game import Wording
from examples.own_game import BIDS, CARDS, SEATS, TOY, Rules, ToyAgent
from rlcard_kit.agents import EpsilonAgent
from rlcard_kit.duplicate.deals import play_hands
from rlcard_kit.duplicate.match import Match
from rlcard_kit.nets import checkpoint
from rlcard_kit.nets.agents import DMC, PPO, PolicyAgent, ValueAgent
from rlcard_kit.nets.policy import PolicyNetwork, exactly
from rlcard_kit.nets.spec import NetworkSpec, PolicySpec, Size
from rlcard_kit.nets.value import MoveValueNetwork
from rlcard_kit.registry import AgentRegistry, AgentSpec
from training.games.base import LearnedGame

FEATURES, MOVES = SEATS * CARDS + 2 * SEATS, BIDS + SEATS * CARDS


@dataclass(frozen=True)
class ToyValueSpec(NetworkSpec):
    """Sizes of a value network."""

    kind: ClassVar[str] = 'toy-value'
    hidden_size: Size = 16


@dataclass(frozen=True)
class ToyPolicySpec(PolicySpec):
    """Sizes of a policy."""

    kind: ClassVar[str] = 'toy-policy'
    hidden_size: Size = 16


def features(observations):
    """Return observations, [N], as inputs of a network, float32 [N, FEATURES]."""
    parts = [observations[name] for name in ('hand', 'bids', 'trick')]
    return torch.from_numpy(np.concatenate(parts, axis=1).astype(np.float32))


def of_moves(scores, moves, owners):
    """Return the scores of legal moves, [M], from those of all moves, [N, MOVES]."""
    return scores[torch.from_numpy(owners), torch.from_numpy(moves)]


class ToyValues(MoveValueNetwork):
    """Expected payoff of each legal move, for DMC."""

    def __init__(self, spec):
        super().__init__()
        self.spec = spec
        self.hidden, self.out = nn.Linear(FEATURES, spec.hidden_size), nn.Linear(spec.hidden_size, MOVES)

    @override
    def unpack(self, observations):
        return features(observations).to(self.dtype)

    @override
    def inputs(self, observations, moves):
        return self.unpack(observations), torch.from_numpy(moves)

    @override
    def forward(self, x, moves):
        return self.out(torch.relu(self.hidden(x))).float()[torch.arange(len(moves)), moves]

    @override
    def values(self, positions):
        with torch.inference_mode():
            owners = positions.owners
            return self(*self.inputs(positions.observations[owners], positions.moves)).numpy()


class ToyPolicy(PolicyNetwork):
    """Logits of the legal moves and the value of the position, for PPO."""

    def __init__(self, spec):
        super().__init__(spec)
        self.hidden = nn.Linear(FEATURES, spec.hidden_size)
        self.logits, self.value = nn.Linear(spec.hidden_size, MOVES), nn.Linear(spec.hidden_size, 1)

    @override
    def forward(self, positions):
        x = torch.relu(self.hidden(features(positions.observations).to(self.dtype)))
        logits = of_moves(exactly(self.logits, x), positions.moves, positions.owners)
        return logits, exactly(self.value, x).squeeze(1)


class Settings(checkpoint.Settings):
    """Contents of the settings.json next to saved weights."""

    game, observation, rules_kind = 'toy', FEATURES, Rules
    specs: ClassVar = {spec.kind: spec for spec in (ToyValueSpec, ToyPolicySpec)}


def make_network(spec):
    """Make the network that a spec describes."""
    return (ToyValues if isinstance(spec, ToyValueSpec) else ToyPolicy)(spec)


def load(folder, spec, numpy=True):
    """Load the network in a folder."""
    network = make_network(spec)
    weights = {name: torch.from_numpy(array).float() for name, array in checkpoint.read_weights(folder).items()}
    network.load_state_dict(weights)
    return network


class ToyDMC(ValueAgent, ToyAgent):
    """Plays the move of the highest value."""

    settings_type, spec_type, load_network = Settings, ToyValueSpec, staticmethod(load)


class ToyPPO(PolicyAgent, ToyAgent):
    """Samples from the policy, or plays its likeliest move."""

    settings_type, load_network = Settings, staticmethod(load)


class ToyEpsilon(EpsilonAgent, ToyAgent):
    """Another agent, with a share of random moves."""


class Toy(LearnedGame):
    """The game to `python -m eval`, `dmc` and `ppo`."""

    card, wording, presets, settings = TOY, Wording('the toy game'), Rules.presets(), Settings
    names = AgentRegistry(
        {
            'random': AgentSpec('examples.own_game:RandomBidder', 'random'),
            'shy': AgentSpec('examples.own_game:Shy', 'never bids'),
            'dmc': AgentSpec('examples.own_game_training:ToyDMC.load', 'a network', 'FOLDER'),
            'ppo': AgentSpec('examples.own_game_training:ToyPPO.load', 'a policy', 'FOLDER', ('greedy',)),
        },
        ToyEpsilon,
        'shy',
    )
    baselines = ('random',)
    records = save_deals = load_deals = record = None
    networks: ClassVar = {DMC: ('toy',), PPO: ('toy',)}
    agents: ClassVar = {DMC: ToyDMC, PPO: ToyPPO}
    make_network = staticmethod(make_network)
    default: ClassVar = {'default': {'rules': 'plain', 'network': 'toy', 'eval_opponents': ('shy',)}}
    training_presets: ClassVar = {DMC: default, PPO: default}

    @staticmethod
    @override
    def play_match(agent, opponent, deals, rules, seed):
        agents = {'agent': agent, 'opponent': opponent}
        return Match.from_outcome(TOY, play_hands(TOY, GAME.make_agent, agents, deals, rules, seed)[0])

    @override
    def spec(self, trainer, settings):
        if trainer == DMC:
            return ToyValueSpec(settings['hidden_size'])
        return ToyPolicySpec(settings['payoff_unit'], settings['hidden_size'])

    @override
    def show(self, title, match, width):
        yield f'{title}\n{match}\n'


GAME = Toy()
